import type { AnalyticsConfig, Config } from "../config/config.ts";
import type { Usage } from "../gateway/port.ts";
import type { UsageReading } from "../readings/reading.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job } from "../schedule/job.ts";
import { type Window, windowAt, windowBefore } from "../time/window.ts";
import { accountIdentity } from "./account-identity.ts";
import type { Query } from "./analytics-families.ts";
import { stateSamples } from "./usage-samples.ts";

/** A complete window hardly changes, and a month is the most expensive query for the service. */
export const COMPLETE_WINDOW_INTERVAL_MS = 3_600_000;

/** The parts that all queries share. */
export function queryJob(
  name: string,
  minIntervalMs: number,
  analytics: AnalyticsConfig,
  gateway: Config["gateway"],
) {
  return {
    id: targetId("analytics", name),
    title: `analytics query "${name}"`,
    name,
    endpoint: "analytics",
    identity: accountIdentity(analytics, gateway),
    minIntervalMs,
    constants: [],
    describe: (state) => stateSamples(name, state),
  } satisfies Partial<Job>;
}

/**
 * A reading without pairs and spend. The data end no later than the request, because a fast clock of the service would
 * otherwise hide their age.
 */
export function usageReading(usage: Usage, window: Window, range: Window, askedAtMs: number): UsageReading {
  const { total } = usage;
  return {
    kind: "usage",
    window,
    range,
    dataMs: Math.min(usage.computedAtMs ?? range.endMs, askedAtMs),
    credits: total?.empty ? 0 : total?.amounts.credits,
    requests: total?.empty ? 0 : total?.amounts.requests,
    ...(total?.gap && { isTotalPartial: true }),
    pairs: [],
    foldedPairs: 0,
    truncated: usage.truncated,
    spend: undefined,
    exceedsTotal: false,
  };
}

/**
 * The numbers change with each run, so they are metrics; only the reasons are logged. `window`: the calendar
 * window of the values.
 */
export function warningOf(
  { rowProblem, computedAtMs = Number.POSITIVE_INFINITY }: Usage,
  window: Window,
  askedAtMs: number,
  concealedLabels = 0,
): string | undefined {
  const isTooOld = computedAtMs < window.startMs && askedAtMs - computedAtMs > MOST_CACHED_MS;
  const reasons = [
    ...(isTooOld
      ? ["nothing of it is shown, because the gateway dates it before the window (check the gateway's clock)"]
      : []),
    ...(rowProblem ? [`some rows cannot be read and are part of _other (the first: ${rowProblem})`] : []),
    ...(concealedLabels > 0
      ? ["some names of models or apps reveal a secret and are shown as _concealed"]
      : []),
  ];
  return reasons.length > 0 ? reasons.join("; ") : undefined;
}

/** Services keep answers for minutes, so right after midnight an answer may still be of the day before. */
const MOST_CACHED_MS = 3_600_000;

/** The time range of a query. */
export function rangeOf(query: Query, askedAtMs: number): Window {
  if (isRunning(query)) return runningRange(windowAt(query, askedAtMs), askedAtMs);
  return windowBefore(query === "last_day" ? "day" : "month", askedAtMs);
}

/** Whether the window contains the present. */
export function isRunning(query: Query): query is "day" | "month" {
  return query === "day" || query === "month";
}

/** The time range of a running window: it ends now. */
export function runningRange({ startMs }: Window, askedAtMs: number): Window {
  // The service rejects an empty range, and every service resolves whole seconds.
  return { startMs, endMs: Math.max(askedAtMs, startMs + 1000) };
}
