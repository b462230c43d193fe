import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { combinedCrc } from "./crc.ts";

/** A text and its compressed form, left open at its end: such pieces, one after another, are one compressed text. */
export interface Deflated {
  readonly text: Buffer;
  readonly deflated: Buffer;
  readonly crc: number;
}

export type Deflate = (text: Buffer) => Promise<Deflated>;

/** Level 3 gives nine tenths of what the default does, in two fifths of its time. */
const LEVEL = 3;
const OPEN = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH };
const deflateOpen = promisify<Buffer, object, Buffer>(deflateRaw);

/** Off the event loop. */
export async function deflate(text: Buffer): Promise<Deflated> {
  return { text, deflated: await deflateOpen(text, OPEN), crc: crc32(text) };
}

interface Measured {
  readonly crc: number;
  readonly length: number;
}

/** Checksum and length of a text with one more piece behind it. */
export function append({ crc, length }: Measured, piece: Deflated): Measured {
  const added = piece.text.length;
  return { crc: combinedCrc(crc, piece.crc, added), length: length + added };
}

/** Magic, deflate, no flags, no time, no extra flags, unknown system. */
export const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/**
 * One gzip member (RFC 1952) of what lies ready with `tail` behind it, of which only `tail` is compressed now. A second
 * member would be simpler, but not every client reads on after the first.
 */
export function gzipWithTail(ready: Measured & { readonly gzip: Buffer }, tail: Buffer): readonly Buffer[] {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(tail, ready.crc), 0);
  trailer.writeUInt32LE((ready.length + tail.length) % 2 ** 32, 4);
  return [ready.gzip, deflateRawSync(tail, { level: LEVEL }), trailer];
}
