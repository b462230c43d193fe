import type { Window } from "../../time/window.ts";
import type { Family, Sample } from "../family.ts";

/**
 * The samples of one answer, packed: what all keys have in common is held once (`Shape`), a label text and a window
 * once for each block. A block never changes, so the same block means the same lines.
 */
export interface Block {
  readonly shape: Shape;
  /** One number for each row of the shape. */
  readonly values: readonly number[];
  readonly labels: readonly string[];
  /** The first place is for what has no window. */
  readonly windows: readonly [undefined, ...(readonly Window[])];
}

/** Which row belongs to which family, label text and window. */
export interface Shape {
  readonly families: readonly Family[];
  /** For each row its place in `labels`. */
  readonly labelAt: readonly number[];
  /** For each row its place in `windows`. */
  readonly windowAt: readonly number[];
  readonly rowsOf: ReadonlyMap<Family, readonly number[]>;
}

export const EMPTY: Block = {
  shape: { families: [], labelAt: [], windowAt: [], rowsOf: new Map() },
  values: [],
  labels: [],
  windows: [undefined],
};

/** Makes blocks of samples. What has the same rows has the same shape, as far as is remembered. */
export interface Packer {
  /** Takes over from the previous block of the same target what has not changed. */
  pack(samples: readonly Sample[], previous?: Block): Block;
}

/** Enough for all that keys show; answers whose rows differ each time must not fill the memory. */
const MOST_REMEMBERED = 256;

export function createPacker(): Packer {
  const shapes = new Map<string, Shape>();
  const windows = new Map<string, Window>();
  const numbers = new Map<Family, number>();

  function newBlock(samples: readonly Sample[], values: readonly number[]): Block {
    const labels = new Map<string, number>();
    const spans = new Map<string, number>([["", 0]]);
    const ends: Window[] = [];
    const rows = samples.map(({ family, labels: text, window }) => {
      const span = window ? `${window.startMs}-${window.endMs}` : "";
      if (window && !spans.has(span)) ends.push(remembered(windows, span, () => window));
      return [placeOf(numbers, family), placeOf(labels, text), placeOf(spans, span)] as const;
    });
    const shape = remembered(shapes, rows.join(";"), () => ({
      families: samples.map(({ family }) => family),
      labelAt: rows.map(([, label]) => label),
      windowAt: rows.map(([, , window]) => window),
      rowsOf: rowsByFamily(samples),
    }));
    return { shape, values, labels: [...labels.keys()], windows: [undefined, ...ends] };
  }

  return {
    pack: (samples, previous) => {
      if (samples.length === 0) return EMPTY;
      const values = samples.map(({ value }) => value);
      return previous && isAlike(previous, samples) ? { ...previous, values } : newBlock(samples, values);
    },
  };
}

/** The samples of a block, as they were. */
export function unpack({ shape, values, labels, windows }: Block): readonly Sample[] {
  return shape.families.map((family, row) => ({
    family,
    labels: labels[shape.labelAt[row] ?? 0] ?? "",
    value: values[row] ?? Number.NaN,
    window: windows[shape.windowAt[row] ?? 0],
  }));
}

/** Whether the samples differ from those of the block in nothing but their values. */
function isAlike({ shape, labels, windows }: Block, samples: readonly Sample[]): boolean {
  if (shape.families.length !== samples.length) return false;
  return samples.every(({ family, labels: text, window }, row) => {
    const known = windows[shape.windowAt[row] ?? 0];
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

function placeOf<Key>(places: Map<Key, number>, key: Key): number {
  const place = places.get(key) ?? places.size;
  places.set(key, place);
  return place;
}

function remembered<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= MOST_REMEMBERED) known.clear();
  const made = make();
  known.set(name, made);
  return made;
}
