import type { Block, Shape } from "./block.ts";
import type { Family } from "../family.ts";

/** Writes the lines of a family. They are the same in both formats. */
export interface Lines {
  /** Valid until the next call; copy the bytes to keep them. */
  of(family: Family, blocks: readonly Block[]): Buffer;
}

export function createLines(): Lines {
  const writer = createLineWriter();
  const pool = createLabelPool();
  let pooled: readonly Block[] = [];

  function write(family: Family, blocks: readonly Block[]): void {
    const prefix = prefixOf(`${family.name}{`);
    let [shape, rows]: [Shape | undefined, readonly number[] | undefined] = [undefined, undefined];
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index];
      // Most neighbouring blocks have the same shape.
      if (block && block.shape !== shape) {
        shape = block.shape;
        rows = shape.rowsOf.get(family);
      }
      if (!block || !rows) continue;
      for (const row of rows) {
        const text = pool.first(index) + (block.shape.labelAt[row] ?? 0);
        writer.line(prefix, pool.view, pool.start(text), pool.start(text + 1), block.values[row] ?? 0);
      }
    }
  }

  return {
    of: (family, blocks) => {
      if (blocks !== pooled) pool.fill(blocks);
      pooled = blocks;
      write(family, blocks);
      return writer.take();
    },
  };
}

/** The families whose lines differ between two lists of blocks of the same targets. */
export function changedFamilies(before: readonly Block[], after: readonly Block[]): ReadonlySet<Family> {
  const changed = new Set<Family>();
  // Rows are marked first and mapped to families at the end: a set operation for each value would take as
  // long as rendering.
  const marks = new Map<Shape, boolean[]>();
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [old, next] = [before[index], after[index]];
    if (old === next) continue;
    if (old && next && hasSameRows(old, next))
      markChanges(old.values, next.values, marksOf(next.shape, marks));
    else
      for (const block of [old, next])
        for (const family of block?.shape.rowsOf.keys() ?? []) changed.add(family);
  }
  for (const [{ families }, rows] of marks) {
    for (const [row, family] of families.entries()) if (rows[row]) changed.add(family);
  }
  return changed;
}

function markChanges(old: readonly number[], next: readonly number[], rows: boolean[]): void {
  for (let row = 0; row < next.length; row++) if (old[row] !== next[row]) rows[row] = true;
}

function marksOf(shape: Shape, marks: Map<Shape, boolean[]>): boolean[] {
  const known = marks.get(shape) ?? shape.families.map(() => false);
  marks.set(shape, known);
  return known;
}

function hasSameRows(one: Block, other: Block): boolean {
  if (one.shape !== other.shape) return false;
  return one.labels === other.labels || one.labels.every((text, index) => text === other.labels[index]);
}

/** A text as words of four bytes. */
interface Prefix {
  readonly words: Int32Array;
  /** In bytes. */
  readonly length: number;
}

function prefixOf(text: string): Prefix {
  const length = Buffer.byteLength(text);
  const words = new Int32Array(Math.ceil(length / WORD));
  Buffer.from(words.buffer).write(text);
  return { words, length };
}

const WORD = 4;
/** `-2.2250738585072014e-308` */
const LONGEST_NUMBER = 24;
/** A number, a line end, and the bytes that a copy in units of four writes beyond its end. */
const LINE_SLACK = LONGEST_NUMBER + 1 + WORD;
const NEWLINE = 0x0a;

/**
 * Writes lines of the exposition into memory that is reused: three times as fast as concatenating strings
 * (docs/performance.md).
 */
function createLineWriter() {
  let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  let view = viewOf(bytes);
  let length = 0;

  /** Appends the prefix, the bytes of `labels` from `start` to `end`, the value and a line end. */
  function line(prefix: Prefix, labels: DataView, start: number, end: number, value: number): void {
    const { words } = prefix;
    const needed = length + prefix.length + (end - start) + LINE_SLACK;
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
    /** The lines written so far, not copied: valid until the next line is written. */
    take: () => {
      const taken = bytes.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}

const LITTLE_ENDIAN = new Uint8Array(new Int32Array([1]).buffer)[0] === 1;

const FIRST_SIZE = 64 * 1024;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const WIDEST_UNIT = 3;
const [CLOSE, SPACE] = [0x7d, 0x20];
/** The two bytes after a text, and the bytes that a copy in units of four reads beyond its end. */
const TEXT_SLACK = 8;

/**
 * The label texts of some blocks as bytes, each with the end of the labels of a line. All families of a key
 * share them, so a text is encoded once and copied for each family.
 */
function createLabelPool() {
  let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  let view = viewOf(bytes);
  let starts: number[] = [];
  let firsts: number[] = [];

  function append(text: string, start: number): number {
    const needed = start + text.length * WIDEST_UNIT + TEXT_SLACK;
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
    /** Replaces the contents by the texts of these blocks. */
    fill: (blocks: readonly Block[]) => {
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
    /** The number of the first text of a block; its other texts follow. */
    first: (block: number) => firsts[block] ?? 0,
    /** Where a text starts in `view`; it ends where the next one starts. */
    start: (text: number) => starts[text] ?? 0,
    get view() {
      return view;
    },
  };
}

/** A copy of at least twice the size. */
function enlarged(bytes: Buffer, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Writes a finite number as `String(value)` does, and returns where it ends. Numbers of up to 15 digits are
 * written without `String`: two different decimals of 15 digits are never the same double, so if `scaled /
 * scale` is the value, the digits of `scaled` are its shortest form.
 */
export function writeNumber(bytes: Buffer, start: number, value: number): number {
  const size = Math.abs(value);
  const whole = Math.floor(size);
  const decimals = size < SIX_DECIMALS_BELOW ? 6 : 3;
  const scale = decimals === 6 ? 1e6 : 1e3;
  const scaled = whole === size ? 0 : Math.round(size * scale);
  const isShort = size < THREE_DECIMALS_BELOW && (whole === size || scaled / scale === size);
  if (!isShort) return start + bytes.write(String(value), start, "latin1");
  let at = start;
  if (value < 0) bytes[at++] = MINUS;
  if (whole === size) return writeDigits(bytes, at, whole, digitsOf(whole));
  const integer = Math.floor(scaled / scale);
  at = writeDigits(bytes, at, integer, digitsOf(integer));
  bytes[at++] = POINT;
  at = writeDigits(bytes, at, scaled - integer * scale, decimals);
  while (bytes[at - 1] === ZERO) at--;
  return at;
}

/** Below these bounds, a number with that many decimals has at most 15 digits. */
const [SIX_DECIMALS_BELOW, THREE_DECIMALS_BELOW] = [1e9, 1e12];
const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30];
const BILLION = 1e9;

/** The number of digits of a whole number below 1e12. */
function digitsOf(whole: number): number {
  let digits = 1;
  for (let limit = 10; whole >= limit; limit *= 10) digits++;
  return digits;
}

function writeDigits(bytes: Buffer, start: number, whole: number, digits: number): number {
  if (whole >= BILLION) {
    const upper = Math.floor(whole / BILLION);
    const at = writeDigits(bytes, start, upper, digits - 9);
    return writeDigits(bytes, at, whole - upper * BILLION, 9);
  }
  // `| 0` lets V8 use integer arithmetic, which saves a third of the time of all lines. The number is below 2^31.
  let rest = whole | 0;
  for (let at = start + digits - 1; at >= start; at--) {
    const next = (rest / 10) | 0;
    bytes[at] = ZERO + (rest - next * 10);
    rest = next;
  }
  return start + digits;
}
