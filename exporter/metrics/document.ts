import { type FamilyHeader, type Format, headerText } from "./exposition.ts";
import type { Family } from "./family.ts";
import { append, type Deflate, type Deflated, GZIP_HEADER } from "./gzip.ts";

/** One text, ready to be sent: as it is, and as a gzip member that is left open for what follows. */
export interface Document {
  readonly text: readonly Buffer[];
  readonly gzip: Buffer;
  readonly crc: number;
  /** Bytes of the text. */
  readonly length: number;
}

/** Puts the headers before the lines of their families. */
export async function compose(
  headers: readonly FamilyHeader[],
  format: Format,
  linesOf: (family: Family) => readonly Deflated[],
  deflate: Deflate,
): Promise<Document> {
  const parts: Deflated[] = [];
  for (const header of headers) {
    const lines = linesOf(header.family);
    if (lines.length === 0) continue;
    parts.push(await headerPart(header, format, deflate), ...lines);
  }
  const { crc, length } = parts.reduce(append, { crc: 0, length: 0 });
  return {
    text: parts.map(({ text }) => text),
    gzip: Buffer.concat([GZIP_HEADER, ...parts.map(({ deflated }) => deflated)]),
    crc,
    length,
  };
}

/** A header changes with the configuration only. */
const headerParts = new WeakMap<FamilyHeader, Partial<Record<Format, Deflated>>>();

async function headerPart(header: FamilyHeader, format: Format, deflate: Deflate): Promise<Deflated> {
  const known = headerParts.get(header) ?? {};
  const part = known[format] ?? (await deflate(Buffer.from(headerText(header, format))));
  headerParts.set(header, { ...known, [format]: part });
  return part;
}
