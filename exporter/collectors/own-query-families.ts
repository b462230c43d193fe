import type { QueryMetric } from "../config/config.ts";
import { AMOUNT_PROVENANCE, RATE_PROVENANCE } from "../gateway/provenance.ts";
import { type Family, gauge } from "../metrics/family.ts";

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
