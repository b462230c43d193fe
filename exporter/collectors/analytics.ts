import type { AnalyticsConfig, Config } from "../config/config.ts";
import type { UsageQuestion } from "../gateway/port.ts";
import type { Family } from "../metrics/family.ts";
import type { UsageReading } from "../readings/reading.ts";
import type { Job } from "../schedule/job.ts";
import { windowAt, windowOf } from "../time/window.ts";
import {
  QUERIES,
  type Query,
  queryFamilies as families,
  rateFamilies,
  usageFamiliesOf,
} from "./analytics-families.ts";
import { shownBreakdown } from "./breakdown.ts";
import { type BudgetQuery, budgetQueries } from "./budget-queries.ts";
import type { Collector } from "./collector.ts";
import { ownQueryFamilies } from "./own-query-families.ts";
import { ownQueryJob } from "./own-query.ts";
import {
  isRunning,
  COMPLETE_WINDOW_INTERVAL_MS,
  queryJob,
  rangeOf,
  runningRange,
  usageReading,
  warningOf,
} from "./query-job.ts";
import { answerSamples, pairSamples } from "./usage-samples.ts";
import { windowSpend } from "./window-spend.ts";

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
          ...QUERIES.map((query) => windowJob(query, analytics, gateway)),
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
    run: async (client, askedAtMs) => {
      const range = rangeOf(query, askedAtMs);
      const rates = analytics.rates && query === "day";
      const question: UsageQuestion = { range, pairs: true, total: true, rates };
      const usage = await client.usage(question, analytics.managementKey);
      const window = windowAt(query === "day" || query === "last_day" ? "day" : "month", askedAtMs);
      // Budgets are over running windows; the last month shows which names occur.
      const spendWindow = isRunning(query) ? window : query === "last_month" ? range : undefined;
      const parts = await shownBreakdown(usage, analytics.top);
      const value: UsageReading = {
        ...usageReading(usage, window, range, askedAtMs),
        pairs: parts.pairs.map(({ model, app, amounts: { credits, requests } }) => ({
          model,
          app,
          credits,
          requests,
        })),
        foldedPairs: parts.foldedPairs,
        spend: spendWindow && windowSpend(spendWindow, usage, true),
        exceedsTotal: parts.exceedsTotal,
      };
      return {
        value,
        samples: [...answerSamples(query, value, usage), ...pairSamples(query, value, parts)],
        computedAtMs: usage.computedAtMs,
        concealedLabels: parts.concealedLabels,
        warning: warningOf(usage, window, askedAtMs, parts.concealedLabels),
      };
    },
  };
}

function budgetJob(query: BudgetQuery, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  const { name, period, pairs } = query;
  return {
    ...queryJob(name, 0, analytics, gateway),
    requests: pairs ? 2 : 1,
    fingerprint: JSON.stringify([pairs]),
    run: async (client, askedAtMs) => {
      const window = windowOf(period, askedAtMs);
      // The service rejects a range in the future.
      if (window.startMs > askedAtMs) return { samples: [], isEarly: true };
      const range = runningRange(window, askedAtMs);
      const usage = await client.usage({ range, pairs, total: true, rates: false }, analytics.managementKey);
      const value = {
        ...usageReading(usage, window, range, askedAtMs),
        spend: windowSpend(window, usage, pairs),
      };
      return {
        value,
        samples: answerSamples(name, value, usage),
        computedAtMs: usage.computedAtMs,
        warning: warningOf(usage, window, askedAtMs),
      };
    },
  };
}
