import type { AnalyticsConfig } from "../config/config.ts";
import type { AnalyticsAnswer } from "../gateway/analytics.ts";
import type { AnalyticsRequest } from "../gateway/analytics-request.ts";
import { type Sample, sample } from "../metrics/family.ts";
import { type Window, windowAt, windowBefore } from "../window.ts";
import {
  QUERIES,
  type Query,
  queryFamilies as families,
  rateFamilies,
  USAGE_METRICS,
  usageFamiliesOf,
} from "./analytics-families.ts";
import { type Breakdown, breakdown } from "./breakdown.ts";
import type { Collector, Target } from "./collector.ts";

/** Spend of each model and app in four windows: `POST /analytics/query`, grouped and in total. */
export const analyticsCollector: Collector = {
  name: "analytics",
  endpoint: "analytics",
  schedule: "analytics",
  requestsPerPoll: 2,
  families: [
    ...Object.values(families),
    ...Object.values(usageFamiliesOf).flatMap((usage) => Object.values(usage)),
    ...Object.values(rateFamilies),
  ],
  lastSuccess: families.lastSuccess,
  targets: ({ analytics }) => (analytics ? QUERIES.map((query) => analyticsTarget(query, analytics)) : []),
};

/** The service's cap of one answer (contract 8): the top N is cut here and not by the service, so that twins can be summed. */
const ROW_LIMIT = 1000;

/** A closed month hardly changes, and is the dearest to ask for. */
const LAST_MONTH_INTERVAL_MS = 3_600_000;

const RATE_METRICS = ["cache_hit_rate", "avg_latency", "p90_latency"] as const;

function analyticsTarget(query: Query, config: AnalyticsConfig): Target {
  return {
    id: `analytics/${query}`,
    title: `analytics query "${query}"`,
    minIntervalMs: query === "last_month" ? LAST_MONTH_INTERVAL_MS : 0,
    constants: [],
    poll: async (gateway, askedAtMs, signal) => {
      const range = rangeOf(query, askedAtMs);
      const rates = config.rates && query === "day" ? RATE_METRICS : [];
      const totalRequest = { metrics: [...USAGE_METRICS], timeRange: range };
      const groupedRequest: AnalyticsRequest = {
        metrics: [...USAGE_METRICS, ...rates],
        dimensions: ["model", "app"],
        timeRange: range,
        orderBy: { field: "total_usage", direction: "desc" },
        limit: ROW_LIMIT,
      };
      const ask = (request: AnalyticsRequest) =>
        gateway.queryAnalytics(query, request, config.managementKey, signal);
      const answer = { grouped: await ask(groupedRequest), total: await ask(totalRequest) };
      let parts = breakdown(answer.grouped, answer.total, config.top);
      if (parts.moved) {
        // Late rows came in between: the rows are asked for once more, so that nobody's spend is taken for _other's.
        answer.grouped = await ask(groupedRequest);
        parts = breakdown(answer.grouped, answer.total, config.top);
      }
      return analyticsSamples(query, answer.grouped, parts, range, askedAtMs);
    },
    describe: (state) => [
      ...sample(families.up, { query }, state.up === undefined ? undefined : Number(state.up)),
      ...sample(families.lastSuccess, { query }, toSeconds(state.lastSuccessMs)),
    ],
  };
}

/** The time range to ask for: a window that still runs ends now. */
function rangeOf(query: Query, askedAtMs: number): Window {
  switch (query) {
    case "day":
    case "month": {
      const { startMs } = windowAt(query, askedAtMs);
      // An empty range is refused, and a whole second is the least that every service can tell apart.
      return { startMs, endMs: Math.max(askedAtMs, startMs + 1000) };
    }
    case "last_day":
      return windowBefore("day", askedAtMs);
    case "last_month":
      return windowBefore("month", askedAtMs);
  }
}

/** An answer as samples. "Last day" means another day after midnight, so every value belongs to the running window. */
export function analyticsSamples(
  query: Query,
  grouped: AnalyticsAnswer,
  parts: Breakdown,
  range: Window,
  askedAtMs: number,
): readonly Sample[] {
  const window = windowAt(query === "day" || query === "last_day" ? "day" : "month", askedAtMs);
  const about = { query };
  return [
    ...sample(families.dataTimestamp, about, (grouped.cachedAtMs ?? range.endMs) / 1000, window),
    ...sample(families.windowStart, about, range.startMs / 1000, window),
    ...sample(families.windowEnd, about, range.endMs / 1000, window),
    ...sample(families.rows, about, grouped.rows.length + grouped.unreadableRows, window),
    ...sample(families.truncated, about, Number(grouped.truncated), window),
    ...sample(families.warnings, about, grouped.warnings.length, window),
    ...sample(families.duration, about, toSeconds(grouped.queryTimeMs), window),
    ...sample(families.folded, about, parts.foldedPairs, window),
    ...sample(families.colliding, about, parts.collidingRows, window),
    ...sample(families.unreadable, about, grouped.unreadableRows, window),
    ...parts.pairs.flatMap(({ model, app, values }) => [
      ...USAGE_METRICS.flatMap((metric) =>
        sample(usageFamiliesOf[query][metric], { model, app }, values[metric], window),
      ),
      ...sample(rateFamilies.cache_hit_rate, { model, app }, values["cache_hit_rate"], window),
      ...sample(rateFamilies.avg_latency, { model, app }, toSeconds(values["avg_latency"]), window),
      ...sample(rateFamilies.p90_latency, { model, app }, toSeconds(values["p90_latency"]), window),
    ]),
  ];
}

function toSeconds(ms: number | null | undefined): number | undefined {
  return typeof ms === "number" ? ms / 1000 : undefined;
}
