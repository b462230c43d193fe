/** The ways to write a text so that a person or a program can read it again. */
export const DISGUISES: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "in upper case": (text) => text.toUpperCase(),
  "in lower case": (text) => text.toLowerCase(),
  reversed: (text) => reversed(text),
  "in base64": (text) => base64(text),
  "in base64, one byte later": (text) => base64(`x${text}y`),
  "in base64, two bytes later": (text) => base64(`xy${text}`),
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in lines of base64": (text) => base64(text).replaceAll(/.{16}/g, "$&\n"),
  "in base64 twice": (text) => base64(base64(text)),
  "in base64, reversed": (text) => base64(reversed(text)),
  "as a basic login": (text) => `Basic ${base64(`user:${text}`)}`,
  "in hexadecimal digits": (text) => Buffer.from(text).toString("hex"),
  "in upper-case hexadecimal digits": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "in hexadecimal digits with colons": (text) => bytes(text).join(":"),
  "in hexadecimal numbers": (text) =>
    bytes(text)
      .map((byte) => `0x${byte}`)
      .join(", "),
  "in hexadecimal digits, of base64": (text) => Buffer.from(base64(text)).toString("hex"),
  "URL-encoded": (text) => each(text, (code) => `%${hex(code, 2)}`),
  "URL-encoded in part": (text) =>
    each(text, (code, index) => (index % 3 === 0 ? `%${hex(code, 2)}` : undefined)),
  "URL-encoded twice": (text) => each(text, (code) => `%25${hex(code, 2)}`),
  "in quoted-printable": (text) => each(text, (code) => `=${hex(code, 2).toUpperCase()}`),
  "JSON-escaped": (text) => each(text, (code) => `\\u${hex(code, 4)}`),
  "JSON-escaped in part": (text) =>
    each(text, (code, index) => (index % 4 === 1 ? `\\u${hex(code, 4)}` : undefined)),
  "JSON-escaped twice": (text) => each(text, (code) => `\\\\u${hex(code, 4)}`),
  "escaped as in JavaScript": (text) => each(text, (code) => `\\x${hex(code, 2)}`),
  "escaped with braces": (text) => each(text, (code) => `\\u{${code.toString(16)}}`),
  "HTML-escaped": (text) => each(text, (code) => `&#${code};`),
  "HTML-escaped in hexadecimal digits": (text) => each(text, (code) => `&#x${hex(code, 2)};`),
  "joined by zero-width spaces": (text) => joined(text, "\u200B"),
  "joined by soft hyphens": (text) => joined(text, "\u00AD"),
  "joined by word joiners": (text) => joined(text, "\u2060"),
  "joined by spaces": (text) => joined(text, " "),
  "joined by newlines": (text) => joined(text, "\n"),
  "joined by escaped newlines": (text) => joined(text, String.raw`\n`),
  "joined by dots": (text) => joined(text, "."),
  "joined by hyphens": (text) => joined(text, "-"),
  "joined by slashes": (text) => joined(text, "/"),
  "joined by no-break spaces": (text) => joined(text, "\u00A0"),
  "joined by entities": (text) => joined(text, "&shy;"),
  "joined by URL-encoded zero-width spaces": (text) => joined(text, "%E2%80%8B"),
  "with accents": (text) => joined(text, "\u0301"),
  "in full-width letters": (text) => each(text, (code) => String.fromCodePoint(code + 0xfe_e0)),
  "in URL-encoded full-width letters": (text) =>
    encodeURIComponent(each(text, (code) => String.fromCodePoint(code + 0xfe_e0))),
  "in bold letters": (text) =>
    text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x1_d4_1a + letter.charCodeAt(0) - 97)),
  "in invisible letters": (text) => each(text, (code) => String.fromCodePoint(0xe_00_00 + code)),
  "with Cyrillic letters": (text) =>
    text.replaceAll(
      /[aceops]/g,
      (letter) => ({ a: "а", c: "с", e: "е", o: "о", p: "р", s: "ѕ" })[letter] ?? letter,
    ),
};

/** The parts of a secret that must not be shown either. */
export const PARTS: Readonly<Record<string, (text: string) => string>> = {
  whole: (text) => text,
  "first half": (text) => text.slice(0, text.length / 2),
  "second half": (text) => text.slice(text.length / 2),
  "sixteen characters": (text) => text.slice(-30, -14),
  "twelve characters": (text) => text.slice(-12),
};

function reversed(text: string): string {
  return Array.from(text).toReversed().join("");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function bytes(text: string): readonly string[] {
  return Array.from(text, (character) => hex(character.charCodeAt(0), 2));
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** Replaces ASCII characters; undefined leaves one as it is. */
function each(text: string, replace: (code: number, index: number) => string | undefined): string {
  return Array.from(text, (character, index) => replace(character.charCodeAt(0), index) ?? character).join(
    "",
  );
}

function joined(text: string, separator: string): string {
  return Array.from(text).join(separator);
}
