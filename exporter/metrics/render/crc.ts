/**
 * The CRC-32 (IEEE 802.3) of two texts one after another, from those of each: the first is multiplied by x to the
 * number of bits of the second, modulo the polynomial, as crc32_combine of zlib does.
 */
export function combinedCrc(first: number, second: number, shiftOfSecond: number): number {
  return (product(shiftOfSecond, first) ^ second) >>> 0;
}

/** Bits are reflected: the highest is the coefficient of x to the 0. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** x to the number of bits of so many bytes. */
export function crcShift(bytes: number): number {
  let [result, square] = [ONE, ONE >>> 1];
  for (let rest = bytes * 8; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = product(square, result);
    square = product(square, square);
  }
  return result;
}

function product(one: number, other: number): number {
  let [rest, sum] = [other, 0];
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (one & bit) sum ^= rest;
    rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  }
  return sum;
}
