import type { Block } from "./block.ts";
import type { Family } from "./family.ts";
import { createLabelPool } from "./label-pool.ts";
import { createLineWriter, prefixOf } from "./line-writer.ts";

/** Writes the lines of one family after another, as both formats have them. */
export interface Lines {
  of(family: Family, blocks: readonly Block[]): Buffer;
}

export function createLines(): Lines {
  const writer = createLineWriter();
  const pool = createLabelPool();
  let pooled: readonly Block[] = [];

  function write(family: Family, blocks: readonly Block[]): void {
    const prefix = prefixOf(`${family.name}{`);
    let [shape, rows]: [Block["shape"] | undefined, readonly number[] | undefined] = [undefined, undefined];
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index];
      // Most neighbours have the same shape.
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

/** The families whose lines differ between two runs of blocks of the same targets. */
export function changedFamilies(before: readonly Block[], after: readonly Block[]): ReadonlySet<Family> {
  const changed = new Set<Family>();
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [old, next] = [before[index], after[index]];
    if (old === next) continue;
    if (old && next && hasSameRows(old, next)) {
      for (let row = 0; row < next.values.length; row++) {
        const family = next.shape.families[row];
        if (family && old.values[row] !== next.values[row]) changed.add(family);
      }
    } else {
      for (const block of [old, next])
        for (const family of block?.shape.rowsOf.keys() ?? []) changed.add(family);
    }
  }
  return changed;
}

function hasSameRows(one: Block, other: Block): boolean {
  if (one.shape !== other.shape) return false;
  return one.labels === other.labels || one.labels.every((text, index) => text === other.labels[index]);
}
