import type { Block } from "./block.ts";

/**
 * The label texts of some blocks as bytes, each with the end of the labels of a line. All families of a key
 * share them, so a text is encoded once and copied for each family.
 */
export interface LabelPool {
  /** Replaces the contents by the texts of these blocks. */
  fill(blocks: readonly Block[]): void;
  /** The number of the first text of a block; its other texts follow. */
  first(block: number): number;
  /** Where a text starts in `view`; it ends where the next one starts. */
  start(text: number): number;
  readonly view: DataView;
}

const FIRST_SIZE = 64 * 1024;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const WIDEST_UNIT = 3;
const [CLOSE, SPACE] = [0x7d, 0x20];
/** The two bytes after a text, and the bytes that a copy in units of four reads beyond its end. */
const SLACK = 8;

export function createLabelPool(): LabelPool {
  let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  let view = viewOf(bytes);
  let starts: number[] = [];
  let firsts: number[] = [];

  function append(text: string, start: number): number {
    const needed = start + text.length * WIDEST_UNIT + SLACK;
    if (needed > bytes.length) {
      bytes = enlarged(bytes, needed);
      view = viewOf(bytes);
    }
    const end = start + bytes.write(text, start, "utf8");
    bytes[end] = CLOSE;
    bytes[end + 1] = SPACE;
    return end + 2;
  }

  return {
    fill: (blocks) => {
      [starts, firsts] = [[], []];
      let at = 0;
      for (const { labels } of blocks) {
        firsts.push(starts.length);
        for (const text of labels) {
          starts.push(at);
          at = append(text, at);
        }
      }
      starts.push(at);
    },
    first: (block) => firsts[block] ?? 0,
    start: (text) => starts[text] ?? 0,
    get view() {
      return view;
    },
  };
}

/** A copy of at least twice the size. */
export function enlarged(bytes: Buffer, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}

export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
