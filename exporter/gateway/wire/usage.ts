import type { QueryClassifier } from "../../config/config.ts";
import type { Granularity, Window } from "../../time/window.ts";
import { type Amount, AMOUNTS, type Rate, RATES, type UsageFilter } from "../port.ts";
import { z } from "zod";
import type { Capabilities } from "../account.ts";
import { optional, parseBody, provenanceOf } from "./fields.ts";

/**
 * The metric of `POST /analytics/query` that each amount comes from (observed-behaviour 9). Credits come from this one
 * only where the service has no metric that leaves BYOK out.
 */
export const AMOUNT_METRICS = {
  credits: "total_usage",
  byokCredits: "byok_usage",
  requests: "request_count",
  tokens: "tokens_total",
  promptTokens: "tokens_prompt",
  completionTokens: "tokens_completion",
  reasoningTokens: "reasoning_tokens",
} as const satisfies Record<Amount, string>;

/** What was charged to credits, without BYOK. Not every service has it. */
export const CREDITS_METRIC = "credits_usage";

/** The metric that each rate comes from; latencies are milliseconds there. */
export const RATE_METRICS = {
  cacheHitRatio: "cache_hit_rate",
  latencyAvgSeconds: "avg_latency",
  latencyP90Seconds: "p90_latency",
} as const satisfies Record<Rate, string>;

const REQUEST = "POST /analytics/query";
const rateMetricOf = provenanceOf(RATE_METRICS, REQUEST, "metric ");

/** Where the amounts and the rates of a row come from, for HELP texts. */
export const AMOUNT_PROVENANCE: Readonly<Record<Amount, string>> = {
  ...provenanceOf(AMOUNT_METRICS, REQUEST, "metric "),
  credits: `metric ${CREDITS_METRIC} of ${REQUEST}, else ${AMOUNT_METRICS.credits} less ${AMOUNT_METRICS.byokCredits}`,
};
export const RATE_PROVENANCE: Readonly<Record<Rate, string>> = {
  ...rateMetricOf,
  latencyAvgSeconds: `${rateMetricOf.latencyAvgSeconds}, in milliseconds`,
  latencyP90Seconds: `${rateMetricOf.latencyP90Seconds}, in milliseconds`,
};

/** Where the values about an answer to a query come from. */
export const USAGE_PROVENANCE = {
  credits: `metric ${CREDITS_METRIC}`,
  totalLessByok: `metric ${AMOUNT_METRICS.credits} less ${AMOUNT_METRICS.byokCredits}`,
  total: `metric ${AMOUNT_METRICS.credits}, where the service does not send the other metrics`,
  computedAt: `field cachedAt of ${REQUEST}`,
  truncated: `field metadata.truncated of ${REQUEST}, or its row_count is above the number of rows`,
  warnings: `field warnings of ${REQUEST}`,
  queryTime: `field metadata.query_time_ms of ${REQUEST}`,
} as const;

/** The metric by which credits are requested. */
export interface CreditMetric {
  readonly credits: typeof CREDITS_METRIC | typeof AMOUNT_METRICS.credits;
  /** Whether BYOK is requested. */
  readonly byok: boolean;
}

/** What a request asks for each row. */
export interface UsageColumns {
  /** As the service names them; without any, the answer is one sum over everything. */
  readonly dimensions: readonly string[];
  readonly classifier?: QueryClassifier | undefined;
  readonly creditMetric: CreditMetric;
  readonly rates: boolean;
  readonly filters?: readonly UsageFilter[] | undefined;
  /** Asks for one row for each hour or day. */
  readonly granularity?: Granularity | undefined;
  readonly withoutTokens?: boolean | undefined;
}

/**
 * The service's row cap (contract 8). The query does not request fewer rows than that, because rows with equal labels
 * are summed before the cut.
 */
export const ROW_LIMIT = 1000;

/** Requests the most expensive rows, or the sum over everything. */
export function usageRequest(range: Window, columns: UsageColumns) {
  const { dimensions, classifier, creditMetric, rates, filters = [], granularity, withoutTokens } = columns;
  const metrics = [
    creditMetric.credits,
    ...(creditMetric.byok ? [AMOUNT_METRICS.byokCredits] : []),
    ...(withoutTokens ? [AMOUNT_METRICS.requests] : countMetrics),
    ...(rates ? rateMetrics : []),
  ];
  const plain = dimensions.filter((name) => !classifier?.dimensions.includes(name));
  const rows = {
    ...(plain.length > 0 && { dimensions: plain }),
    ...(classifier && { classifier_dimensions: wireClassifier(classifier) }),
    limit: ROW_LIMIT,
    order_by: { field: creditMetric.credits, direction: "desc" },
  };
  const body = {
    metrics,
    time_range: timeRange(range),
    ...(granularity && { granularity, limit: ROW_LIMIT }),
    ...(filters.length > 0 && { filters: filters.map(wireFilter) }),
    ...(dimensions.length > 0 && rows),
  };
  return { method: "POST", path: "/analytics/query", body } as const;
}

/** Rows without a tag are requested as well, so that the rows add up to the total. */
function wireClassifier({ id, dimensions }: QueryClassifier): object {
  return { classifier_id: id, dimension_names: dimensions, include_nulls: true };
}

function wireFilter({ dimension, operator, values, withUnset }: UsageFilter): object {
  return { field: dimension, operator, value: values, ...(withUnset && { include_unset: true }) };
}

const countMetrics = AMOUNTS.filter((amount) => amount !== "credits" && amount !== "byokCredits").map(
  (amount) => AMOUNT_METRICS[amount],
);
const rateMetrics = RATES.map((rate) => RATE_METRICS[rate]);

/** ISO 8601 with seconds and milliseconds: the service rejects minute precision (contract 2.1, rule 1). */
function timeRange({ startMs, endMs }: Window): object {
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
}

/** `GET /analytics/meta`. */
export const CAPABILITIES_REQUEST = {
  method: "GET",
  path: "/analytics/meta",
} as const;

/**
 * The names that queries may use. Entries without a name, or with one of more than 100
 * characters, are ignored, because only names are needed.
 * @throws GatewayError `bad_response` when the body has no list of metrics or dimensions.
 */
export function parseCapabilities(body: unknown, action: string): Capabilities {
  const { metrics, dimensions, granularities } = parseBody(CapabilitiesBody, body, action).data;
  return {
    metrics: namesOf(metrics),
    dimensions: namesOf(dimensions),
    granularities: namesOf(granularities ?? []),
  };
}

function namesOf(entries: readonly { readonly name: string | undefined }[]): readonly string[] {
  return entries.flatMap(({ name }) => name ?? []);
}

/** No service has longer names; comparing long ones takes time. */
const nameOf = z.string().max(100);

const named = z.object({ name: optional(nameOf) }).catch({ name: undefined });

const CapabilitiesBody = z.object({
  data: z.object({
    metrics: z.array(named),
    dimensions: z.array(named),
    granularities: optional(z.array(named)),
  }),
});
