import { type Family, gauge } from "../metrics/family.ts";

/** The windows that the analytics are asked for; the label `query`. */
export const QUERIES = ["day", "last_day", "month", "last_month"] as const;
export type Query = (typeof QUERIES)[number];

/** What is shown of each pair of model and app, and the service's metric that it comes from (observed-behaviour 9). */
export const USAGE_METRICS = [
  "total_usage",
  "request_count",
  "tokens_total",
  "tokens_prompt",
  "tokens_completion",
  "reasoning_tokens",
] as const;
export type UsageMetric = (typeof USAGE_METRICS)[number];

type Pair = "model" | "app";
const PAIR = ["model", "app"] as const;

const WINDOWS = {
  day: ["day", "in the current UTC day so far"],
  last_day: ["last_day", "in the last complete UTC day"],
  month: ["month", "in the current UTC month so far"],
  last_month: ["last_month", "in the last complete UTC month"],
} as const satisfies Record<Query, readonly [string, string]>;

function usageFamilies(query: Query): Record<UsageMetric, Family<Pair>> {
  const [window, when] = WINDOWS[query];
  const usage = (suffix: string, what: string, metric: UsageMetric) =>
    gauge({
      name: `aigateway_usage_${window}_${suffix}`,
      help: `${what} of a model by an app ${when} (metric ${metric} of POST /analytics/query). _other is all that has no series of its own.`,
      labels: PAIR,
      absent:
        "the pair had none, or is part of _other; 3 intervals after the last good answer; from the end of the UTC day or month until it is settled",
    });
  return {
    total_usage: usage("credits", "Credits spent on use", "total_usage"),
    request_count: usage("requests", "Requests", "request_count"),
    tokens_total: usage("tokens", "Tokens", "tokens_total"),
    tokens_prompt: usage("prompt_tokens", "Prompt tokens", "tokens_prompt"),
    tokens_completion: usage("completion_tokens", "Completion tokens", "tokens_completion"),
    reasoning_tokens: usage("reasoning_tokens", "Reasoning tokens", "reasoning_tokens"),
  };
}

/** Spend by model and app (contract 2.4). A null or empty label is `_none`. */
export const usageFamiliesOf: Record<Query, Record<UsageMetric, Family<Pair>>> = {
  day: usageFamilies("day"),
  last_day: usageFamilies("last_day"),
  month: usageFamilies("month"),
  last_month: usageFamilies("last_month"),
};

/** Rates of the current day, asked for when `analytics.rates` is set; never summed and never folded. */
export const rateFamilies = {
  cache_hit_rate: rate(
    "aigateway_cache_hit_ratio",
    "Share of prompt tokens served from a cache, 0 to 1",
    "cache_hit_rate",
  ),
  avg_latency: rate(
    "aigateway_request_latency_avg_seconds",
    "Mean latency of a request",
    "avg_latency, milliseconds",
  ),
  p90_latency: rate(
    "aigateway_request_latency_p90_seconds",
    "Latency that nine of ten requests stay below",
    "p90_latency, milliseconds",
  ),
};

function rate(name: string, what: string, metric: string): Family<Pair> {
  return gauge({
    name,
    help: `${what}, of a model by an app in the current UTC day so far (metric ${metric}, of POST /analytics/query).`,
    labels: PAIR,
    absent:
      "analytics.rates is not set; the service has no value; two rows have the same labels; otherwise as the usage of the day",
  });
}

function ofQuery(
  name: string,
  help: string,
  absent = "before the first good answer; 3 intervals after the last",
): Family<"query"> {
  return gauge({ name, help, labels: ["query"], absent });
}

/** What is known about each query itself. */
export const queryFamilies = {
  up: ofQuery(
    "aigateway_analytics_up",
    "Whether the last poll of the query succeeded (1) or failed (0).",
    "before the first poll",
  ),
  lastSuccess: ofQuery(
    "aigateway_analytics_last_success_timestamp_seconds",
    "When the last good answer to the query was asked for, seconds since the epoch. Outlives the values.",
    "before the first good answer",
  ),
  dataTimestamp: ofQuery(
    "aigateway_analytics_data_timestamp_seconds",
    "Until when the answer tells, seconds since the epoch: the field cachedAt of POST /analytics/query if sent, else the end of the range that was asked for.",
  ),
  windowStart: ofQuery(
    "aigateway_analytics_window_start_timestamp_seconds",
    "Start of the time range of the query, seconds since the epoch.",
  ),
  windowEnd: ofQuery(
    "aigateway_analytics_window_end_timestamp_seconds",
    "End of the time range of the query, seconds since the epoch: the end of the window, or the time of asking if that is still running.",
  ),
  rows: ofQuery("aigateway_analytics_rows", "Rows of the last answer."),
  truncated: ofQuery(
    "aigateway_analytics_truncated",
    "Whether the service has more rows than it answered (field metadata.truncated of POST /analytics/query): 1 if some pairs are known as part of _other only.",
  ),
  warnings: ofQuery(
    "aigateway_analytics_warnings",
    "Warnings of the last answer (field warnings of POST /analytics/query), on parts of the question that it could not resolve.",
  ),
  duration: ofQuery(
    "aigateway_analytics_query_duration_seconds",
    "Time that the service took for the query (field metadata.query_time_ms of POST /analytics/query).",
  ),
  folded: ofQuery(
    "aigateway_analytics_folded_series",
    "Pairs of model and app of the last answer that are shown as part of _other (analytics.top).",
  ),
  colliding: ofQuery(
    "aigateway_analytics_colliding_rows",
    "Rows of the last answer whose labels another row has, too: their amounts are summed, their rates dropped.",
  ),
  unreadable: ofQuery(
    "aigateway_analytics_unreadable_rows",
    "Rows of the last answer that could not be read: what they spent is part of _other.",
  ),
};
