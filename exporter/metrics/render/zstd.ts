import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync } from "node:zlib";

/** The fastest level; the result is smaller than that of gzip. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Compresses off the event loop. Frames in a row are one compressed text (RFC 8878, 3). */
export const zstdFrame: (text: Buffer) => Promise<Buffer> = (text) => compress(text, FASTEST);
const compress = promisify<Buffer, object, Buffer>(zstdCompress);

/** Compresses at once, for texts of a few kilobytes. */
export function zstdFrameNow(text: Buffer): Buffer {
  return zstdCompressSync(text, FASTEST);
}
