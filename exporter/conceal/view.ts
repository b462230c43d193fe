import { HOMOGLYPHS } from "./homoglyphs.ts";

/** The first and the last character of a part of a text. */
export type Span = readonly [first: number, last: number];

/** A text as a reader or a decoder may see it. */
export interface TextView {
  readonly text: string;
  /** The part of the original text that the character at an index comes from. */
  place(index: number): Span;
}

/**
 * The text without invisible characters, with plain letters in place of their variants and look-alikes; and if it
 * contains escapes of URLs, JSON, HTML or bytes, also what they stand for.
 */
export function viewsOf(text: string): readonly TextView[] {
  const original: TextView = { text, place: (index) => [index, index] };
  const visible = PLAIN.test(text) ? original : normalized(original);
  const views = [visible];
  for (let view = visible; views.length <= MOST_ROUNDS && ESCAPE.test(view.text); views.push(view)) {
    view = normalized(unescaped(view));
  }
  return views;
}

/**
 * The text of the first view; undefined if the text has escapes, and therefore more views. Much faster, since it does
 * not keep places, and nearly no text needs these.
 */
export function onlyView(text: string): string | undefined {
  const visible = PLAIN.test(text) || TAG.test(text) ? text : plainText(text);
  return TAG.test(visible) || ESCAPE.test(visible) ? undefined : visible;
}

/** An escape may be escaped again, as in a URL within a URL. */
const MOST_ROUNDS = 3;

const PLAIN = /^[\t\n\r -~]*$/;

/** Builds a view from characters, each with the part of another view that it comes from. */
function createView(of: TextView) {
  const places: Span[] = [];
  const parts: string[] = [];
  return {
    add: (characters: string, first: number, last: number) => {
      const place: Span = [of.place(first)[0], of.place(last)[1]];
      parts.push(characters);
      for (let index = 0; index < characters.length; index++) places.push(place);
    },
    done: (): TextView => ({ text: parts.join(""), place: (index) => places[index] ?? [0, 0] }),
  };
}

function normalized(view: TextView): TextView {
  const next = createView(view);
  let index = 0;
  for (const character of view.text) {
    next.add(plain(character), index, index + character.length - 1);
    index += character.length;
  }
  return next.done();
}

function plain(character: string): string {
  if (character <= "~") return character;
  const tag = (character.codePointAt(0) ?? 0) - FIRST_TAG;
  if (tag >= 0x20 && tag <= 0x7e) return String.fromCharCode(tag);
  return plainText(character);
}

function plainText(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(INVISIBLE, "")
    .replaceAll(HOMOGLYPH, (letter) => HOMOGLYPHS.get(letter) ?? letter);
}

const HOMOGLYPH = new RegExp(`[${[...HOMOGLYPHS.keys()].join("")}]`, "gu");

/** The invisible copies of ASCII. */
const FIRST_TAG = 0xe_00_00;
const TAG = /[\u{E0020}-\u{E007E}]/u;
/** Format and control characters, accents, and fillers that are letters. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{M}\u115F\u1160\u3164\uFFA0]/gu;

/** Each alternative is one character or one byte. The names of entities are separators, as are `\n` and its like. */
const ESCAPE =
  /%u([\da-f]{4})|\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|&#x([\da-f]{1,6});?|&#(\d{1,7});?|%([\da-f]{2})|\\x([\da-f]{2})|0x([\da-f]{2})(?![\da-f])|=([\da-f]{2})|\\([0-3][0-7]{2})|&[a-z]{2,8};|\\[a-z/]/i;
const ESCAPES = new RegExp(ESCAPE, "gi");

function unescaped(view: TextView): TextView {
  const next = createView(view);
  let end = 0;
  const bytes = { left: 0, code: 0, first: 0 };
  for (const match of view.text.matchAll(ESCAPES)) {
    const last = match.index + match[0].length - 1;
    for (; end < match.index; end++) next.add(view.text.charAt(end), end, end);
    end = last + 1;
    const { code, isByte } = codeOf(match);
    if (!isByte || code < 0x80) next.add(characterOf(code), match.index, last);
    else if (code >= 0xc0) {
      const length = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : 1;
      Object.assign(bytes, { left: length, code: code & (0x3f >> length), first: match.index });
    } else if (--bytes.left >= 0) {
      bytes.code = bytes.code * 64 + (code & 0x3f);
      if (bytes.left === 0) next.add(characterOf(bytes.code), bytes.first, last);
    }
  }
  for (; end < view.text.length; end++) next.add(view.text.charAt(end), end, end);
  return next.done();
}

function codeOf(match: RegExpExecArray): { readonly code: number; readonly isByte: boolean } {
  const [, urlUnit, unit, braced, hex, decimal, url, byte, number, quoted, octal] = match;
  const sixteen = urlUnit ?? unit ?? braced ?? hex;
  if (sixteen !== undefined) return { code: Number.parseInt(sixteen, 16), isByte: false };
  if (decimal !== undefined) return { code: Number(decimal), isByte: false };
  const bytes = url ?? byte ?? number ?? quoted;
  if (bytes !== undefined) return { code: Number.parseInt(bytes, 16), isByte: true };
  return { code: octal === undefined ? SPACE : Number.parseInt(octal, 8), isByte: true };
}

const SPACE = 0x20;

function characterOf(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : " ";
}
