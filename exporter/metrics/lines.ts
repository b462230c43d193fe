import type { Block } from "./block.ts";
import type { Family } from "./family.ts";
import { createLineWriter } from "./line-writer.ts";

/** Writes the lines of one family, as both formats have them. */
export interface Lines {
  of(family: Family, blocks: readonly Block[]): Buffer;
}

export function createLines(): Lines {
  const writer = createLineWriter();
  return {
    of: (family, blocks) => {
      const prefix = Buffer.from(`${family.name}{`);
      let [shape, rows]: [Block["shape"] | undefined, readonly number[] | undefined] = [undefined, undefined];
      for (const block of blocks) {
        // Most neighbours have the same shape.
        if (block.shape !== shape) {
          shape = block.shape;
          rows = shape.rowsOf.get(family);
        }
        if (!rows) continue;
        for (const row of rows) {
          const label = block.labels[block.shape.labelAt[row] ?? 0] ?? "";
          writer.line(prefix, label, block.values[row] ?? 0);
        }
      }
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
      for (const family of [...(old?.shape.families ?? []), ...(next?.shape.families ?? [])])
        changed.add(family);
    }
  }
  return changed;
}

function hasSameRows(one: Block, other: Block): boolean {
  if (one.shape !== other.shape) return false;
  return one.labels === other.labels || one.labels.every((text, index) => text === other.labels[index]);
}
