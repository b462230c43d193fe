import { z } from "zod";
import { usageFamiliesOf } from "../collectors/analytics-families.ts";
import { keyFamilies } from "../collectors/key-families.ts";
import { parseDuration } from "../time/duration.ts";
import { utcText } from "../time/utc-time.ts";
import { DAY_MS, windowAt } from "../time/window.ts";
import { type BackfillPlan, type BackfillRequest, daysToKeep, REACH_DAYS, targetText } from "./plan.ts";
import { type PrometheusApi, PrometheusError } from "./prometheus-api.ts";

/** What the server that is to take the past reports about itself. */
export interface InspectedServer {
  /** `Prometheus 3.15.0`, or `VictoriaMetrics`. */
  readonly name: string;
  /** How long it keeps samples, as it reports it. */
  readonly retention: string;
  /** The first sample of the series that a backfill writes, epoch milliseconds. Undefined: it has no such series. */
  readonly firstMs: number | undefined;
  /** What would make the import fail, or delete the past. */
  readonly warnings: (plan: BackfillPlan) => readonly string[];
}

/** Asks the server about its version, its retention and its series. @throws PrometheusError */
export async function inspectServer(
  api: PrometheusApi,
  request: BackfillRequest,
  nowMs: number,
): Promise<InspectedServer> {
  const isVictoriaMetrics = request.format === "victoria-metrics";
  const about = await (isVictoriaMetrics ? aboutVictoriaMetrics(api) : aboutPrometheus(api));
  const firstMs = await firstSample(api, request, nowMs);
  // Labels of other targets that have these series now, if the requested one does not.
  const others = firstMs === undefined ? await targetsNow(api, nowMs) : [];
  return {
    ...about,
    firstMs,
    warnings: (plan) => [
      ...about.warnings(daysToKeep(plan)),
      ...(others.length > 0
        ? [
            `the live series have the labels {${others.slice(0, SHOWN).join("}, {")}}, and none has {${plan.target}}: set --job, --instance and --gateway to the labels of the live series`,
          ]
        : []),
      ...(firstMs !== undefined && firstMs - plan.untilMs > plan.stepMs
        ? [
            `the live series begin at ${utcText(firstMs)}, and the past ends at ${utcText(plan.untilMs)}: there are no samples in between`,
          ]
        : []),
    ],
  };
}

const SHOWN = 3;

interface About extends Pick<InspectedServer, "name" | "retention"> {
  readonly warnings: (days: number) => readonly string[];
}

/** The retention is `15d`, `10GiB`, or `15d or 10GiB`. The flags would not show what the configuration file sets. */
async function aboutPrometheus(api: PrometheusApi): Promise<About> {
  const { version } = await api.status("buildinfo", BUILD);
  const { storageRetention: retention } = await api
    .status("runtimeinfo", RUNTIME)
    .catch((error: unknown) => refuse(error));
  const parts = retention.split(" or ");
  const [timeMs] = parts.map(parseDuration).filter((ms) => ms !== undefined);
  const isSizeLimited = parts.some((part) => /\d[KMGTPE]?i?B$/.test(part));
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const isOld = Number(major) < 2 || (major === "2" && Number(minor) < 42);
  const name = `Prometheus ${version}`;
  return {
    name,
    retention,
    warnings: (days) => [
      ...(isSizeLimited && timeMs === undefined
        ? []
        : retentionWarnings(name, retention, timeMs, `--storage.tsdb.retention.time=${days}d`, days)),
      ...(isSizeLimited
        ? [`${name} deletes the oldest blocks beyond a size (${retention}): the past must fit into it`]
        : []),
      ...(isOld ? [`${name} is older than 2.42, the oldest version with which the import is tested`] : []),
    ],
  };
}

function retentionWarnings(
  name: string,
  retention: string,
  keptMs: number | undefined,
  flag: string,
  days: number,
): readonly string[] {
  if (keptMs === undefined) return [`${name} does not report how long it keeps samples: it must be ${days}d`];
  return keptMs >= days * DAY_MS
    ? []
    : [
        `${name} keeps ${retention} and would delete what is older at once: set ${flag} or more before the import`,
      ];
}

const BUILD = z.object({ version: z.string() });
const RUNTIME = z.object({ storageRetention: z.string() });

function refuse(error: unknown): never {
  if (!(error instanceof PrometheusError)) throw error;
  throw new PrometheusError(
    `${error.message}. Only Prometheus takes files of this format; VictoriaMetrics needs --format=victoria-metrics`,
  );
}

/** A retention without a unit is a number of months of 31 days. */
async function aboutVictoriaMetrics(api: PrometheusApi): Promise<About> {
  const text = await api.metrics();
  const [, version = ""] = /^vm_app_version\{.*short_version="v?([^"]*)"/m.exec(text) ?? [];
  const [, kept = ""] = /^flag\{name="retentionPeriod", value="([^"]*)"/m.exec(text) ?? [];
  const isMonths = /^\d+$/.test(kept);
  const timeMs = isMonths ? Number(kept) * MONTH_MS : parseDuration(kept);
  const name = `VictoriaMetrics ${version}`.trimEnd();
  const retention = isMonths ? `${kept} months` : kept;
  return {
    name,
    retention,
    warnings: (days) => retentionWarnings(name, retention, timeMs, `-retentionPeriod=${days}d`, days),
  };
}

const MONTH_MS = 31 * DAY_MS;

/** Looks for the day, then for the five minutes, then for the sample. */
async function firstSample(
  api: PrometheusApi,
  request: BackfillRequest,
  nowMs: number,
): Promise<number | undefined> {
  const names = [keyFamilies.usage.name, usageFamiliesOf.day.credits.name].join("|");
  const gateway = request.gateway === "" ? ',gateway=""' : "";
  const series = `{__name__=~"${names}",${targetText(request)}${gateway}}`;
  const counted = (length: string) => `sum(count_over_time(${series}[${length}]))`;
  const fromMs = windowAt("day", nowMs).startMs - REACH_DAYS * DAY_MS;
  const days = { startMs: fromMs + DAY_MS, endMs: nowMs + DAY_MS, stepMs: DAY_MS };
  const [dayEndMs] = await api.timesOf(counted("1d"), days);
  if (dayEndMs === undefined) return undefined;
  const parts = { startMs: dayEndMs - DAY_MS + FINE_MS, endMs: dayEndMs, stepMs: FINE_MS };
  const [endMs = dayEndMs] = await api.timesOf(counted("5m"), parts);
  const [first] = await api.query(`min(min_over_time(timestamp(${series})[5m:1s]))`, endMs);
  return first ? first.value * 1000 : endMs - FINE_MS;
}

const FINE_MS = 300_000;

async function targetsNow(api: PrometheusApi, nowMs: number): Promise<readonly string[]> {
  const samples = await api.query(
    `count by (job, instance, gateway) (last_over_time(${keyFamilies.usage.name}[1d]))`,
    nowMs,
  );
  return samples.map(({ labels: { job = "", instance = "", gateway = "" } }) =>
    targetText({ job, instance, gateway }),
  );
}
