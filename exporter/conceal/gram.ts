/** 1 to 36 for an ASCII letter, ignoring case, or a digit; 0 for everything else, which only separates. */
export function foldedCode(code: number): number {
  return FOLDED[code] ?? 0;
}

const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z\d]/i.test(character) ? Number.parseInt(character, 36) + 1 : 0;
});

/** Those of a text that are not 0. */
export function foldedCodes(text: string): Uint8Array {
  const codes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = foldedCode(text.charCodeAt(at));
    if (code > 0) codes[length++] = code;
  }
  return codes.subarray(0, length);
}

/** Characters of a group. */
export const GRAM = 6;
const BITS = 5;
const GRAM_MASK = 2 ** (BITS * GRAM) - 1;

/**
 * A group of characters as a number, after one more character. A few pairs of characters look the same: the
 * secret decides.
 */
export function nextGram(gram: number, code: number): number {
  return ((gram << BITS) | (code & 0x1f)) & GRAM_MASK;
}

/** The same for a group that is read backward. */
export function nextGramBackward(gram: number, code: number): number {
  return (gram >> BITS) | ((code & 0x1f) << (BITS * (GRAM - 1)));
}

/** The group that begins at a position. */
export function gramAt(codes: Uint8Array, at: number): number {
  return codes.subarray(at, at + GRAM).reduce(nextGram, 0);
}
