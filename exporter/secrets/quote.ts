/**
 * Shows a value of the configuration in a message: quoted, on one line, and shortened. A value that looks
 * like a secret is not shown, because a misplaced value may well be one.
 */
export function quote(value: unknown, shownCharacters = SHOWN_CHARACTERS): string {
  if (typeof value === "string") return quoteText(value, shownCharacters);
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  return `a ${typeof value}`;
}

/** Quotes a path in full, because its end matters most. */
export function quotePath(path: string): string {
  return quote(path, LOOKED_AT_CHARACTERS);
}

/** Whether a text looks like a secret, so that no message may show it. */
export function looksSecret(text: string): boolean {
  const shown = text.slice(0, LOOKED_AT_CHARACTERS);
  return SECRET_SHAPES.some((shape) => shape.test(shown)) || MIXED.test(shown);
}

const HIDDEN = "(not shown: it looks like a secret)";

const SHOWN_CHARACTERS = 60;
/** Longer than any text that is shown. */
const LOOKED_AT_CHARACTERS = 1000;

function quoteText(text: string, shownCharacters: number): string {
  if (looksSecret(text)) return HIDDEN;
  // Cuts between whole characters, and reads only a few of them, because the text may have any length.
  const characters = Array.from(text.slice(0, 2 * shownCharacters + 2));
  const cut =
    characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join("")}…` : text;
  // JSON does not escape every character that breaks a line or controls the terminal.
  return JSON.stringify(cut).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const SECRET_SHAPES: readonly RegExp[] = [
  /(?:^|[^a-z])[sprg]k[-_]./i, // sk-…, pk_…
  /bearer\s/i,
  /(?=[a-z]{0,23}\d)[a-z\d]{24}/i, // hex and base62; a name of this length has separators
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i, // UUID
];

/** 20 characters of base64 with upper case, lower case and digits: not a path, a variable or a name. */
const MIXED = /(?=[\w+=-]{0,19}[A-Z])(?=[\w+=-]{0,19}[a-z])(?=[\w+=-]{0,19}\d)[\w+=-]{20}/;
