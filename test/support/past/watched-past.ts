import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JOB } from "../../../dashboards/rules/settings.ts";
import type { Config } from "../../../exporter/config/config.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { writeBlocks } from "./blocks.ts";
import { exporterHistory } from "./exporter-history.ts";
import { ruleGroups } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import type { RuleGroup } from "../../../dashboards/rules/rule.ts";
import { type Prometheus, startPrometheus } from "../prometheus.ts";

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
  const { gateway, older, onProgress = () => {} } = options;
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
    watch: (exporterUrl) => startWatching({ prometheus: options.prometheus, directory, exporterUrl }),
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

/** Every few hours, once the previous day is settled, and after the day's last poll. */
function sparseTimes(day: number, everyHours: number): readonly number[] {
  const hours = steps(day, day + DAY_MS - 1, everyHours * HOUR_MS).filter((at) => at > day);
  const times = new Set([...hours, day + 2 * HOUR_MS, day + DAY_MS - 2 * MINUTE_MS]);
  return [...times].toSorted((one, other) => one - other);
}

function steps(from: number, to: number, everyMs: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / everyMs) + 1 }, (_, index) => from + index * everyMs);
}

interface WatchingOptions {
  /** Path of Prometheus. */
  readonly prometheus: string;
  /** Its working directory; blocks in its folder `data` are the past. */
  readonly directory: string;
  readonly exporterUrl: string;
}

/** Addresses of processes differ between runs, but the address in the history must not. */
export const INSTANCE = "exporter:9853";

/** Starts a Prometheus that scrapes a running exporter and evaluates the rules without waiting. */
export async function startWatching({
  prometheus: binary,
  directory,
  exporterUrl,
}: WatchingOptions): Promise<Prometheus> {
  return startPrometheus({
    binary,
    directory,
    config: configuration(new URL(exporterUrl).host),
    rules: [JSON.stringify({ groups: ruleGroups(promptly(createRules())) })],
    flags: ["--storage.tsdb.retention.time=10y"],
  });
}

/** The rules without waiting: evaluated every few seconds, alerts at once. Their expressions are the same. */
function promptly(groups: readonly RuleGroup[]): readonly RuleGroup[] {
  return groups.map((group) => ({
    ...group,
    interval: "5s",
    rules: group.rules.map((rule) => {
      const { for: _for, ...rest } = rule;
      return rest;
    }),
  }));
}

function configuration(exporter: string): object {
  return {
    global: { scrape_interval: "5s", scrape_timeout: "5s", evaluation_interval: "5s" },
    rule_files: ["rules-0.yaml"],
    scrape_configs: [
      {
        job_name: JOB,
        static_configs: [{ targets: [exporter] }],
        relabel_configs: [{ target_label: "instance", replacement: INSTANCE }],
      },
    ],
  };
}
