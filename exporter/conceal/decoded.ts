import type { TextView } from "./view.ts";

/**
 * Decodes all characters of each alphabet as one stream, at each of its possible beginnings: an encoded fragment
 * appears in one of them wherever it begins, and even if white space or quotes divide it.
 */
export function* decodingsOf(text: string): Generator<TextView> {
  for (const { digits, bits, phases } of ALPHABETS) {
    const values = new Uint8Array(text.length);
    const places = new Uint32Array(text.length);
    let length = 0;
    for (let at = 0; at < text.length; at++) {
      const value = digits[text.charCodeAt(at)] ?? NONE;
      if (value === NONE) continue;
      values[length] = value;
      places[length++] = at;
    }
    for (let phase = 0; phase < phases && (length - phase) * bits >= SHORTEST_BITS; phase++) {
      const placeOf = (bit: number) => places[phase + Math.floor(bit / bits)] ?? 0;
      yield {
        text: bytesOf(values.subarray(phase, length), bits).toString("latin1"),
        place: (index) => [placeOf(8 * index), placeOf(8 * index + 7)],
      };
    }
  }
}

/** Fewer bytes contain no fragment. */
const SHORTEST_BITS = 5 * 8;

/** The value of a character that is no digit of an alphabet. */
export const NONE = 255;

/** The values of characters as digits of base64, in both of its alphabets, and of hexadecimal numbers. */
export const BASE64 = digitsOf(/[A-Z]/, /[a-z]/, /\d/, /[+-]/, /[/_]/);
export const HEXADECIMAL = hexadecimal();

const ALPHABETS = [
  { digits: BASE64, bits: 6, phases: 4 },
  { digits: HEXADECIMAL, bits: 4, phases: 2 },
];

function bytesOf(values: Uint8Array, bits: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor((values.length * bits) / 8));
  let [rest, count, length] = [0, 0, 0];
  for (const value of values) {
    rest = (rest << bits) | value;
    count += bits;
    if (count < 8) continue;
    count -= 8;
    bytes[length++] = rest >> count;
    rest &= (1 << count) - 1;
  }
  return bytes;
}

function digitsOf(...ranges: readonly RegExp[]): Uint8Array {
  const digits = new Uint8Array(128).fill(NONE);
  let value = 0;
  for (const range of ranges) {
    const codes = Array.from(digits.keys()).filter((code) => range.test(String.fromCharCode(code)));
    // The two alphabets of base64 differ in the last two digits.
    const isPair = codes.length === 2;
    for (const code of codes) digits[code] = isPair ? value : value++;
    if (isPair) value++;
  }
  return digits;
}

function hexadecimal(): Uint8Array {
  const digits = new Uint8Array(128).fill(NONE);
  for (const [value, digit] of Array.from("0123456789abcdef").entries()) {
    digits[digit.charCodeAt(0)] = value;
    digits[digit.toUpperCase().charCodeAt(0)] = value;
  }
  return digits;
}
