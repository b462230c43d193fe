/** Finds secrets in what leaves the process. A line is searched once, however often it leaves. */
export interface LeakSearch {
  /** Returns where each new leak is: the secret's name, the form, and the line without the rest of the secret. */
  readonly search: (text: string) => readonly string[];
}

/** @param secrets the secrets by name. */
export function createLeakSearch(secrets: ReadonlyMap<string, string>): LeakSearch {
  const names = new Map<string, string>();
  for (const [name, secret] of secrets) {
    const own = withoutPrefix(secret).toLowerCase();
    for (const form of [own, Array.from(own).toReversed().join("")]) {
      // A text of twice the step contains one of these pieces whole.
      for (let at = 0; at + PIECE <= form.length; at += PIECE) names.set(form.slice(at, at + PIECE), name);
    }
  }
  const seen = new Set<string>();
  return {
    search: (text) => {
      const leaks: string[] = [];
      for (const line of [...text.split("\n"), ...(text.length < 20_000 ? [text] : [])]) {
        // The value of a sample changes all the time.
        const known = line.replace(/ [-+.\deE]+$/, "");
        if (seen.has(known)) continue;
        if (seen.size > MOST_SEEN) seen.clear();
        seen.add(known);
        for (const [form, read] of Object.entries(READINGS)) {
          const name = findPiece(read(known), names);
          if (name === undefined) continue;
          leaks.push(`${name} (${form}): ${known.slice(0, 200)}`);
          break;
        }
      }
      return leaks;
    },
  };
}

/** Ten equal characters in a row are no coincidence; forty bits of hexadecimal digits. */
const PIECE = 10;
const MOST_SEEN = 200_000;

/** Ways in which a person or a program could read a text. */
const READINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "full-width": (text) => text.normalize("NFKC"),
  joined: (text) => text.normalize("NFKC").replaceAll(/[^A-Za-z0-9]/g, ""),
  escaped: (text) =>
    text
      .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll(/\\n/g, ""),
  "percent-encoded": (text) =>
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  "HTML escapes": (text) => {
    const once = text.replaceAll("&amp;", "&");
    return once.replaceAll(/&#x([0-9a-f]{1,4});/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  },
  base64: (text) =>
    [...text.matchAll(/[A-Za-z0-9+/_-]{16,}/g)]
      .flatMap(([found]) =>
        [0, 1, 2, 3].map((at) => Buffer.from(found.slice(at), "base64").toString("latin1")),
      )
      .join(" "),
  hexadecimal: (text) =>
    [...text.matchAll(/[0-9a-f]{20,}/gi)]
      .flatMap(([found]) => [0, 1].map((at) => Buffer.from(found.slice(at), "hex").toString("latin1")))
      .join(" "),
};

function withoutPrefix(secret: string): string {
  return secret.replace(/^sk-or-v1-|^pw-/, "");
}

function findPiece(text: string, names: ReadonlyMap<string, string>): string | undefined {
  const low = text.toLowerCase();
  for (const { 0: run, index } of low.matchAll(/[0-9a-f]{10,}/g)) {
    for (let at = index; at + PIECE <= index + run.length; at++) {
      const name = names.get(low.slice(at, at + PIECE));
      if (name !== undefined) return name;
    }
  }
  return undefined;
}
