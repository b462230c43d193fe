import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JOB } from "../../dashboards/rules/settings.ts";
import type { Config } from "../../exporter/config/config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Prometheus } from "../support/prometheus.ts";
import { writeBlocks } from "./blocks.ts";
import { exporterHistory } from "./exporter-history.ts";
import { INSTANCE, startWatching } from "./start-watching.ts";

/** The storage of a Prometheus with weeks of history of a gateway. */
export interface WatchedPast {
  readonly directory: string;
  /** Starts a Prometheus on that storage, which continues with a running exporter and the rules. */
  watch(exporterUrl: string): Promise<Prometheus>;
  /** Deletes everything; stop the Prometheus before. */
  remove(): void;
}

export interface PastOptions {
  /** The gateway; its history must reach as far back. Nothing else may use it meanwhile, because its clock is set back. */
  readonly gateway: Gateway;
  readonly configOf: (schedule: Schedule) => Promise<Config>;
  readonly prometheus: string;
  readonly promtool: string;
  /** Days with a few scrapes, this many hours apart; 0 if the exporter was started later. */
  readonly sparseDays: number;
  readonly sparseHours: number;
  /** The days after them, with a scrape every four minutes, as lines need them. */
  readonly denseDays: number;
  /** Writes blocks of what is older than the watched days, until the time given, into the folder `data` of the directory. */
  readonly older?: (directory: string, untilMs: number) => Promise<void>;
  /** Days of what is older for which the recording rules get a past as well; default 0. */
  readonly recordedDays?: number;
  /** Called with the current step, because the whole history takes a while. */
  readonly onProgress?: (text: string) => void;
}

export interface Schedule {
  readonly keys: string;
  readonly analytics: string;
  /** The schedule of the probes; if absent, no probes run. */
  readonly probes?: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DENSE_MS = 4 * MINUTE_MS;

export async function watchPast(options: PastOptions): Promise<WatchedPast> {
  const { gateway, older, recordedDays = 0, onProgress = () => {} } = options;
  const directory = mkdtempSync(join(tmpdir(), "watched-past-"));
  const now = Math.floor(Date.now() / DENSE_MS) * DENSE_MS;
  const dense = now - options.denseDays * DAY_MS;
  const started = performance.now();
  await older?.(directory, dense);
  onProgress(`Living through ${options.sparseDays + options.denseDays} days of the past`);
  await writeBlocks(options.promtool, directory, past(options, now, dense));
  gateway.clock.set(Date.now());
  gateway.clock.speed = 1;
  onProgress(`… took ${Math.round((performance.now() - started) / 1000)} s`);
  return {
    directory,
    watch: (exporterUrl) => {
      onProgress("Giving the rules their past");
      const recorded = { start: dense - recordedDays * DAY_MS, end: now, stepMs: DENSE_MS };
      return startWatching({ prometheus: options.prometheus, directory, exporterUrl, recorded });
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** First a few times a day and before each midnight, then every four minutes. */
async function* past(
  { gateway, configOf, sparseDays, sparseHours }: PastOptions,
  now: number,
  dense: number,
) {
  const labels = { job: JOB, instance: INSTANCE };
  const first = Math.ceil((dense - sparseDays * DAY_MS) / DAY_MS) * DAY_MS;
  const days = steps(first, dense, DAY_MS);
  const times = days.flatMap((day) => sparseTimes(day, sparseHours)).filter((at) => at < dense);
  if (times.length > 0) {
    const sparsely = await configOf({ keys: `${sparseHours}h`, analytics: `${sparseHours}h` });
    // Polls are five minutes apart; the last before midnight must end by then.
    yield* exporterHistory({ gateway, config: sparsely, startAt: first - 10 * MINUTE_MS, times, labels });
  }
  const densely = await configOf({ keys: "12m", analytics: "20m" });
  const often = steps(dense, now, DENSE_MS);
  yield* exporterHistory({ gateway, config: densely, startAt: dense - MINUTE_MS, times: often, labels });
}

/** One of them when the previous day is settled, and one after the day's last poll. */
function sparseTimes(day: number, everyHours: number): readonly number[] {
  const hours = steps(day, day + DAY_MS - 1, everyHours * HOUR_MS).filter((at) => at > day);
  const times = new Set([...hours, day + 2 * HOUR_MS, day + DAY_MS - 2 * MINUTE_MS]);
  return [...times].toSorted((one, other) => one - other);
}

function steps(from: number, to: number, everyMs: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / everyMs) + 1 }, (_, index) => from + index * everyMs);
}
