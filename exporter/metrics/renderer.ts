import { type Block } from "./block.ts";
import { compose, type Document } from "./document.ts";
import type { FamilyHeader, Format } from "./exposition.ts";
import type { Family } from "./family.ts";
import type { Deflate, Deflated } from "./gzip.ts";
import { changedFamilies, createLines } from "./lines.ts";

/** What a scrape copies: the whole text in each format, ready and compressed. */
export type Snapshot = Readonly<Record<Format, Document>>;

/** Renders what has changed since it rendered last. */
export interface Renderer {
  /** One call at a time. */
  render(headers: readonly FamilyHeader[], blocks: readonly Block[]): Promise<Snapshot>;
}

/**
 * Blocks whose lines of one family are rendered in one slice and compressed together: some 1000 lines take 0.2 ms, and
 * much fewer compress worse.
 */
export const GROUP_BLOCKS = 2048;

/** The lines of the families of some neighbouring blocks. */
interface Group {
  readonly blocks: readonly Block[];
  readonly lines: ReadonlyMap<Family, Deflated>;
}

/** Between two slices `deflate` gives way to whatever else waits for the event loop. */
export function createRenderer(deflate: Deflate): Renderer {
  const lines = createLines();
  let groups: readonly Group[] = [];

  async function renderGroup(blocks: readonly Block[], before: Group = NO_GROUP): Promise<Group> {
    const rendered = new Map(before.lines);
    for (const family of changedFamilies(before.blocks, blocks)) {
      const text = lines.of(family, blocks);
      if (text.length === 0) rendered.delete(family);
      else if (!rendered.get(family)?.text.equals(text)) rendered.set(family, await deflate(text));
    }
    return { blocks, lines: rendered };
  }

  return {
    render: async (headers, blocks) => {
      const next: Group[] = [];
      for (let start = 0; start < blocks.length; start += GROUP_BLOCKS) {
        next.push(await renderGroup(blocks.slice(start, start + GROUP_BLOCKS), groups[next.length]));
      }
      groups = next;
      const linesOf = (family: Family) => groups.flatMap((group) => group.lines.get(family) ?? []);
      return {
        text: await compose(headers, "text", linesOf, deflate),
        openmetrics: await compose(headers, "openmetrics", linesOf, deflate),
      };
    },
  };
}

const NO_GROUP: Group = { blocks: [], lines: new Map() };
