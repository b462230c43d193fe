import type { Figures } from "../ledger.ts";

const additiveMetricNames = [
  "request_count",
  "total_usage",
  "tokens_total",
  "tokens_prompt",
  "tokens_completion",
  "reasoning_tokens",
  "cached_tokens",
  "byok_usage",
  "credits_usage",
  "byok_fees",
  "openrouter_usage",
  "usage_upstream",
  "usage_cache",
  "usage_data",
  "byok_request_count",
] as const;
const rateMetricNames = [
  "cache_hit_rate",
  "avg_latency",
  "p50_latency",
  "p90_latency",
  "p95_latency",
  "p99_latency",
  "avg_throughput",
  "blended_cost_per_million_tokens",
] as const;
export const metricNames = [...additiveMetricNames, ...rateMetricNames] as const;

export type AdditiveMetric = (typeof additiveMetricNames)[number];
export type RateMetric = (typeof rateMetricNames)[number];
export type Metric = (typeof metricNames)[number];
export type Integers = Record<AdditiveMetric, number>;

/** Sums of entries; single latencies are kept only if a percentile is requested. */
export type Sums = Figures & { readonly latencies: { readonly ms: number; readonly requests: number }[] };

type Facts = {
  readonly label: string;
  readonly format: "number" | "currency" | "percent" | "latency" | "throughput";
  /** Reaches back 31 days instead of 367. */
  readonly isShort?: true;
};

export const metricTable: Readonly<Record<Metric, Facts>> = {
  request_count: { label: "Requests", format: "number" },
  total_usage: { label: "Total usage", format: "currency" },
  tokens_total: { label: "Tokens", format: "number" },
  tokens_prompt: { label: "Prompt tokens", format: "number" },
  tokens_completion: { label: "Completion tokens", format: "number" },
  reasoning_tokens: { label: "Reasoning tokens", format: "number" },
  cached_tokens: { label: "Cached tokens", format: "number" },
  byok_usage: { label: "BYOK usage", format: "currency" },
  credits_usage: { label: "Credits", format: "currency" },
  byok_fees: { label: "BYOK fees", format: "currency", isShort: true },
  openrouter_usage: { label: "Usage without BYOK", format: "currency", isShort: true },
  usage_upstream: { label: "Upstream", format: "currency" },
  usage_cache: { label: "Cache discount", format: "currency" },
  usage_data: { label: "Data discount", format: "currency", isShort: true },
  byok_request_count: { label: "BYOK requests", format: "number" },
  cache_hit_rate: { label: "Cache hit rate", format: "percent" },
  avg_latency: { label: "Latency", format: "latency", isShort: true },
  p50_latency: { label: "Latency, 50 %", format: "latency", isShort: true },
  p90_latency: { label: "Latency, 90 %", format: "latency", isShort: true },
  p95_latency: { label: "Latency, 95 %", format: "latency", isShort: true },
  p99_latency: { label: "Latency, 99 %", format: "latency", isShort: true },
  avg_throughput: { label: "Throughput", format: "throughput", isShort: true },
  blended_cost_per_million_tokens: { label: "Blended cost", format: "currency", isShort: true },
};

/** Every additive metric as an integer: a count, tokens, or micro-credits. All are linear, so sums of figures are enough. */
export function integersOf(figures: Figures): Integers {
  const { micros, byokMicros, byokFeeMicros, cacheMicros, dataMicros } = figures;
  return {
    request_count: figures.requests,
    total_usage: micros + byokMicros,
    tokens_total: figures.promptTokens + figures.completionTokens,
    tokens_prompt: figures.promptTokens,
    tokens_completion: figures.completionTokens,
    reasoning_tokens: figures.reasoningTokens,
    cached_tokens: figures.cachedTokens,
    byok_usage: byokMicros,
    credits_usage: micros,
    byok_fees: byokFeeMicros,
    openrouter_usage: micros - byokFeeMicros,
    usage_upstream: micros - byokFeeMicros - cacheMicros - dataMicros,
    usage_cache: cacheMicros,
    usage_data: dataMicros,
    byok_request_count: figures.byokRequests,
  };
}

/** As on the wire: money in credits. */
export function numbersOf(integers: Integers): Integers {
  const numbers = { ...integers };
  for (const name of additiveMetricNames) if (isMoney(name)) numbers[name] /= 1e6;
  return numbers;
}

export function additiveInteger(metric: AdditiveMetric, figures: Figures): number {
  return integersOf(figures)[metric];
}

export function isMoney(metric: AdditiveMetric): boolean {
  return metricTable[metric].format === "currency";
}

export function isRate(metric: Metric): metric is RateMetric {
  return rateMetricNames.some((name) => name === metric);
}

export function isPercentile(metric: Metric): boolean {
  return /^p\d+_/u.test(metric);
}

/** Null if the denominator is 0. */
export function rateValue(metric: RateMetric, sums: Sums): number | null {
  const tokens = sums.promptTokens + sums.completionTokens;
  switch (metric) {
    case "cache_hit_rate":
      return ratio(sums.cachedTokens, sums.promptTokens);
    case "avg_latency":
      return ratio(sums.latencyMs, sums.requests);
    case "avg_throughput":
      return ratio(sums.completionTokens * 1000, sums.latencyMs);
    case "blended_cost_per_million_tokens":
      return ratio(sums.micros + sums.byokMicros, tokens);
    case "p50_latency":
    case "p90_latency":
    case "p95_latency":
    case "p99_latency":
      return percentile(sums, Number(metric.slice(1, 3)));
  }
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

/** The smallest latency that this percentage of the requests does not exceed. */
function percentile(sums: Sums, percent: number): number | null {
  const all = sums.latencies
    .filter((part) => part.requests > 0)
    .toSorted((left, right) => left.ms - right.ms);
  const wanted = (all.reduce((sum, part) => sum + part.requests, 0) * percent) / 100;
  let seen = 0;
  for (const part of all) {
    seen += part.requests;
    if (seen >= wanted) return part.ms;
  }
  return null;
}
