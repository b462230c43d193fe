import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

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
  const [data, file] = [join(directory, "data"), join(directory, "history.om")];
  mkdirSync(directory, { recursive: true });
  let piece: string[] = [];
  let pieceOf = Number.NaN;
  let samples = 0;
  const flush = async (): Promise<void> => {
    if (piece.length === 0) return;
    writeFileSync(file, `${piece.join("\n")}\n# EOF\n`);
    await createBlocks(promtool, file, data, PIECE_HOURS);
    rmSync(file);
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

/**
 * Makes blocks of an OpenMetrics file in a data folder of Prometheus.
 * @param hours the longest block. The file is read once per block, and by default once for every two hours.
 */
export async function createBlocks(
  promtool: string,
  file: string,
  data: string,
  hours: number,
): Promise<void> {
  mkdirSync(data, { recursive: true });
  // A hidden flag.
  const longest = `--max-block-duration=${hours}h`;
  const parameters = ["tsdb", "create-blocks-from", longest, "openmetrics", file, data];
  const { stdout, stderr } = await promisify(execFile)(promtool, parameters, { maxBuffer: 64 << 20 });
  if (/error/i.test(stderr)) throw new Error(`Cannot write blocks with "${promtool}": ${stdout}${stderr}`);
}
