import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync, inflateRaw } from "node:zlib";

/**
 * A compressed text without an end, so that pieces can be joined into one compressed text. The text itself is not
 * kept, because it is eight times as large and most scrapers request gzip.
 */
export interface Piece {
  readonly deflated: Buffer;
  /** Bytes of the text. */
  readonly length: number;
  readonly crc: number;
  /** The effect of a piece of this length on the checksum of the preceding text. */
  readonly crcShift: number;
}

export type Deflate = (text: Buffer) => Promise<Piece>;

/** Level 3 removes nine tenths of the bytes that the default level removes, and takes two fifths of the time. */
const LEVEL = 3;
const OPEN = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH };
const deflateOpen = promisify<Buffer, object, Buffer>(deflateRaw);
const inflateOpen = promisify<Buffer, object, Buffer>(inflateRaw);

/** A text of this size is compressed in the time that handing it to a thread and back takes. */
const SMALL_BYTES = 8192;

/** Compresses off the event loop, except for a small text. */
export async function deflate(text: Buffer): Promise<Piece> {
  const { length } = text;
  if (length <= SMALL_BYTES) return deflateNow(text);
  const deflated = await deflateOpen(text, OPEN);
  return { deflated, length, crc: crc32(text), crcShift: crcShift(length) };
}

/** Compresses at once, for texts of a few kilobytes. */
export function deflateNow(text: Buffer): Piece {
  const { length } = text;
  return { deflated: deflateRawSync(text, OPEN), length, crc: crc32(text), crcShift: crcShift(length) };
}

/** Returns the text of adjacent pieces, decompressed off the event loop. */
export function inflate(pieces: readonly Piece[]): Promise<Buffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return inflateOpen(Buffer.concat(pieces.map(({ deflated }) => deflated)), {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: Math.max(length, constants.Z_MIN_CHUNK),
  });
}

/** A gzip member that lacks only its end. */
export interface OpenMember {
  readonly gzip: Buffer;
  readonly length: number;
  readonly crc: number;
}

export function openMember(pieces: readonly Piece[]): OpenMember {
  return {
    gzip: Buffer.concat([HEADER, ...pieces.map(({ deflated }) => deflated)]),
    length: pieces.reduce((sum, { length }) => sum + length, 0),
    crc: pieces.reduce((before, piece) => combinedCrc(before, piece.crc, piece.crcShift), 0),
  };
}

/**
 * One gzip member (RFC 1952) of an open member, a piece and `tail`. Only `tail` is compressed now. A second
 * member would be simpler, but some clients stop reading after the first.
 */
export function gzipWithTail(ready: OpenMember, piece: Piece, tail: Buffer): readonly Buffer[] {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(tail, combinedCrc(ready.crc, piece.crc, piece.crcShift)), 0);
  trailer.writeUInt32LE((ready.length + piece.length + tail.length) % 2 ** 32, 4);
  // Two buffers, because each one costs a write.
  return [ready.gzip, Buffer.concat([piece.deflated, deflateRawSync(tail, { level: LEVEL }), trailer])];
}

/** Magic, deflate, no flags, no time, no extra flags, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/**
 * The CRC-32 (IEEE 802.3) of two texts in a row, from the CRC of each: the first is multiplied by x to the
 * power of the bits of the second, modulo the polynomial, as in crc32_combine of zlib.
 */
function combinedCrc(first: number, second: number, shiftOfSecond: number): number {
  return (product(shiftOfSecond, first) ^ second) >>> 0;
}

/** Bits are reflected: the highest is the coefficient of x to the 0. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** x to the power of the number of bits in `bytes` bytes. */
export function crcShift(bytes: number): number {
  let [result, square] = [ONE, ONE >>> 1];
  for (let rest = bytes * 8; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = product(square, result);
    square = product(square, square);
  }
  return result;
}

function product(one: number, other: number): number {
  if (one === 0 || other === 0) return 0;
  let [rest, sum] = [other, 0];
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (one & bit) sum ^= rest;
    rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  }
  return sum;
}
