import type { AnalyticsConfig, Config, QueryConfig, QueryMetric } from "../config/config.ts";
import { type Amount, type Rate, RATES, type Usage, type UsageQuestion } from "../gateway/port.ts";
import { labelledSample, type Sample } from "../metrics/family.ts";
import type { Job } from "../schedule/job.ts";
import { type Window, DAY_MS, MINUTE_MS } from "../time/window.ts";
import { OTHER, type Row, breakdown, hasAllRows, knownOf, rowsOf } from "./breakdown.ts";
import { COMPLETE_WINDOW_INTERVAL_MS, isRunning, queryJob, timesOf, usageResult } from "./query-job.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { decimalSum } from "../metrics/decimal-sum.ts";
import { asksKeySpend, type KeySpends } from "../readings/reading.ts";
import { targetId } from "../readings/target-id.ts";
import { ownQueryFamilies } from "./analytics-families.ts";

/** A query of the configuration: its most expensive rows by name, and the rest as `_other`. */
export function ownQueryJob(query: QueryConfig, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  const { name, dimensions, filters, window: queryWindow, top } = query;
  return {
    ...queryJob(name, isRunning(queryWindow) ? 0 : COMPLETE_WINDOW_INTERVAL_MS, analytics, gateway),
    requests: 2,
    fingerprint: JSON.stringify(query),
    run: async (client, requestedAtMs) => {
      const times = timesOf(queryWindow, requestedAtMs);
      const usage = await client.usage(questionOf(query, times.range), analytics.managementKey);
      if (filters.length > 0 && usage.warnings > 0) return { samples: [], warning: unresolvedText(query) };
      const rows = breakdown(dimensions.length === 1 ? inOneColumn(usage) : usage, top);
      return usageResult(name, usage, times, {
        rows,
        value: { keySpends: keySpends(query, usage, rows.pairs) },
        samples: rows.pairs.flatMap((row) => rowSamples(query, row, times.window)),
      });
    },
  };
}

/** A gateway that cannot resolve a filter may answer about everything. */
function unresolvedText({ filters }: QueryConfig): string {
  const parts = filters.map(({ field, values }) => {
    const more = values.length > MOST_NAMED ? ` and ${values.length - MOST_NAMED} more` : "";
    const shown = values.slice(0, MOST_NAMED).map((value) => `"${shownLabel(labelText(String(value)))}"`);
    return `${shown.join(", ")}${more} of the filter by ${field}`;
  });
  return `the result is not shown, because the gateway warns that it may not know ${parts.join(" or ")}`;
}

const MOST_NAMED = 3;

/** What a query asks for a time range. */
export function questionOf(
  { metrics, dimensions, classifier, filters }: QueryConfig,
  range: Window,
): UsageQuestion {
  return {
    range,
    pairs: true,
    total: true,
    rates: metrics.some(isRate),
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

/** Rows of one dimension get `_other` as the second label, which the rest has: a row named `_other` becomes part of the rest. */
function inOneColumn(usage: Usage): Usage {
  return { ...usage, pairs: usage.pairs.map((pair) => ({ ...pair, app: OTHER })) };
}

function rowSamples({ name, dimensions, metrics }: QueryConfig, row: Row, window: Sample["window"]) {
  const values = [row.model, row.app];
  const labels = dimensions.map((dimension, index) => [labelName(dimension), values[index] ?? ""] as const);
  return metrics.flatMap((metric) =>
    labelledSample(ownQueryFamilies[metric], { query: name }, labels, valueOf(row, metric), window),
  );
}

/** Two keys may share a name, so its label is not `key`. */
function labelName(dimension: string): string {
  return dimension === "api_key_id" ? "api_key" : dimension;
}

function valueOf({ amounts, rates }: Row, metric: QueryMetric): number | undefined {
  return { ...amounts, ...rates }[FIELD_OF[metric]];
}

function isRate(metric: QueryMetric): boolean {
  return RATES.some((rate) => rate === FIELD_OF[metric]);
}

const FIELD_OF: Readonly<Record<QueryMetric, Amount | Rate>> = {
  credits: "credits",
  byok_credits: "byokCredits",
  requests: "requests",
  tokens: "tokens",
  prompt_tokens: "promptTokens",
  completion_tokens: "completionTokens",
  reasoning_tokens: "reasoningTokens",
  cache_hit_ratio: "cacheHitRatio",
  latency_avg_seconds: "latencyAvgSeconds",
  latency_p90_seconds: "latencyP90Seconds",
};

/**
 * What each key spends by model; undefined: the query does not ask for that. `shown`: the pairs as `/metrics`
 * has them.
 */
export function keySpends(query: QueryConfig, usage: Usage, shown: readonly Row[]): KeySpends | undefined {
  if (!asksKeySpend(query)) return undefined;
  const isKeyFirst = query.dimensions[0] === "api_key_id";
  const keyOf = ({ model, app }: Row) => (isKeyFirst ? model : app);
  const modelOf = ({ model, app }: Row) => (isKeyFirst ? app : model);
  const named = Map.groupBy(shown, keyOf);
  const keys = [...Map.groupBy(rowsOf(usage.pairs), keyOf)].map(([key, rows]) => {
    const known = knownOf(rows, "credits");
    const models = (named.get(key) ?? [])
      .filter((pair) => keyOf(pair) !== OTHER || modelOf(pair) !== OTHER)
      .map((pair) => ({ model: modelOf(pair), credits: pair.amounts.credits }));
    const credits = known.length === 0 ? undefined : decimalSum(known);
    return [key, { models, credits, isComplete: known.length === rows.length }] as const;
  });
  return { keys: new Map(keys), hasAllRows: hasAllRows(usage) && usage.warnings === 0 };
}

/**
 * How many days back a window may begin. The last month of August 31 began on July 1, nearly 62 days before
 * its end.
 */
export const REACH_DAYS: Readonly<Record<QueryConfig["window"], number>> = {
  day: 1,
  last_day: 2,
  month: 31,
  last_month: 62,
};

/**
 * One request for each query of a month, which shows whether the gateway answers for the earliest time at
 * which its window may begin. At the beginning of a month, the query itself does not show that.
 */
export function reachJobs({ gateway, analytics }: Config): readonly Job[] {
  if (!analytics) return [];
  return analytics.queries.filter(asksReach).map((query) => ({
    ...ownQueryJob(query, analytics, gateway),
    id: targetId("reach", query.name),
    title: `reach of query "${query.name}"`,
    name: `${query.name}, ${REACH_DAYS[query.window]} days back`,
    requests: 1,
    minIntervalMs: 0,
    describe: () => [],
    run: async (client, requestedAtMs) => {
      // A window reaches back furthest in the last minute of its last day, which is one minute less than the full days.
      const startMs = requestedAtMs - REACH_DAYS[query.window] * DAY_MS + MINUTE_MS;
      const range = { startMs, endMs: startMs + DAY_MS };
      await client.usage({ ...questionOf(query, range), total: false }, analytics.managementKey);
      return { samples: [] };
    },
  }));
}

/** Whether the window of a query begins further back on later days than today. */
export function asksReach({ window }: QueryConfig): boolean {
  return window === "month" || window === "last_month";
}
