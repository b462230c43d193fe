import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { BudgetScope } from "../../../exporter/config/config.ts";
import type { AnalyticsAnswer } from "../../../exporter/gateway/analytics.ts";
import type { AnalyticsRequest } from "../../../exporter/gateway/analytics-request.ts";
import type { Gateway } from "../../../exporter/gateway/gateway.ts";
import type { Period } from "../../../exporter/time/window.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { testAnalytics, testBudget, testConfig } from "../../support/test-config.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-18T12:00:00Z");
const WEEK: Period = { kind: "week" };
const SINCE: Period = { kind: "total", sinceMs: Date.parse("2026-10-01") };
const ACCOUNT: BudgetScope = { kind: "account" };
const MODEL: BudgetScope = { kind: "model", label: "acme/one" };
const KEYS: BudgetScope = { kind: "keys", names: ["billing"] };

type Wanted = readonly (readonly [Period, BudgetScope])[];

function targetsOf(...wanted: Wanted) {
  const budgets = wanted.map(([period, scope], index) => testBudget(`b${index}`, { period, scope }));
  const analytics = testAnalytics({ rates: true });
  return analyticsCollector.targets(testConfig({ analytics, budgets })).slice(4);
}

/** Polls the only target; the service answers one row to everything. */
async function poll(targets: ReturnType<typeof targetsOf>, askedAtMs = NOW) {
  const asked: AnalyticsRequest[] = [];
  const row = { labels: { model: "acme/one", app: "Chat" }, values: { total_usage: 2.5 }, timeMs: undefined };
  const answer: AnalyticsAnswer = {
    rows: [row],
    unreadableRows: 0,
    truncated: false,
    warnings: [],
    cachedAtMs: undefined,
    queryTimeMs: 7,
  };
  const gateway: Gateway = {
    readKey: () => Promise.reject(new Error("Nobody asks for a key")),
    queryAnalytics: (_, request) => {
      asked.push(request);
      return Promise.resolve(answer);
    },
    close: () => Promise.resolve(),
  };
  const reading = await targets[0]?.poll(gateway, askedAtMs, new AbortController().signal);
  return { asked, reading };
}

describe("budgets ask the analytics", () => {
  test.each<[string, Wanted, readonly string[]]>([
    ["nothing without budgets", [], []],
    [
      "nothing more for keys, days and months",
      [
        [WEEK, KEYS],
        [{ kind: "day" }, MODEL],
        [{ kind: "month" }, ACCOUNT],
      ],
      [],
    ],
    [
      "once for all budgets of a week",
      [
        [WEEK, MODEL],
        [WEEK, ACCOUNT],
        [WEEK, { kind: "app", label: "Chat" }],
      ],
      ["analytics/week"],
    ],
    [
      "once for each date",
      [
        [SINCE, ACCOUNT],
        [SINCE, MODEL],
        [{ kind: "total", sinceMs: NOW }, ACCOUNT],
      ],
      ["analytics/since_2026-10-01", "analytics/since_2026-11-18T12:00:00Z"],
    ],
  ])("%s", (_, wanted, ids) => {
    expect(targetsOf(...wanted).map(({ id }) => id)).toEqual(ids);
  });

  test.each<[string, readonly BudgetScope[], readonly string[]]>([
    ["a model", [MODEL], ["model,app"]],
    ["the account", [ACCOUNT], ["total"]],
    ["both", [ACCOUNT, MODEL], ["model,app", "total"]],
  ])("no more than %s needs, from Monday until now", async (_, scopes, questions) => {
    const { asked } = await poll(targetsOf(...scopes.map((scope) => [WEEK, scope] as const)));
    expect(asked.map(({ dimensions }) => dimensions?.join(",") ?? "total")).toEqual(questions);
    for (const { timeRange } of asked)
      expect(timeRange).toEqual({ startMs: Date.parse("2026-11-16"), endMs: NOW });
  });

  test("for at least a second, when the range has hardly begun or not at all", async () => {
    const { asked } = await poll(targetsOf([SINCE, ACCOUNT]), Date.parse("2026-09-30T23:00:00Z"));
    const startMs = Date.parse("2026-10-01");
    expect(asked.map(({ timeRange }) => timeRange)).toEqual([{ startMs, endMs: startMs + 1000 }]);
  });

  test("and tell the spend of the window, and how the query went", async () => {
    const { reading } = await poll(targetsOf([SINCE, ACCOUNT], [SINCE, MODEL]));
    expect(reading?.spend).toEqual([
      {
        window: { startMs: Date.parse("2026-10-01"), endMs: Number.POSITIVE_INFINITY },
        credits: 2.5,
        breakdown: { pairs: [{ model: "acme/one", app: "Chat", credits: 2.5 }], complete: true },
      },
    ]);
    const query = 'query="since_2026-10-01"';
    expect(sampleLines(analyticsCollector.families, reading?.samples ?? [])).toEqual([
      `aigateway_analytics_data_timestamp_seconds{${query}} 1795003200`,
      `aigateway_analytics_window_start_timestamp_seconds{${query}} 1790812800`,
      `aigateway_analytics_window_end_timestamp_seconds{${query}} 1795003200`,
      `aigateway_analytics_rows{${query}} 1`,
      `aigateway_analytics_truncated{${query}} 0`,
      `aigateway_analytics_warnings{${query}} 0`,
      `aigateway_analytics_query_duration_seconds{${query}} 0.007`,
      `aigateway_analytics_unreadable_rows{${query}} 0`,
    ]);
  });
});
