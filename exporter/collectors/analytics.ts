import {
  type AnalyticsConfig,
  BUDGET_DIMENSIONS,
  type BudgetConfig,
  type BudgetDimension,
  type Config,
  QUERY_WINDOWS,
} from "../config/config.ts";
import type { Family } from "../metrics/family.ts";
import type { Job } from "../schedule/job.ts";
import { yieldToEventLoop } from "../time/event-loop.ts";
import { windowOf, type Period } from "../time/window.ts";
import {
  type Query,
  queryFamilies as families,
  rateFamilies,
  usageFamiliesOf,
  ownQueryFamilies,
} from "./analytics-families.ts";
import { breakdown, windowSpend } from "./breakdown.ts";
import type { Collector } from "./collector.ts";
import { ownQueryJob } from "./own-query.ts";
import {
  isRunning,
  COMPLETE_WINDOW_INTERVAL_MS,
  queryJob,
  runningRange,
  timesOf,
  usageResult,
  pairSamples,
} from "./query-job.ts";
import { budgetQueryName } from "../readings/reading.ts";

/** Spend of each model and app in four windows, and the additional queries that budgets need. */
export const analyticsCollector: Collector = {
  name: "analytics",
  schedule: "analytics",
  families: [
    ...Object.values(families),
    ...Object.values(usageFamiliesOf).flatMap((usage) => Object.values(usage)),
    ...Object.values(rateFamilies),
    ...Object.values(ownQueryFamilies),
  ],
  lastSuccess: families.lastSuccess,
  cadence: (family, intervalMs) => {
    const usual = `${intervalMs / 1000} s`;
    const hourly = `${Math.max(intervalMs, COMPLETE_WINDOW_INTERVAL_MS) / 1000} s`;
    if (LAST_MONTH_FAMILIES.has(family)) return hourly;
    if (OWN_FAMILIES.has(family))
      return `${usual}, queries with the window last_day or last_month every ${hourly}`;
    if (!QUERY_FAMILIES.has(family)) return usual;
    return `${usual}, last_month and configured queries with the window last_day or last_month every ${hourly}`;
  },
  jobs: ({ gateway, analytics, budgets }) =>
    analytics
      ? [
          ...QUERY_WINDOWS.map((query) => windowJob(query, analytics, gateway)),
          ...budgetQueries(budgets).map((query) => budgetJob(query, analytics, gateway)),
          ...analytics.queries.map((query) => ownQueryJob(query, analytics, gateway)),
        ]
      : [],
};

const LAST_MONTH_FAMILIES: ReadonlySet<Family> = new Set(Object.values(usageFamiliesOf.last_month));
const QUERY_FAMILIES: ReadonlySet<Family> = new Set(Object.values(families));
const OWN_FAMILIES: ReadonlySet<Family> = new Set(Object.values(ownQueryFamilies));

function windowJob(query: Query, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  return {
    ...queryJob(query, query === "last_month" ? COMPLETE_WINDOW_INTERVAL_MS : 0, analytics, gateway),
    requests: 2,
    fingerprint: JSON.stringify([analytics.top, analytics.rates]),
    run: async (client, requestedAtMs) => {
      const times = timesOf(query, requestedAtMs);
      const { window, range } = times;
      const rates = analytics.rates && query === "day";
      const usage = await client.usage({ range, pairs: true, total: true, rates }, analytics.managementKey);
      // Budgets are over running windows; the last month shows which names occur.
      const spendWindow = isRunning(query) ? window : query === "last_month" ? range : undefined;
      const rows = breakdown(usage, analytics.top);
      await yieldToEventLoop();
      const value = {
        pairs: rows.pairs.map(({ model, app, amounts: { credits, requests } }) => ({
          model,
          app,
          credits,
          requests,
        })),
        foldedPairs: rows.foldedPairs,
        spend: spendWindow && windowSpend(spendWindow, usage, true),
        exceedsTotal: rows.exceedsTotal,
      };
      return usageResult(query, usage, times, { rows, value, samples: pairSamples(query, rows, window) });
    },
  };
}

function budgetJob(query: BudgetQuery, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  const { name, period, pairs, dimension } = query;
  const dimensions = dimension && { dimensions: [dimension] };
  return {
    ...queryJob(name, 0, analytics, gateway),
    requests: pairs ? 2 : 1,
    fingerprint: JSON.stringify([pairs, dimension]),
    run: async (client, requestedAtMs) => {
      const window = windowOf(period, requestedAtMs);
      // The service rejects a range in the future.
      if (window.startMs > requestedAtMs) return { samples: [], isEarly: true };
      const range = runningRange(window, requestedAtMs);
      const question = { range, pairs, total: true, rates: false, ...dimensions };
      const usage = await client.usage(question, analytics.managementKey);
      const value = { spend: windowSpend(window, usage, pairs) };
      return usageResult(name, usage, { window, range, requestedAtMs }, { value });
    },
  };
}

/** An analytics query that only budgets need. It includes the total, which shows what the pairs lack. */
export interface BudgetQuery {
  readonly name: string;
  readonly period: Period;
  /** Whether a budget of a model or an app needs the pairs. */
  readonly pairs: boolean;
  /** Instead of model and app. */
  readonly dimension?: BudgetDimension | undefined;
}

/** The queries for weeks, for totals since a date, and by other dimensions than model and app. Days and months are always queried. */
export function budgetQueries(budgets: readonly BudgetConfig[]): readonly BudgetQuery[] {
  const queries = new Map<string, BudgetQuery>();
  for (const { period, scope, limit } of budgets) {
    if (limit === "bought") continue;
    const dimension = BUDGET_DIMENSIONS.find((kind) => kind === scope.kind);
    const isAsked = (period.kind === "day" || period.kind === "month") && !dimension;
    if (scope.kind === "keys" || isAsked) continue;
    const name = budgetQueryName(scope.kind, period);
    const query = queries.get(name);
    queries.set(name, { name, period, dimension, pairs: query?.pairs === true || scope.kind !== "account" });
  }
  return [...queries.values()];
}
