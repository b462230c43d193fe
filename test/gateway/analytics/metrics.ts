import type { Figures } from "../ledger.ts";

export const additiveMetricNames = [
  "request_count",
  "total_usage",
  "tokens_total",
  "tokens_prompt",
  "tokens_completion",
  "reasoning_tokens",
  "cached_tokens",
  "byok_usage",
] as const;
export const rateMetricNames = ["cache_hit_rate", "avg_latency", "p90_latency"] as const;
export const metricNames = [...additiveMetricNames, ...rateMetricNames] as const;

export type AdditiveMetric = (typeof additiveMetricNames)[number];
export type RateMetric = (typeof rateMetricNames)[number];
export type Metric = (typeof metricNames)[number];

/** Sums of entries; single latencies are kept only if a percentile is requested. */
export type Sums = Figures & { readonly latencies: { readonly ms: number; readonly requests: number }[] };

/** An integer: a count, tokens, or micro-credits. */
export function additiveInteger(metric: AdditiveMetric, figures: Figures): number {
  switch (metric) {
    case "request_count":
      return figures.requests;
    case "total_usage":
      return figures.micros;
    case "tokens_total":
      return figures.promptTokens + figures.completionTokens;
    case "tokens_prompt":
      return figures.promptTokens;
    case "tokens_completion":
      return figures.completionTokens;
    case "reasoning_tokens":
      return figures.reasoningTokens;
    case "cached_tokens":
      return figures.cachedTokens;
    case "byok_usage":
      return figures.byokMicros;
  }
}

export function isMoney(metric: AdditiveMetric): boolean {
  return metric === "total_usage" || metric === "byok_usage";
}

export function isRate(metric: Metric): metric is RateMetric {
  return metric === "cache_hit_rate" || metric === "avg_latency" || metric === "p90_latency";
}

/** Null if the denominator is 0. */
export function rateValue(metric: RateMetric, sums: Sums): number | null {
  switch (metric) {
    case "cache_hit_rate":
      return sums.promptTokens > 0 ? sums.cachedTokens / sums.promptTokens : null;
    case "avg_latency":
      return sums.requests > 0 ? sums.latencyMs / sums.requests : null;
    case "p90_latency":
      return ninetiethPercentile(sums);
  }
}

/** The smallest latency that 90 % of the requests do not exceed. */
function ninetiethPercentile(sums: Sums): number | null {
  const all = sums.latencies
    .filter((part) => part.requests > 0)
    .toSorted((left, right) => left.ms - right.ms);
  const wanted = all.reduce((sum, part) => sum + part.requests, 0) * 0.9;
  let seen = 0;
  for (const part of all) {
    seen += part.requests;
    if (seen >= wanted) return part.ms;
  }
  return null;
}
