import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { BackfillRequest } from "../../exporter/backfill/plan.ts";
import { backfill } from "../../exporter/cli/backfill/backfill.ts";
import { systemClock } from "../../exporter/time/clock.ts";
import { DAY_MS, windowAt, windowBefore } from "../../exporter/time/window.ts";
import { DEFAULT_OPTIONS } from "../exporter/cli/default-options.ts";
import { createTerminalDouble } from "../exporter/cli/terminal-double.ts";
import { createBlocks } from "./create-blocks.ts";
import type { StageConfig } from "./stage-config.ts";

export interface BackfillPastOptions {
  readonly file: StageConfig;
  readonly promtool: string;
  /** Its folder `data` gets the blocks. */
  readonly directory: string;
  /** Labels of the live series. */
  readonly labels: Pick<BackfillRequest, "job" | "instance">;
  /** Where the next samples begin. */
  readonly untilMs: number;
}

/** Writes what a gateway remembers since the beginning of last month into the data folder of a Prometheus before it starts. */
export async function backfillPast(options: BackfillPastOptions): Promise<void> {
  const { file, promtool, directory, labels, untilMs } = options;
  const configFile = join(directory, "backfill.yaml");
  writeFileSync(configFile, file.text);
  for (const part of pastParts(untilMs)) {
    const output = join(directory, "past");
    const request = { ...part, ...labels, format: "openmetrics", gateway: "" } as const;
    const { terminal, printed } = createTerminalDouble(file.environment);
    const code = await backfill(
      {
        command: "backfill",
        request,
        output,
        url: undefined,
        isDryRun: false,
        options: { ...DEFAULT_OPTIONS, configFile },
      },
      // A simulated gateway needs no pace.
      { ...terminal, clock: { ...systemClock, sleep: () => Promise.resolve() } },
    );
    if (code !== 0) throw new Error(`Cannot write the past: ${printed.stderr}`);
    await createBlocks(promtool, wholeFile(output), join(directory, "data"), LONGEST_BLOCK_HOURS);
    rmSync(output, { recursive: true });
  }
}

/**
 * An hourly part, because each sample takes time, and a recent one for graphs with short steps. The first
 * ends where the second begins.
 */
export function pastParts(
  untilMs: number,
): readonly (Pick<BackfillRequest, "days" | "stepMs"> & { readonly untilMs: number })[] {
  const recentMs = windowAt("day", untilMs - 1).startMs - (RECENT_DAYS - 1) * DAY_MS;
  const firstMs = windowBefore("month", untilMs - 1).startMs;
  return [
    { days: (recentMs - firstMs) / DAY_MS, untilMs: recentMs, stepMs: HOUR_MS },
    { days: RECENT_DAYS, untilMs, stepMs: HOUR_MS / 12 },
  ];
}

/** Graphs with steps of minutes reach back three days. */
const RECENT_DAYS = 4;
const HOUR_MS = 3_600_000;
const LONGEST_BLOCK_HOURS = 486;

/** One file of all days, because each run of promtool takes time. */
function wholeFile(folder: string): string {
  const whole = join(folder, "whole.om");
  const days = readdirSync(folder).filter((name) => name.endsWith(".om"));
  for (const day of days.toSorted())
    appendFileSync(whole, readFileSync(join(folder, day), "utf8").replace(/# EOF\n$/, ""));
  appendFileSync(whole, "# EOF\n");
  return whole;
}
