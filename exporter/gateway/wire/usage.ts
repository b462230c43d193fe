import { z } from "zod";
import { seconds } from "../../metrics/family.ts";
import type { Window } from "../../time/window.ts";
import { GatewayError } from "../errors.ts";
import {
  type Amount,
  AMOUNTS,
  type Amounts,
  NO_AMOUNTS,
  NO_RATES,
  type Rate,
  RATES,
  type Usage,
  type UsagePair,
} from "../port.ts";
import { optional, parseBody, shapeProblem, wireNumber } from "./fields.ts";

/** The metric of `POST /analytics/query` that each amount comes from (observed-behaviour 9). */
export const AMOUNT_METRICS = {
  credits: "total_usage",
  requests: "request_count",
  tokens: "tokens_total",
  promptTokens: "tokens_prompt",
  completionTokens: "tokens_completion",
  reasoningTokens: "reasoning_tokens",
} as const satisfies Record<Amount, string>;

/** The metric that each rate comes from; latencies are milliseconds there. */
export const RATE_METRICS = {
  cacheHitRatio: "cache_hit_rate",
  latencyAvgSeconds: "avg_latency",
  latencyP90Seconds: "p90_latency",
} as const satisfies Record<Rate, string>;

/**
 * The service's row cap (contract 8). The query does not request fewer rows than that, because rows with equal labels
 * are summed before the cut.
 */
const ROW_LIMIT = 1000;

/** Requests the most expensive pairs of model and app. */
export function pairsRequest(range: Window, withRates: boolean) {
  return request({
    metrics: [...amountMetrics, ...(withRates ? rateMetrics : [])],
    dimensions: ["model", "app"],
    time_range: timeRange(range),
    limit: ROW_LIMIT,
    order_by: { field: AMOUNT_METRICS.credits, direction: "desc" },
  });
}

/** Requests the sum over everything. */
export function totalRequest(range: Window) {
  return request({ metrics: amountMetrics, time_range: timeRange(range) });
}

const amountMetrics = AMOUNTS.map((amount) => AMOUNT_METRICS[amount]);
const rateMetrics = RATES.map((rate) => RATE_METRICS[rate]);

function request(body: object) {
  return { method: "POST", path: "/analytics/query", body } as const;
}

/** ISO 8601 with seconds and milliseconds: the service rejects minute precision (contract 2.1, rule 1). */
function timeRange({ startMs, endMs }: Window): object {
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
}

/** An answer of `POST /analytics/query` (contract 2.4). */
export interface UsageRows<Row> extends Omit<Usage, "pairs" | "total" | "rows"> {
  readonly rows: readonly Row[];
}

/** @throws GatewayError `bad_response` when the shape is wrong, or no row of several can be read. */
export function parsePairs(body: unknown, withRates: boolean, action: string): UsageRows<UsagePair> {
  return parseRows(body, withRates ? PairWithRates : Pair, action);
}

/** The sum over everything has at most one row. @throws GatewayError as parsePairs. */
export function parseTotal(body: unknown, action: string): UsageRows<Amounts> {
  return parseRows(body, AmountColumns, action);
}

function parseRows<Row>(body: unknown, schema: z.ZodType<Row>, action: string): UsageRows<Row> {
  const { data: sentRows, metadata, cachedAt, warnings } = parseBody(UsageBody, body, action).data;
  const wireRows = sentRows.slice(0, ROW_LIMIT);
  const rows: Row[] = [];
  let rowProblem: string | undefined;
  for (const wireRow of wireRows) {
    const row = schema.safeParse(wireRow);
    if (row.success) rows.push(row.data);
    else rowProblem ??= shapeProblem(row.error);
  }
  if (rows.length === 0 && rowProblem !== undefined) {
    const message = `Cannot ${action}: none of the ${wireRows.length} rows can be read (the first: ${rowProblem})`;
    throw new GatewayError("bad_response", message);
  }
  return {
    rows,
    unreadableRows: wireRows.length - rows.length,
    rowProblem,
    truncated: metadata.truncated || Math.max(sentRows.length, metadata.row_count ?? 0) > wireRows.length,
    warnings: warnings?.length ?? 0,
    computedAtMs: cachedAt,
    queryTimeMs: metadata.query_time_ms,
  };
}

/** The fields that are read. */
export const UsageBody = z.object({
  data: z.object({
    data: z.array(z.unknown()),
    metadata: z.object({
      truncated: z.boolean(),
      query_time_ms: optional(wireNumber),
      row_count: optional(wireNumber),
    }),
    cachedAt: optional(wireNumber),
    // Warnings of any type are counted.
    warnings: optional(z.array(z.unknown())),
  }),
});

const value = wireNumber.nullish().transform((number) => number ?? undefined);
const milliseconds = value.transform(seconds);
const label = z
  .union([z.string(), z.number().transform(String)], { error: "Invalid input: expected a text or a number" })
  .nullable();

/** Only requested columns are read, because a service may send others (observed-behaviour 5). */
const amountColumns = {
  [AMOUNT_METRICS.credits]: value,
  [AMOUNT_METRICS.requests]: value,
  [AMOUNT_METRICS.tokens]: value,
  [AMOUNT_METRICS.promptTokens]: value,
  [AMOUNT_METRICS.completionTokens]: value,
  [AMOUNT_METRICS.reasoningTokens]: value,
};
const labelColumns = { model: label, app: label };

const AmountColumns = z.object(amountColumns).transform(amountsOf);
const Pair = z.object({ ...labelColumns, ...amountColumns }).transform((row) => ({
  model: row.model,
  app: row.app,
  amounts: amountsOf(row),
  rates: NO_RATES,
}));
/** The columns that are read. */
export const PairWithRates = z
  .object({
    ...labelColumns,
    ...amountColumns,
    [RATE_METRICS.cacheHitRatio]: value,
    [RATE_METRICS.latencyAvgSeconds]: milliseconds,
    [RATE_METRICS.latencyP90Seconds]: milliseconds,
  })
  .transform((row) => ({
    model: row.model,
    app: row.app,
    amounts: amountsOf(row),
    rates: {
      cacheHitRatio: row[RATE_METRICS.cacheHitRatio],
      latencyAvgSeconds: row[RATE_METRICS.latencyAvgSeconds],
      latencyP90Seconds: row[RATE_METRICS.latencyP90Seconds],
    },
  }));

type Columns = Readonly<Record<keyof typeof amountColumns, number | undefined>>;

function amountsOf(row: Columns): Amounts {
  const amounts: Record<Amount, number | undefined> = { ...NO_AMOUNTS };
  for (const amount of AMOUNTS) amounts[amount] = row[AMOUNT_METRICS[amount]];
  return amounts;
}
