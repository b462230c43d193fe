import { type FamilyHeader, type Format, headerText } from "./exposition.ts";
import type { Family } from "../family.ts";
import { type Deflate, gzipWithTail, inflate, openMember, type OpenMember, type Piece } from "./gzip.ts";

/** The whole text in one format, ready to be sent. The sender appends its own part. */
export interface Document extends OpenMember {
  /** Uncompressed; made on first use. */
  text(): Promise<readonly Buffer[]>;
  /** Compressed, with a piece and a text appended. */
  gzipWith(piece: Piece, tail: Buffer): readonly Buffer[];
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
  const member = openMember(pieces);
  return {
    ...member,
    text: () => (text ??= inflated(pieces)),
    gzipWith: (piece, tail) => gzipWithTail(member, piece, tail),
  };
}

/**
 * Some milliseconds of a thread's work. Inflating each piece separately would take hundreds of iterations of the
 * event loop.
 */
const BATCH_BYTES = 1 << 20;

/** One batch after another, because all at once would occupy every thread of the pool. */
async function inflated(pieces: readonly Piece[]): Promise<readonly Buffer[]> {
  const texts: Buffer[] = [];
  for (let start = 0, end = 0; start < pieces.length; start = end) {
    let bytes = 0;
    while (end < pieces.length && bytes < BATCH_BYTES) bytes += pieces[end++]?.length ?? 0;
    texts.push(await inflate(pieces.slice(start, end)));
  }
  return texts;
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
