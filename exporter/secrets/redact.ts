/** Keeps secrets out of texts that are shown. */
export interface Redactor {
  /** Hides a text until an hour after its last use. */
  readonly use: (text: string) => void;
  /** Hides the texts of a place, such as a file, until an hour after others have replaced them. */
  readonly hold: (place: string, texts: readonly string[]) => void;
  /** The text without the secrets in use, in their usual forms, and without what looks like a key. */
  readonly redact: (text: string) => string;
  /** Whether `redact` changes the text. For labels, whose rest would not identify anything. */
  readonly holdsSecret: (text: string) => boolean;
}

export function createRedactor(nowMs: () => number = () => performance.now()): Redactor {
  const lastUses = new Map<string, number>();
  const held = new Map<string, readonly string[]>();
  const formsByEnd = new Map<string, readonly string[]>();
  let sweptMs = nowMs();

  function use(text: string): void {
    if (text.length < SHORTEST) return;
    if (!lastUses.has(text)) {
      sweep();
      for (const form of formsOf(text)) {
        const end = form.slice(-SHORTEST);
        formsByEnd.set(end, [...(formsByEnd.get(end) ?? []), form]);
      }
    }
    lastUses.set(text, nowMs());
  }

  /** Forgets the texts that are no longer used. */
  function sweep(): void {
    const now = nowMs();
    if (now - sweptMs < SWEEP_MS) return;
    sweptMs = now;
    const kept = new Set([...held.values()].flat());
    for (const [text, lastUse] of lastUses) {
      if (now - lastUse < KEPT_MS || kept.has(text)) continue;
      lastUses.delete(text);
      for (const form of formsOf(text)) {
        const end = form.slice(-SHORTEST);
        const others = formsByEnd.get(end)?.filter((other) => other !== form) ?? [];
        if (others.length > 0) formsByEnd.set(end, others);
        else formsByEnd.delete(end);
      }
    }
  }

  function spansOf(text: string): readonly Span[] {
    const spans = keyShapes(text);
    for (let end = SHORTEST; end <= text.length; end++) {
      for (const form of formsByEnd.get(text.slice(end - SHORTEST, end)) ?? []) {
        if (text.endsWith(form, end)) spans.push([end - form.length, end]);
      }
    }
    return spans;
  }

  return {
    use,
    hold: (place, texts) => {
      for (const text of [...(held.get(place) ?? []), ...texts]) use(text);
      held.set(place, texts);
    },
    redact: (text) => replaced(text, spansOf(text)),
    holdsSecret: (text) => spansOf(text).length > 0,
  };
}

/** One for the process, because the handler of uncaught errors has no configuration. */
const redactor: Redactor = createRedactor();
export const { redact, holdsSecret, use: useSecret, hold: holdSecrets } = redactor;

export const REDACTED = "[redacted]";

/** A shorter text is part of too many words. */
const SHORTEST = 6;
const KEPT_MS = 3_600_000;
const SWEEP_MS = 60_000;

/** The start and the end of a part of a text. */
type Span = readonly [start: number, end: number];

/** A text as it is, and as JSON, URLs and encodings write it. */
function formsOf(text: string): ReadonlySet<string> {
  const bytes = Buffer.from(text);
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  const url = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify(text).slice(1, -1);
  return new Set([text, json, url, bytes.toString("hex"), base64, bytes.toString("base64url")]);
}

/** The parts of a text that look like a credential of a known kind, although nobody configured it. */
function keyShapes(text: string): Span[] {
  // Hardly any text has a key, and `search` finds that out faster than `matchAll`.
  return SHAPES.filter((shape) => text.search(shape) >= 0).flatMap((shape) =>
    [...text.matchAll(shape)].flatMap(({ 0: found, index, groups }): Span[] =>
      groups?.["random"] === undefined || looksRandom(found) ? [[index, index + found.length]] : [],
    ),
  );
}

/** Every repetition is bounded or followed by nothing, so that no text takes more than linear time. */
const SHAPES: readonly RegExp[] = [
  /(?<![a-z\d])(?<random>(?:(?:sk|pk|rk|gsk|xai|github_pat|glpat|npm|pypi|xox[a-z])[-_]|(?:hf|r8|gh[oprsu])_)[\w-]{16,})/gi,
  /(?<=\b(?:bearer|basic)\s{1,4})(?<random>[\w.~+/=-]{16,})/gi,
  /(?<![A-Za-z\d])(?:AIza[\w-]{35}|A[KS]IA[A-Z\d]{16}(?![A-Za-z\d])|ya29\.[\w-]{20,})/g,
  // A JSON web token
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]+)?/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*/g,
  /\$2[abxy]\$\d\d\$[./A-Za-z\d]{53}/g,
  /(?<=:\/\/)[^\s/@:]{0,256}:[^\s/@]{1,256}(?=@)/g,
];

/** Whether a part without separators changes often between lower case, upper case and digits, unlike words. */
function looksRandom(text: string): boolean {
  return text.split(/[^A-Za-z\d]+/).some((part) => {
    const kinds = part
      .replaceAll(/[a-z]+/g, "a")
      .replaceAll(/[A-Z]+/g, "A")
      .replaceAll(/\d+/g, "1");
    return part.length >= 16 && kinds.length >= 5;
  });
}

/** Overlapping parts become one mark. */
function replaced(text: string, spans: readonly Span[]): string {
  let [shown, end] = ["", 0];
  for (const [start, next] of spans.toSorted(([one], [other]) => one - other)) {
    if (start >= end) shown += text.slice(end, start) + REDACTED;
    end = Math.max(end, next);
  }
  return shown + text.slice(end);
}
