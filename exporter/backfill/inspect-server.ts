import { z } from "zod";
import { usageFamiliesOf } from "../collectors/analytics-families.ts";
import { keyFamilies } from "../collectors/key-families.ts";
import { parseDuration } from "../time/duration.ts";
import { DAY_MS, windowAt } from "../time/window.ts";
import { targetText } from "./make-plan.ts";
import { type BackfillRequest, REACH_DAYS } from "./plan.ts";
import { type PrometheusApi, PrometheusError } from "./prometheus-api.ts";

/** What the server that is to take the past reports about itself. */
export interface InspectedServer {
  /** `Prometheus 3.15.0`, or `VictoriaMetrics`. */
  readonly name: string;
  /** Whether it is older than what the import is tested with. */
  readonly isOld: boolean;
  /** How long it keeps samples, as it reports it. */
  readonly retention: string;
  /** The flag that sets it. */
  readonly retentionFlag: string;
  /** The same in days; infinite if only the size is limited. Undefined: the server does not report it. */
  readonly keptDays: number | undefined;
  /** Whether it also deletes what exceeds a size. */
  readonly isSizeLimited: boolean;
  /** The first sample of the series that a backfill writes, epoch milliseconds. Undefined: it has no such series. */
  readonly firstMs: number | undefined;
  /** Labels of other targets that have these series now, if the requested one does not: `job="a",instance="b:1"`. */
  readonly otherTargets: readonly string[];
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
  return { ...about, firstMs, otherTargets: firstMs === undefined ? await targetsNow(api, nowMs) : [] };
}

type About = Omit<InspectedServer, "firstMs" | "otherTargets">;

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
  return {
    name: `Prometheus ${version}`,
    isOld: Number(major) < 2 || (major === "2" && Number(minor) < 42),
    retention,
    retentionFlag: "--storage.tsdb.retention.time",
    keptDays: timeMs === undefined ? (isSizeLimited ? Infinity : undefined) : timeMs / DAY_MS,
    isSizeLimited,
  };
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
  return {
    name: `VictoriaMetrics ${version}`.trimEnd(),
    isOld: false,
    retention: isMonths ? `${kept} months` : kept,
    retentionFlag: "-retentionPeriod",
    keptDays: timeMs === undefined ? undefined : timeMs / DAY_MS,
    isSizeLimited: false,
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
