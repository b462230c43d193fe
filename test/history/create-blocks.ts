import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

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
  const { stdout, stderr } = await run(promtool, parameters, { maxBuffer: 64 << 20 });
  if (/error/i.test(stderr)) throw new Error(`Cannot write blocks with "${promtool}": ${stdout}${stderr}`);
}
