import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createBlocks } from "./create-blocks.ts";
import type { ScrapedLines } from "./exporter-history.ts";

/** Each call reads its whole text once per block, so the text is passed in pieces of about a block. */
const PIECE_HOURS = 54;
const PIECE_MS = PIECE_HOURS * 3_600_000;

/** Writes past scrapes into the data folder of a Prometheus before it starts. Returns the number of samples. */
export async function writeBlocks(
  promtool: string,
  directory: string,
  scrapes: AsyncIterable<ScrapedLines>,
): Promise<number> {
  const data = join(directory, "data");
  mkdirSync(directory, { recursive: true });
  let piece: string[] = [];
  let pieceOf = Number.NaN;
  let samples = 0;
  const flush = async (): Promise<void> => {
    if (piece.length > 0) await writePiece(promtool, directory, data, piece);
    samples += piece.length;
    piece = [];
  };
  for await (const { at, lines } of scrapes) {
    if (Math.floor(at / PIECE_MS) !== pieceOf) await flush();
    pieceOf = Math.floor(at / PIECE_MS);
    piece.push(...lines);
  }
  await flush();
  return samples;
}

async function writePiece(
  promtool: string,
  directory: string,
  data: string,
  lines: readonly string[],
): Promise<void> {
  const file = join(directory, "history.om");
  writeFileSync(file, `${lines.join("\n")}\n# EOF\n`);
  await createBlocks(promtool, file, data, PIECE_HOURS);
  rmSync(file);
}
