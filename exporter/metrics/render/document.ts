import { type FamilyHeader, type Format, headerText } from "./exposition.ts";
import type { Family } from "../family.ts";
import { type Deflate, inflate, openMember, type OpenMember, type Piece } from "./gzip.ts";

/** The whole text in one format, ready to be sent. What follows it, its sender appends. */
export interface Document extends OpenMember {
  /** Uncompressed; made when it is asked for first. */
  text(): Promise<readonly Buffer[]>;
}

/** Puts the headers before the lines of their families; a family without lines is not there. */
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
  return { ...openMember(pieces), text: () => (text ??= inflated(pieces)) };
}

/** Text of a thread's work: some milliseconds. A turn of the event loop for each piece would be hundreds of turns. */
const BATCH_BYTES = 1 << 20;

/** One batch after another: all at once would keep everybody else from the threads. */
async function inflated(pieces: readonly Piece[]): Promise<readonly Buffer[]> {
  const texts: Buffer[] = [];
  for (let start = 0, end = 0; start < pieces.length; start = end) {
    let bytes = 0;
    while (end < pieces.length && bytes < BATCH_BYTES) bytes += pieces[end++]?.length ?? 0;
    texts.push(await inflate(pieces.slice(start, end)));
  }
  return texts;
}

/** A header changes with the configuration only. */
const headerPieces = new WeakMap<FamilyHeader, Partial<Record<Format, Piece>>>();

async function headerPiece(header: FamilyHeader, format: Format, deflate: Deflate): Promise<Piece> {
  const known = headerPieces.get(header) ?? {};
  const piece = known[format] ?? (await deflate(Buffer.from(headerText(header, format))));
  headerPieces.set(header, { ...known, [format]: piece });
  return piece;
}
