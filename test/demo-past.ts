import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JOB } from "../dashboards/rules/settings.ts";
import type { BackfillRequest } from "../exporter/backfill/plan.ts";
import { backfill } from "../exporter/cli/backfill/backfill.ts";
import { systemClock } from "../exporter/time/clock.ts";
import { DAY_MS, windowAt, windowBefore } from "../exporter/time/window.ts";
import { type ConfigText, readConfigText } from "./demo-configuration.ts";
import { createTerminalDouble } from "./exporter/cli/terminal-double.ts";
import type { Gateway } from "./gateway/gateway.ts";
import { createBlocks } from "./support/past/blocks.ts";
import {
  INSTANCE,
  type Schedule,
  startWatching,
  watchPast,
  type WatchedPast,
} from "./support/past/watched-past.ts";

export interface DemoPastOptions {
  readonly gateway: Gateway;
  readonly fileOf: (schedule: Schedule) => ConfigText;
  readonly prometheus: string;
  /** Undefined: there is no past. */
  readonly promtool: string | undefined;
  readonly say: (text: string) => void;
}

/**
 * The past of the demo: what the gateway remembers since the beginning of last month, and an hour with the exporter,
 * for what gateways do not remember. Call it before the exporter starts, because it sets the gateway's clock back.
 */
export async function demoPast({
  gateway,
  fileOf,
  prometheus,
  promtool,
  say,
}: DemoPastOptions): Promise<WatchedPast> {
  if (promtool === undefined) {
    say("The graphs begin empty: their past needs promtool, which is not installed");
    return noPast(prometheus);
  }
  say("Writing the past since last month into Prometheus, as aigateway-exporter backfill does");
  const file = fileOf({ keys: "1m", analytics: "1m" });
  return watchPast({
    gateway,
    configOf: (schedule) => readConfigText(fileOf(schedule)),
    prometheus,
    promtool,
    older: (directory, untilMs) => backfillPast(file, promtool, directory, untilMs),
    sparseDays: 0,
    sparseHours: 1,
    denseDays: WATCHED_HOURS / 24,
  });
}

const WATCHED_HOURS = 1;

function noPast(prometheus: string): WatchedPast {
  const directory = mkdtempSync(join(tmpdir(), "no-past-"));
  return {
    directory,
    watch: (exporterUrl) => startWatching({ prometheus, directory, exporterUrl }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Writes what a gateway remembers since the beginning of last month into the data folder of a Prometheus before it starts. */
async function backfillPast(
  file: ConfigText,
  promtool: string,
  directory: string,
  untilMs: number,
): Promise<void> {
  const configFile = join(directory, "backfill.yaml");
  writeFileSync(configFile, file.text);
  for (const part of pastParts(untilMs)) {
    const output = join(directory, "past");
    const request = { ...part, job: JOB, instance: INSTANCE, format: "openmetrics", gateway: "" } as const;
    const { terminal, printed } = createTerminalDouble(file.environment);
    const code = await backfill(
      { request, output, url: undefined, isDryRun: false },
      { configFile },
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
function pastParts(
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
