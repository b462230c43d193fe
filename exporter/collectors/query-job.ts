import type { AnalyticsConfig, Config } from "../config/config.ts";
import { type Usage, AMOUNTS, CREDITS_SOURCES, RATES } from "../gateway/port.ts";
import { type Sample, sample, seconds } from "../metrics/family.ts";
import type { UsageReading } from "../readings/reading.ts";
import type { Job, Result, TargetState } from "../schedule/job.ts";
import { HOUR_MS, type Window, windowAt, windowBefore } from "../time/window.ts";
import {
  type Query,
  queryFamilies as families,
  rateFamilies,
  usageFamiliesOf,
} from "./analytics-families.ts";
import type { Breakdown } from "./breakdown.ts";
import { accountJob } from "./collector.ts";

/** A complete window hardly changes, and a month is the most expensive query for the service. */
export const COMPLETE_WINDOW_INTERVAL_MS = HOUR_MS;

/** The parts that all queries share. */
export function queryJob(
  name: string,
  minIntervalMs: number,
  analytics: AnalyticsConfig,
  gateway: Config["gateway"],
) {
  return {
    ...accountJob("analytics", name, analytics, gateway),
    title: `analytics query "${name}"`,
    endpoint: "analytics",
    minIntervalMs,
    describe: (state: TargetState) => stateSamples(name, state),
  } satisfies Partial<Job>;
}

/** When a query was asked, for which time range, and for which calendar window its values are valid. */
export interface QueryTimes {
  readonly window: Window;
  readonly range: Window;
  readonly requestedAtMs: number;
}

/** What a query makes of an answer: its rows, if it has any, and its own part of the reading and the samples. */
export interface QueryParts {
  readonly rows?: Breakdown;
  readonly value?: Partial<UsageReading>;
  readonly samples?: readonly Sample[];
}

/** The result of a query: its reading, and the samples about the answer and its own. */
export function usageResult(
  name: string,
  usage: Usage,
  times: QueryTimes,
  { rows, value: own, samples = [] }: QueryParts,
): Result {
  const { window, requestedAtMs } = times;
  const value = { ...usageReading(usage, times), ...own };
  return {
    value,
    samples: [
      ...answerSamples(name, value, usage),
      ...(rows ? breakdownSamples(name, rows, window) : []),
      ...samples,
    ],
    computedAtMs: usage.computedAtMs,
    concealedLabels: rows?.concealedLabels ?? 0,
    warning: warningOf(usage, window, requestedAtMs, rows?.concealedLabels),
  };
}

/**
 * A reading without pairs and spend. The data end no later than the request, because a fast clock of the service would
 * otherwise hide their age.
 */
function usageReading(usage: Usage, { window, range, requestedAtMs }: QueryTimes): UsageReading {
  const { total } = usage;
  return {
    kind: "usage",
    window,
    range,
    dataMs: Math.min(usage.computedAtMs ?? range.endMs, requestedAtMs),
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
 * What is wrong with an answer, for the log. It contains no number that changes with each run; those are metrics.
 * `window`: the calendar window of the values.
 */
function warningOf(
  { rowProblem, computedAtMs = Number.POSITIVE_INFINITY }: Usage,
  window: Window,
  requestedAtMs: number,
  concealedLabels = 0,
): string | undefined {
  const isTooOld = computedAtMs < window.startMs && requestedAtMs - computedAtMs > MOST_CACHED_MS;
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
const MOST_CACHED_MS = HOUR_MS;

/** The times of a query that is asked now. Of a complete window, the values are valid until the next one is complete. */
export function timesOf(query: Query, requestedAtMs: number): QueryTimes {
  const window = windowAt(query === "day" || query === "last_day" ? "day" : "month", requestedAtMs);
  return { window, range: rangeOf(query, requestedAtMs), requestedAtMs };
}

/** The time range of a query. */
function rangeOf(query: Query, requestedAtMs: number): Window {
  if (isRunning(query)) return runningRange(windowAt(query, requestedAtMs), requestedAtMs);
  return windowBefore(query === "last_day" ? "day" : "month", requestedAtMs);
}

/** Whether the window contains the present. */
export function isRunning(query: Query): query is "day" | "month" {
  return query === "day" || query === "month";
}

/** The time range of a running window: it ends now. */
export function runningRange({ startMs }: Window, requestedAtMs: number): Window {
  // The service rejects an empty range, and every service resolves whole seconds.
  return { startMs, endMs: Math.max(requestedAtMs, startMs + 1000) };
}

/** The samples about an answer itself: its age, range and gaps. */
function answerSamples(
  query: string,
  { dataMs, range, window }: UsageReading,
  usage: Usage,
): readonly Sample[] {
  const labels = { query };
  return [
    ...sample(families.dataTimestamp, labels, dataMs / 1000, window),
    ...sample(families.windowStart, labels, range.startMs / 1000, window),
    ...sample(families.windowEnd, labels, range.endMs / 1000, window),
    ...CREDITS_SOURCES.flatMap((source) =>
      sample(
        families.creditsSource,
        { query, aigateway_analytics_credits_source: source },
        source === usage.creditsSource,
        window,
      ),
    ),
    ...sample(families.rows, labels, usage.rows, window),
    ...sample(families.truncated, labels, usage.truncated, window),
    ...sample(families.warnings, labels, usage.warnings, window),
    ...sample(families.duration, labels, seconds(usage.queryTimeMs), window),
    ...sample(families.unreadable, labels, usage.unreadableRows, window),
  ];
}

/** How the rows of an answer were cut. */
function breakdownSamples(query: string, parts: Breakdown, window: Window): readonly Sample[] {
  return [
    ...sample(families.folded, { query }, parts.foldedPairs, window),
    ...sample(families.colliding, { query }, parts.collidingRows, window),
    ...sample(families.exceedsTotal, { query }, parts.exceedsTotal, window),
  ];
}

/** After midnight "last day" means another day, so every value belongs to the current window. */
export function pairSamples(query: Query, { pairs }: Breakdown, window?: Window): readonly Sample[] {
  const usageFamilies = usageFamiliesOf[query];
  return pairs.flatMap(({ model, app, amounts, rates }) => [
    ...AMOUNTS.flatMap((amount) => sample(usageFamilies[amount], { model, app }, amounts[amount], window)),
    ...RATES.flatMap((rate) => sample(rateFamilies[rate], { model, app }, rates[rate], window)),
  ]);
}

/** The state of a query, as samples. */
export function stateSamples(query: string, state: TargetState): readonly Sample[] {
  return [
    ...sample(families.up, { query }, state.up),
    ...sample(families.lastSuccess, { query }, seconds(state.lastSuccessMs)),
  ];
}
