import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JOB } from "../dashboards/rules/settings.ts";
import type { Gateway } from "./gateway/gateway.ts";
import { backfillPast } from "./history/backfill-past.ts";
import { readStageConfig, type StageConfig } from "./history/stage-config.ts";
import { INSTANCE, startWatching } from "./history/start-watching.ts";
import { type Schedule, watchPast, type WatchedPast } from "./history/watched-past.ts";

export interface DemoPastOptions {
  readonly gateway: Gateway;
  readonly fileOf: (schedule: Schedule) => StageConfig;
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
    configOf: (schedule) => readStageConfig(fileOf(schedule)),
    prometheus,
    promtool,
    older: (directory, untilMs) =>
      backfillPast({ file, promtool, directory, labels: { job: JOB, instance: INSTANCE }, untilMs }),
    sparseDays: 0,
    sparseHours: 1,
    denseDays: WATCHED_HOURS / 24,
    recordedDays: RECORDED_DAYS,
  });
}

const WATCHED_HOURS = 1;
const RECORDED_DAYS = 1;

function noPast(prometheus: string): WatchedPast {
  const directory = mkdtempSync(join(tmpdir(), "no-past-"));
  return {
    directory,
    watch: (exporterUrl) => startWatching({ prometheus, directory, exporterUrl, recorded: undefined }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
