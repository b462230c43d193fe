import { AMOUNT_PROVENANCE, RATE_PROVENANCE, USAGE_PROVENANCE } from "../gateway/wire/usage.ts";
import type { Amount, Rate } from "../gateway/port.ts";
import { type Family, gauge, stateset } from "../metrics/family.ts";
import type { QueryConfig, QueryMetric } from "../config/config.ts";

/** The windows of the analytics queries; the label `query`. */
export type Query = QueryConfig["window"];

type Pair = "model" | "app";
const PAIR = ["model", "app"] as const;

const WINDOWS = {
  day: ["day", "in the current UTC day so far"],
  last_day: ["last_day", "in the last complete UTC day"],
  month: ["month", "in the current UTC month so far"],
  last_month: ["last_month", "in the last complete UTC month"],
} as const satisfies Record<Query, readonly [string, string]>;

function usageFamilies(query: Query): Record<Amount, Family<Pair>> {
  const [window, when] = WINDOWS[query];
  const prefix = `aigateway_usage_${window}`;
  const usage = (name: string, what: string, amount: Amount) =>
    gauge({
      name,
      help: `${what} of a model by an app ${when} (${AMOUNT_PROVENANCE[amount]}). _other is everything without a series of its own, so that the sum is the total.`,
      labels: PAIR,
      absent:
        "the pair had none, or is part of _other; 3 intervals after the last good answer; from the end of the UTC day or month until the new one is settled",
    });
  return {
    credits: usage(`${prefix}_credits`, "Credits spent on use", "credits"),
    byokCredits: usage(
      `${prefix}_byok_credits`,
      "Cost, at market rates, of use that was paid at a provider with your own keys (BYOK), not with credits,",
      "byokCredits",
    ),
    requests: usage(`${prefix}_requests`, "Requests", "requests"),
    tokens: usage(`${prefix}_tokens`, "Tokens", "tokens"),
    promptTokens: usage(`${prefix}_prompt_tokens`, "Prompt tokens", "promptTokens"),
    completionTokens: usage(`${prefix}_completion_tokens`, "Completion tokens", "completionTokens"),
    reasoningTokens: usage(`${prefix}_reasoning_tokens`, "Reasoning tokens", "reasoningTokens"),
  };
}

/** Spend by model and app (contract 2.4). A null or empty label is `_none`. */
export const usageFamiliesOf: Record<Query, Record<Amount, Family<Pair>>> = {
  day: usageFamilies("day"),
  last_day: usageFamilies("last_day"),
  month: usageFamilies("month"),
  last_month: usageFamilies("last_month"),
};

/** Rates of the current day, queried if `analytics.rates` is set; never summed and never folded into `_other`. */
export const rateFamilies: Record<Rate, Family<Pair>> = {
  cacheHitRatio: rate(
    "aigateway_cache_hit_ratio",
    "Share of prompt tokens served from a cache, 0 to 1",
    "cacheHitRatio",
  ),
  latencyAvgSeconds: rate(
    "aigateway_request_latency_avg_seconds",
    "Mean latency of a request",
    "latencyAvgSeconds",
  ),
  latencyP90Seconds: rate(
    "aigateway_request_latency_p90_seconds",
    "Latency that nine of ten requests stay below",
    "latencyP90Seconds",
  ),
};

function rate(name: string, what: string, of: Rate): Family<Pair> {
  return gauge({
    name,
    help: `${what}, of a model by an app in the current UTC day so far (${RATE_PROVENANCE[of]}).`,
    labels: PAIR,
    absent:
      "analytics.rates is not set; the service has no value; two rows have the same labels; otherwise like the usage of the day",
  });
}

function ofQuery(
  name: string,
  help: string,
  absent = "before the first good answer; 3 intervals after the last",
): Family<"query"> {
  return gauge({ name, help, labels: ["query"], absent });
}

/** The state of each query. */
export const queryFamilies = {
  up: ofQuery(
    "aigateway_analytics_up",
    "Whether the last poll of the query succeeded (1), or failed or is more than 3 intervals old (0).",
    "before the first poll",
  ),
  lastSuccess: ofQuery(
    "aigateway_analytics_last_success_timestamp_seconds",
    "When the last good answer to the query was requested, seconds since the epoch. Outlives the values.",
    "before the first good answer",
  ),
  dataTimestamp: ofQuery(
    "aigateway_analytics_data_timestamp_seconds",
    `End of the data in the answer, seconds since the epoch: the ${USAGE_PROVENANCE.computedAt} if sent, else the end of the requested range.`,
  ),
  windowStart: ofQuery(
    "aigateway_analytics_window_start_timestamp_seconds",
    "Start of the time range of the query, seconds since the epoch.",
  ),
  windowEnd: ofQuery(
    "aigateway_analytics_window_end_timestamp_seconds",
    "End of the time range of the query, seconds since the epoch: the end of the window, or the time of the request while the window is current.",
  ),
  creditsSource: stateset({
    name: "aigateway_analytics_credits_source",
    help: `How the credits of the last answer were found: credits (${USAGE_PROVENANCE.credits}), total_less_byok (${USAGE_PROVENANCE.totalLessByok}), or total (${USAGE_PROVENANCE.total}). With total they may contain use that your own provider keys (BYOK) paid.`,
    labels: ["query", "aigateway_analytics_credits_source"],
    absent: "before the first good answer; 3 intervals after the last",
  }),
  rows: ofQuery("aigateway_analytics_rows", "Rows of the last answer."),
  truncated: ofQuery(
    "aigateway_analytics_truncated",
    `Whether the service has more rows than it sent (${USAGE_PROVENANCE.truncated}): 1 if some pairs are known only as part of _other.`,
  ),
  warnings: ofQuery(
    "aigateway_analytics_warnings",
    `Warnings of the last answer (${USAGE_PROVENANCE.warnings}), about parts of the query that the service could not resolve.`,
  ),
  duration: ofQuery(
    "aigateway_analytics_query_duration_seconds",
    `Time that the service took for the query (${USAGE_PROVENANCE.queryTime}).`,
  ),
  folded: ofQuery(
    "aigateway_analytics_folded_series",
    "Pairs of model and app of the last answer that are shown as part of _other (analytics.top).",
  ),
  colliding: ofQuery(
    "aigateway_analytics_colliding_rows",
    "Rows of the last answer with the same labels as another row: amounts are summed, rates are dropped.",
  ),
  exceedsTotal: ofQuery(
    "aigateway_analytics_excess",
    "Whether the rows of the last answer add up to more than its total, in credits, requests or tokens: 1 if the sum over all pairs is above the total, because the service contradicts itself or a row changed between the two requests.",
  ),
  unreadable: ofQuery(
    "aigateway_analytics_unreadable_rows",
    "Unreadable rows of the last answer; their spend is part of _other.",
  ),
};

function ofRow(name: string, what: string, from: string, isAmount = true): Family<"query"> {
  const rest = isAmount
    ? " _other is everything without a series of its own, so that the sum is the total."
    : "";
  return gauge({
    name: `aigateway_query_${name}`,
    help: `${what} of a row of a query of analytics.queries (${from}). It has a label for each dimension of the query; that of api_key_id is api_key.${rest}`,
    labels: ["query"],
    absent:
      "the query does not show it; the service has no value; 3 intervals after the last good answer; from the end of the UTC day or month until the new one is settled",
  });
}

/** The rows of configured queries. Their labels differ from query to query. */
export const ownQueryFamilies: Readonly<Record<QueryMetric, Family<"query">>> = {
  credits: ofRow("credits", "Credits spent", AMOUNT_PROVENANCE.credits),
  byok_credits: ofRow(
    "byok_credits",
    "Cost, at market rates, that your own provider keys (BYOK) paid,",
    AMOUNT_PROVENANCE.byokCredits,
  ),
  requests: ofRow("requests", "Requests", AMOUNT_PROVENANCE.requests),
  tokens: ofRow("tokens", "Tokens", AMOUNT_PROVENANCE.tokens),
  prompt_tokens: ofRow("prompt_tokens", "Prompt tokens", AMOUNT_PROVENANCE.promptTokens),
  completion_tokens: ofRow("completion_tokens", "Completion tokens", AMOUNT_PROVENANCE.completionTokens),
  reasoning_tokens: ofRow("reasoning_tokens", "Reasoning tokens", AMOUNT_PROVENANCE.reasoningTokens),
  cache_hit_ratio: ofRow(
    "cache_hit_ratio",
    "Share of prompt tokens served from a cache, 0 to 1,",
    RATE_PROVENANCE.cacheHitRatio,
    false,
  ),
  latency_avg_seconds: ofRow("latency_avg_seconds", "Mean latency", RATE_PROVENANCE.latencyAvgSeconds, false),
  latency_p90_seconds: ofRow(
    "latency_p90_seconds",
    "Latency that nine of ten requests stay below,",
    RATE_PROVENANCE.latencyP90Seconds,
    false,
  ),
};
