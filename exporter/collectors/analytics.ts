import type { AnalyticsConfig, Config } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import type { Usage, UsageQuestion } from "../gateway/port.ts";
import type { Family } from "../metrics/family.ts";
import type { UsageReading } from "../readings/reading.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job } from "../schedule/job.ts";
import { type Window, windowAt, windowBefore, windowOf } from "../time/window.ts";
import {
  QUERIES,
  type Query,
  queryFamilies as families,
  rateFamilies,
  usageFamiliesOf,
} from "./analytics-families.ts";
import { breakdown, cutPairs } from "./breakdown.ts";
import { type BudgetQuery, budgetQueries } from "./budget-queries.ts";
import type { Collector } from "./collector.ts";
import { shownLabels } from "./label-text.ts";
import { answerSamples, pairSamples, stateSamples } from "./usage-samples.ts";
import { windowSpend } from "./window-spend.ts";

/** Spend of each model and app in four windows, and the additional queries that budgets need. */
export const analyticsCollector: Collector = {
  name: "analytics",
  schedule: "analytics",
  families: [
    ...Object.values(families),
    ...Object.values(usageFamiliesOf).flatMap((usage) => Object.values(usage)),
    ...Object.values(rateFamilies),
  ],
  lastSuccess: families.lastSuccess,
  cadence: (family, intervalMs) => {
    const [usual, lastMonth] = [intervalMs, Math.max(intervalMs, LAST_MONTH_INTERVAL_MS)].map(
      (ms) => `${ms / 1000} s`,
    );
    if (LAST_MONTH_FAMILIES.has(family)) return `${lastMonth}`;
    return QUERY_FAMILIES.has(family) ? `${usual}, last_month every ${lastMonth}` : `${usual}`;
  },
  jobs: ({ gateway, analytics, budgets }) =>
    analytics
      ? [
          ...QUERIES.map((query) => windowJob(query, analytics, gateway)),
          ...budgetQueries(budgets).map((query) => budgetJob(query, analytics, gateway)),
        ]
      : [],
};

const LAST_MONTH_FAMILIES: ReadonlySet<Family> = new Set(Object.values(usageFamiliesOf.last_month));
const QUERY_FAMILIES: ReadonlySet<Family> = new Set(Object.values(families));

/** A complete month hardly changes, and is the most expensive query for the service. */
const LAST_MONTH_INTERVAL_MS = 3_600_000;

function windowJob(query: Query, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  return {
    ...queryJob(query, analytics, gateway),
    requests: 2,
    minIntervalMs: query === "last_month" ? LAST_MONTH_INTERVAL_MS : 0,
    fingerprint: JSON.stringify([analytics.top, analytics.rates]),
    run: async (client, askedAtMs) => {
      const range = rangeOf(query, askedAtMs);
      const rates = analytics.rates && query === "day";
      const question: UsageQuestion = { range, pairs: true, total: true, rates };
      const usage = await client.usage(question, analytics.managementKey);
      const window = windowAt(query === "day" || query === "last_day" ? "day" : "month", askedAtMs);
      // Budgets are over running windows; the last month shows which names occur.
      const spendWindow = isRunning(query) ? window : query === "last_month" ? range : undefined;
      const cut = cutPairs(usage, analytics.top);
      const shownOf = await shownLabels(cut.named.flatMap(({ model, app }) => [model, app]));
      const parts = breakdown(usage, cut, shownOf);
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
        warning: warningOf(usage, parts.concealedLabels),
      };
    },
  };
}

function budgetJob(query: BudgetQuery, analytics: AnalyticsConfig, gateway: Config["gateway"]): Job {
  const { name, period, pairs } = query;
  return {
    ...queryJob(name, analytics, gateway),
    requests: pairs ? 2 : 1,
    minIntervalMs: 0,
    fingerprint: JSON.stringify([pairs]),
    run: async (client, askedAtMs) => {
      const window = windowOf(period, askedAtMs);
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
        warning: warningOf(usage, 0),
      };
    },
  };
}

/** The parts that all queries share. */
function queryJob(name: string, { managementKey }: AnalyticsConfig, { baseUrl }: Config["gateway"]) {
  return {
    id: targetId("analytics", name),
    title: `analytics query "${name}"`,
    name,
    endpoint: "analytics",
    identity: JSON.stringify([baseUrl, identityOf(managementKey)]),
    constants: [],
    describe: (state) => stateSamples(name, state),
  } satisfies Partial<Job>;
}

/**
 * A reading without pairs and spend. The data end no later than the request, because a fast clock of the service would
 * otherwise hide their age.
 */
function usageReading(usage: Usage, window: Window, range: Window, askedAtMs: number): UsageReading {
  const { total } = usage;
  return {
    kind: "usage",
    window,
    range,
    dataMs: Math.min(usage.computedAtMs ?? range.endMs, askedAtMs),
    credits: total?.empty ? 0 : total?.amounts.credits,
    requests: total?.empty ? 0 : total?.amounts.requests,
    pairs: [],
    foldedPairs: 0,
    truncated: usage.truncated,
    spend: undefined,
    exceedsTotal: false,
  };
}

/** The numbers change with each run, so they are metrics; only the reasons are logged. */
function warningOf({ rowProblem }: Usage, concealedLabels: number): string | undefined {
  const reasons = [
    ...(rowProblem ? [`some rows cannot be read and are part of _other (the first: ${rowProblem})`] : []),
    ...(concealedLabels > 0
      ? ["some names of models or apps reveal a secret and are shown as _concealed"]
      : []),
  ];
  return reasons.length > 0 ? reasons.join("; ") : undefined;
}

/** The time range of a query. */
function rangeOf(query: Query, askedAtMs: number): Window {
  if (isRunning(query)) return runningRange(windowAt(query, askedAtMs), askedAtMs);
  return windowBefore(query === "last_day" ? "day" : "month", askedAtMs);
}

function isRunning(query: Query): query is "day" | "month" {
  return query === "day" || query === "month";
}

/** The time range of a running window: it ends now. */
function runningRange({ startMs }: Window, askedAtMs: number): Window {
  // The service rejects an empty range, and every service resolves whole seconds.
  return { startMs, endMs: Math.max(askedAtMs, startMs + 1000) };
}
