import { enlarged, viewOf } from "./label-pool.ts";
import { LONGEST_NUMBER, writeNumber } from "./number-text.ts";

/**
 * Writes lines of the exposition into memory that is reused: three times as fast as concatenating strings
 * (docs/performance.md).
 */
export interface LineWriter {
  /** Appends the prefix, the bytes of `labels` from `start` to `end`, the value and a line end. */
  line(prefix: Prefix, labels: DataView, start: number, end: number, value: number): void;
  /** The lines written so far, not copied: valid until the next line is written. */
  take(): Buffer;
}

/** A text as words of four bytes. */
export interface Prefix {
  readonly words: Int32Array;
  /** In bytes. */
  readonly length: number;
}

export function prefixOf(text: string): Prefix {
  const length = Buffer.byteLength(text);
  const words = new Int32Array(Math.ceil(length / WORD));
  Buffer.from(words.buffer).write(text);
  return { words, length };
}

const WORD = 4;
const FIRST_SIZE = 128 * 1024;
/** A number, a line end, and the bytes that a copy in units of four writes beyond its end. */
const SLACK = LONGEST_NUMBER + 1 + WORD;
const NEWLINE = 0x0a;

export function createLineWriter(): LineWriter {
  let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  let view = viewOf(bytes);
  let length = 0;

  function line(prefix: Prefix, labels: DataView, start: number, end: number, value: number): void {
    const { words } = prefix;
    const needed = length + prefix.length + (end - start) + SLACK;
    if (needed > bytes.length) {
      bytes = enlarged(bytes, needed);
      view = viewOf(bytes);
    }
    // Copies four bytes at a time, up to three too many, which the next part overwrites. Both sides use the machine's
    // byte order.
    for (let word = 0; word < words.length; word++) {
      view.setInt32(length + word * WORD, words[word] ?? 0, LITTLE_ENDIAN);
    }
    const offset = length + prefix.length - start;
    for (let at = start; at < end; at += WORD) {
      view.setInt32(at + offset, labels.getInt32(at, LITTLE_ENDIAN), LITTLE_ENDIAN);
    }
    const numberEnd = writeNumber(bytes, end + offset, value);
    bytes[numberEnd] = NEWLINE;
    length = numberEnd + 1;
  }

  return {
    line,
    take: () => {
      const taken = bytes.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}

const LITTLE_ENDIAN = new Uint8Array(new Int32Array([1]).buffer)[0] === 1;
