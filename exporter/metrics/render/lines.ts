import type { Block, Shape } from "./block.ts";
import type { Family } from "../family.ts";
import { createLabelPool } from "./label-pool.ts";
import { createLineWriter, prefixOf } from "./line-writer.ts";

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
