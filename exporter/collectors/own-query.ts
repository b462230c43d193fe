import type { AnalyticsConfig, Config, QueryConfig, QueryMetric } from "../config/config.ts";
import type { Amount, Rate, Usage, UsageQuestion } from "../gateway/port.ts";
import { labelledSample, type Sample, sample } from "../metrics/family.ts";
import type { Job } from "../schedule/job.ts";
import { type Window, windowAt } from "../time/window.ts";
import { queryFamilies } from "./analytics-families.ts";
import { OTHER, type Pair, shownBreakdown } from "./breakdown.ts";
import { ownQueryFamilies } from "./own-query-families.ts";
import { keySpends } from "./key-spend.ts";
import {
  COMPLETE_WINDOW_INTERVAL_MS,
  isRunning,
  queryJob,
  rangeOf,
  usageReading,
  warningOf,
} from "./query-job.ts";
import { answerSamples } from "./usage-samples.ts";

/** A query of the configuration: its most expensive rows by name, and the rest as `_other`. */
export function ownQueryJob(query: QueryConfig, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  const { name, dimensions, window: queryWindow, top } = query;
  return {
    ...queryJob(name, isRunning(queryWindow) ? 0 : COMPLETE_WINDOW_INTERVAL_MS, analytics, gateway),
    requests: 2,
    fingerprint: JSON.stringify(query),
    run: async (client, askedAtMs) => {
      const range = rangeOf(queryWindow, askedAtMs);
      const usage = await client.usage(questionOf(query, range), analytics.managementKey);
      const window = windowAt(
        queryWindow === "day" || queryWindow === "last_day" ? "day" : "month",
        askedAtMs,
      );
      const parts = await shownBreakdown(dimensions.length === 1 ? inOneColumn(usage) : usage, top);
      const value = {
        ...usageReading(usage, window, range, askedAtMs),
        keySpends: keySpends(query, usage, parts.pairs),
      };
      return {
        value,
        samples: [
          ...answerSamples(name, value, usage),
          ...sample(queryFamilies.folded, { query: name }, parts.foldedPairs, window),
          ...sample(queryFamilies.colliding, { query: name }, parts.collidingRows, window),
          ...sample(queryFamilies.exceedsTotal, { query: name }, parts.exceedsTotal, window),
          ...parts.pairs.flatMap((pair) => rowSamples(query, pair, window)),
        ],
        computedAtMs: usage.computedAtMs,
        concealedLabels: parts.concealedLabels,
        warning: warningOf(usage, window, askedAtMs, parts.concealedLabels),
      };
    },
  };
}

/** What a query asks for a time range. */
export function questionOf(
  { metrics, dimensions, classifier, filters }: QueryConfig,
  range: Window,
): UsageQuestion {
  return {
    range,
    pairs: true,
    total: true,
    rates: metrics.some((metric) => metric in RATE_OF),
    dimensions,
    classifier,
    filters: filters.map(({ field, operator, values, includeUnset }) => ({
      dimension: field,
      operator,
      values,
      withUnset: includeUnset,
    })),
  };
}

/**
 * The second label of rows with one dimension is that of the rest, so that a row that is called `_other` is
 * part of it.
 */
function inOneColumn(usage: Usage): Usage {
  return { ...usage, pairs: usage.pairs.map((pair) => ({ ...pair, app: OTHER })) };
}

function rowSamples({ name, dimensions, metrics }: QueryConfig, pair: Pair, window: Sample["window"]) {
  const values = [pair.model, pair.app];
  const labels = dimensions.map((dimension, index) => [labelName(dimension), values[index] ?? ""] as const);
  return metrics.flatMap((metric) =>
    labelledSample(ownQueryFamilies[metric], { query: name }, labels, valueOf(pair, metric), window),
  );
}

/** Two keys may share a name, so its label is not `key`. */
function labelName(dimension: string): string {
  return dimension === "api_key_id" ? "api_key" : dimension;
}

function valueOf({ amounts, rates }: Pair, metric: QueryMetric): number | undefined {
  const [amount, rate] = [AMOUNT_OF[metric], RATE_OF[metric]];
  return amount === undefined ? rate && rates[rate] : amounts[amount];
}

const AMOUNT_OF: Readonly<Partial<Record<QueryMetric, Amount>>> = {
  credits: "credits",
  byok_credits: "byokCredits",
  requests: "requests",
  tokens: "tokens",
  prompt_tokens: "promptTokens",
  completion_tokens: "completionTokens",
  reasoning_tokens: "reasoningTokens",
};
const RATE_OF: Readonly<Partial<Record<QueryMetric, Rate>>> = {
  cache_hit_ratio: "cacheHitRatio",
  latency_avg_seconds: "latencyAvgSeconds",
  latency_p90_seconds: "latencyP90Seconds",
};
