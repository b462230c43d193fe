import type { AnalyticsConfig } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import type { AnalyticsAnswer } from "../gateway/analytics.ts";
import type { AnalyticsRequest } from "../gateway/analytics-request.ts";
import { type Sample, sample } from "../metrics/family.ts";
import { type Window, windowAt, windowBefore } from "../time/window.ts";
import {
  QUERIES,
  type Query,
  queryFamilies as families,
  rateFamilies,
  USAGE_METRICS,
  usageFamiliesOf,
} from "./analytics-families.ts";
import { type Breakdown, breakdown } from "./breakdown.ts";
import { budgetTargets } from "./budget-queries.ts";
import type { Collector, Target } from "./collector.ts";
import { groupedQuestion, runningRange, totalQuestion } from "./questions.ts";
import { answerSamples, stateSamples } from "./query-samples.ts";
import { windowSpend } from "./window-spend.ts";

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
  targets: ({ analytics, budgets }) =>
    analytics
      ? [...QUERIES.map((query) => analyticsTarget(query, analytics)), ...budgetTargets(budgets, analytics)]
      : [],
};

/** A closed month hardly changes, and is the dearest to ask for. */
const LAST_MONTH_INTERVAL_MS = 3_600_000;

const RATE_METRICS = ["cache_hit_rate", "avg_latency", "p90_latency"] as const;

function analyticsTarget(query: Query, config: AnalyticsConfig): Target {
  return {
    id: `analytics/${query}`,
    title: `analytics query "${query}"`,
    minIntervalMs: query === "last_month" ? LAST_MONTH_INTERVAL_MS : 0,
    fingerprint: JSON.stringify([identityOf(config.managementKey), config.top, config.rates]),
    constants: [],
    poll: async (gateway, askedAtMs, signal) => {
      const range = rangeOf(query, askedAtMs);
      const rates = config.rates && query === "day" ? RATE_METRICS : [];
      const [groupedRequest, totalRequest] = [groupedQuestion(range, rates), totalQuestion(range)];
      const ask = (request: AnalyticsRequest) =>
        gateway.queryAnalytics(query, request, config.managementKey, signal);
      const answer = { grouped: await ask(groupedRequest), total: await ask(totalRequest) };
      let parts = breakdown(answer.grouped, answer.total, config.top);
      if (parts.moved) {
        // Late rows came in between: the rows are asked for once more, so that nobody's spend is taken for _other's.
        answer.grouped = await ask(groupedRequest);
        parts = breakdown(answer.grouped, answer.total, config.top);
      }
      return {
        samples: analyticsSamples(query, answer.grouped, parts, range, askedAtMs),
        spend: isRunning(query) ? [windowSpend(windowAt(query, askedAtMs), answer)] : [],
        doubt: rowDoubt(answer.grouped),
      };
    },
    describe: (state) => stateSamples(query, state),
  };
}

/** How many rows it is changes from poll to poll, and is counted; why is worth a line. */
function rowDoubt({ rowProblem }: AnalyticsAnswer): string | undefined {
  return rowProblem && `some rows cannot be read and are part of _other (the first: ${rowProblem})`;
}

/** The time range to ask for. */
function rangeOf(query: Query, askedAtMs: number): Window {
  if (isRunning(query)) return runningRange(windowAt(query, askedAtMs), askedAtMs);
  return windowBefore(query === "last_day" ? "day" : "month", askedAtMs);
}

function isRunning(query: Query): query is "day" | "month" {
  return query === "day" || query === "month";
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
    ...answerSamples(query, grouped, range, window, askedAtMs),
    ...sample(families.folded, about, parts.foldedPairs, window),
    ...sample(families.colliding, about, parts.collidingRows, window),
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
