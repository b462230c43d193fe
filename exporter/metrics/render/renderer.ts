import type { Block } from "./block.ts";
import { type FamilyHeader, type Format, headerText } from "./exposition.ts";
import type { Family } from "../family.ts";
import { type Deflate, gzipWithTail, inflate, openMember, type OpenMember, type Piece } from "./gzip.ts";
import { zstdFrame } from "./zstd.ts";
import { changedFamilies, createLines } from "./lines.ts";

/** Renders what has changed since the last rendering. */
export interface Renderer {
  /** One document for each format. Calls must not overlap. */
  render(
    headers: readonly FamilyHeader[],
    blocks: readonly Block[],
    formats: ReadonlySet<Format>,
  ): Promise<ReadonlyMap<Format, Document>>;
}

/**
 * Number of blocks that are rendered together. A key has two, so a slice is some 1000 lines of a family: 0.2 ms of
 * work. Much smaller slices compress worse.
 */
export const GROUP_BLOCKS = 2048;

/**
 * Number of slices that are compressed at once. Each wait takes a turn of the event loop, which is long under a flood
 * of requests; all at once would occupy the threads of the pool and need more memory.
 */
const SLICES_AT_ONCE = 8;

/** The lines of neighbouring blocks, by family. */
interface Group {
  readonly blocks: readonly Block[];
  readonly lines: ReadonlyMap<Family, Piece>;
}

const NO_GROUP: Group = { blocks: [], lines: new Map() };

/** The event loop is free while `deflate` compresses slices. */
export function createRenderer(deflate: Deflate): Renderer {
  const lines = createLines();
  let groups: readonly Group[] = [];

  async function renderGroup(blocks: readonly Block[], before: Group): Promise<Group> {
    const rendered = new Map(before.lines);
    const changed = [...changedFamilies(before.blocks, blocks)];
    for (let start = 0; start < changed.length; start += SLICES_AT_ONCE) {
      const slices = changed.slice(start, start + SLICES_AT_ONCE).map(async (family) => {
        // A copy, because the next call overwrites the text.
        const text = Buffer.from(lines.of(family, blocks));
        if (text.length === 0) rendered.delete(family);
        else rendered.set(family, await deflate(text));
      });
      await Promise.all(slices);
    }
    return { blocks, lines: rendered };
  }

  return {
    render: async (headers, blocks, formats) => {
      const next: Group[] = [];
      for (let start = 0; start < blocks.length; start += GROUP_BLOCKS) {
        const before = groups[next.length] ?? NO_GROUP;
        next.push(await renderGroup(blocks.slice(start, start + GROUP_BLOCKS), before));
      }
      groups = next;
      const linesOf = (family: Family) => groups.flatMap((group) => group.lines.get(family) ?? []);
      const documents = new Map<Format, Document>();
      for (const format of formats) documents.set(format, await compose(headers, format, linesOf, deflate));
      return documents;
    },
  };
}

/** The whole text in one format, ready to be sent. The sender appends its own part. */
export interface Document extends OpenMember {
  /** Uncompressed; made on first use. */
  text(): Promise<readonly Buffer[]>;
  /** Compressed, with a piece and a text appended. */
  gzipWith(piece: Piece, tail: Buffer): readonly Buffer[];
  /** Frames of zstd, to which the sender appends its own; made on first use. */
  zstd(): Promise<Buffer>;
}

/** Puts each header before the lines of its family, and leaves out families without lines. */
export async function compose(
  headers: readonly FamilyHeader[],
  format: Format,
  linesOf: (family: Family) => readonly Piece[],
  deflate: Deflate,
): Promise<Document> {
  const pieces: Piece[] = [];
  for (const header of headers) {
    const lines = linesOf(header.family);
    if (lines.length > 0) pieces.push(await headerPiece(header, format, deflate), ...lines);
  }
  let text: Promise<readonly Buffer[]> | undefined;
  let zstd: Promise<Buffer> | undefined;
  const member = openMember(pieces);
  return {
    ...member,
    text: () => (text ??= batches(pieces, async (batch) => batch)),
    gzipWith: (piece, tail) => gzipWithTail(member, piece, tail),
    zstd: () => (zstd ??= batches(pieces, zstdFrame).then((frames) => Buffer.concat(frames))),
  };
}

/**
 * Some milliseconds of a thread's work. Inflating each piece separately would take hundreds of iterations of the
 * event loop.
 */
const BATCH_BYTES = 1 << 20;

/** One batch after another, because all at once would occupy every thread of the pool. */
async function batches(
  pieces: readonly Piece[],
  convert: (text: Buffer) => Promise<Buffer>,
): Promise<Buffer[]> {
  const converted: Buffer[] = [];
  for (let start = 0, end = 0; start < pieces.length; start = end) {
    let bytes = 0;
    while (end < pieces.length && bytes < BATCH_BYTES) bytes += pieces[end++]?.length ?? 0;
    converted.push(await convert(await inflate(pieces.slice(start, end))));
  }
  return converted;
}

/** Headers change only with the configuration. */
const headerPieces = new WeakMap<FamilyHeader, Partial<Record<Format, Piece>>>();

async function headerPiece(header: FamilyHeader, format: Format, deflate: Deflate): Promise<Piece> {
  const known = headerPieces.get(header) ?? {};
  const ready = known[format];
  if (ready) return ready;
  const piece = await deflate(Buffer.from(headerText(header, format)));
  headerPieces.set(header, { ...known, [format]: piece });
  return piece;
}
