import type { Window } from "../../time/window.ts";
import type { Family, Sample } from "../family.ts";

/**
 * The samples of one answer in little memory: what the answers of all keys have in common is stored once
 * (`Shape`), a label text and a window once for each block. A block never changes, so the same block renders
 * to the same lines.
 */
export interface Block {
  readonly shape: Shape;
  /** One number for each row of the shape. */
  readonly values: readonly number[];
  readonly labels: readonly string[];
  readonly windows: readonly Window[];
}

/** Which row belongs to which family, label text and window. */
export interface Shape {
  readonly families: readonly Family[];
  /** The index of each row's label text in `labels`. */
  readonly labelAt: readonly number[];
  /** The number of each row's window, counted from 1; 0 for none. */
  readonly windowAt: readonly number[];
  readonly rowsOf: ReadonlyMap<Family, readonly number[]>;
}

const EMPTY: Block = {
  shape: { families: [], labelAt: [], windowAt: [], rowsOf: new Map() },
  values: [],
  labels: [],
  windows: [],
};

/** Enough for the shapes of all keys. The bound is for answers whose rows differ each time. */
const MOST_REMEMBERED = 256;

/**
 * Packs samples into blocks and takes parts of them. Blocks with the same rows share a shape while it is
 * remembered.
 */
export function createPacking() {
  const shapes = new Map<string, Shape>();
  const windows = new Map<string, Window>();
  const numbers = new Map<Family, number>();
  const parts = new WeakMap<Block, Part>();

  function newBlock(samples: readonly Sample[], values: readonly number[]): Block {
    const labels = new Map<string, number>();
    const labelAt = samples.map(({ labels: text }) => numberOf(labels, text));
    const spans = new Map<string, number>([["", 0]]);
    const ownWindows: Window[] = [];
    let [latest, number]: [Window | undefined, number] = [undefined, 0];
    // Neighbours usually share a window.
    const windowAt = samples.map(({ window }) => {
      if (window === latest) return number;
      latest = window;
      const span = window ? `${window.startMs}-${window.endMs}` : "";
      if (window && !spans.has(span)) ownWindows.push(remembered(windows, span, () => window));
      number = numberOf(spans, span);
      return number;
    });
    const familyAt = samples.map(({ family }) => numberOf(numbers, family));
    const shape = remembered(shapes, [familyAt, labelAt, windowAt].join(";"), () => ({
      families: samples.map(({ family }) => family),
      labelAt,
      windowAt,
      rowsOf: rowsByFamily(samples),
    }));
    return { shape, values, labels: [...labels.keys()], windows: ownWindows };
  }

  /** Reuses what has not changed since the previous block of the same target. */
  function pack(samples: readonly Sample[], previous?: Block): Block {
    if (samples.length === 0) return EMPTY;
    const values = samples.map(({ value }) => value);
    return previous && isAlike(previous, samples) ? { ...previous, values } : newBlock(samples, values);
  }

  /**
   * The rows whose window is shown, and those without a window. The same part of the same block is the same
   * block again, so that it is not rendered again.
   */
  function only(block: Block, shows: (window: Window) => boolean): Block {
    // The usual case, for ten thousand blocks at each view: no list is made.
    if (block.windows.every(shows)) return block;
    const shown = block.windows.map(shows);
    const name = shown.join();
    const known = parts.get(block);
    if (known?.name === name) return known.block;
    const samples = unpack(block).filter((_, row) => shown[(block.shape.windowAt[row] ?? 0) - 1] ?? true);
    const part = { name, block: pack(samples) };
    parts.set(block, part);
    return part.block;
  }

  return {
    empty: EMPTY,
    pack,
    only,
    windows: (block: Block) => block.windows,
    size: (block: Block) => block.values.length,
  };
}

interface Part {
  /** Which of the windows are shown. */
  readonly name: string;
  readonly block: Block;
}

/** The samples that were packed. */
export function unpack({ shape, values, labels, windows }: Block): readonly Sample[] {
  return shape.families.map((family, row) => ({
    family,
    labels: labels[shape.labelAt[row] ?? 0] ?? "",
    value: values[row] ?? Number.NaN,
    window: windows[(shape.windowAt[row] ?? 0) - 1],
  }));
}

/** Whether the samples differ from those of the block in their values at most. */
function isAlike({ shape, labels, windows }: Block, samples: readonly Sample[]): boolean {
  if (shape.families.length !== samples.length) return false;
  return samples.every(({ family, labels: text, window }, row) => {
    const known = windows[(shape.windowAt[row] ?? 0) - 1];
    return (
      family === shape.families[row] &&
      text === labels[shape.labelAt[row] ?? 0] &&
      window?.startMs === known?.startMs &&
      window?.endMs === known?.endMs
    );
  });
}

function rowsByFamily(samples: readonly Sample[]): ReadonlyMap<Family, readonly number[]> {
  const rowsOf = new Map<Family, number[]>();
  for (const [row, { family }] of samples.entries()) {
    const rows = rowsOf.get(family);
    if (rows) rows.push(row);
    else rowsOf.set(family, [row]);
  }
  return rowsOf;
}

/** Numbers keys in the order in which they are first seen. */
function numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

function remembered<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= MOST_REMEMBERED) known.clear();
  const made = make();
  known.set(name, made);
  return made;
}
