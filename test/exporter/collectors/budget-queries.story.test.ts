import { describe, expect, onTestFinished, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { BudgetConfig, BudgetScope } from "../../../exporter/config/config.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import type { Job } from "../../../exporter/schedule/job.ts";
import type { Period } from "../../../exporter/time/window.ts";
import { secretSource, testConfig } from "../../support/test-config.ts";
import { amountsOf, createFakeClient, NO_USAGE } from "../../support/fake-client.ts";
import { seriesName } from "../../support/series.ts";
import { startTestApp } from "../../support/test-app.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-18T12:00:00Z");
const WEEK: Period = { kind: "week" };
const ACCOUNT: BudgetScope = { kind: "account" };
const MODEL: BudgetScope = { kind: "model", label: "acme/one" };
const KEYS: BudgetScope = { kind: "keys", names: ["billing"] };

type Wanted = readonly (readonly [Period, BudgetScope])[];

function jobsOf(...wanted: Wanted) {
  const budgets = wanted.map(([period, scope], index): BudgetConfig => {
    return { name: `b${index}`, limit: 1, period, scope, team: "" };
  });
  const analytics = { managementKey: secretSource("sk-management"), top: 50, rates: true, queries: [] };
  return analyticsCollector.jobs(testConfig({ analytics, budgets })).slice(4);
}

const USAGE: Usage = {
  ...NO_USAGE,
  pairs: [
    {
      model: "acme/one",
      app: "Chat",
      amounts: amountsOf({ credits: 2.5 }),
      rates: { cacheHitRatio: undefined, latencyAvgSeconds: undefined, latencyP90Seconds: undefined },
    },
  ],
  total: { amounts: amountsOf({ credits: 2.5 }), empty: false },
  rows: 1,
  computedAtMs: NOW - 1000,
  queryTimeMs: 7,
};

/** Runs the only job. */
async function run([job]: readonly Job[], requestedAtMs = NOW) {
  const { client, questions } = createFakeClient({ usage: USAGE });
  const result = await job?.run(client, requestedAtMs);
  return { questions, result };
}

describe("analytics: the queries of budgets", () => {
  test("ask nothing before a total begins", async () => {
    const since = [{ kind: "total", sinceMs: NOW }, ACCOUNT] as const;
    const early = await run(jobsOf(since), NOW - 1);
    expect(early).toEqual({ questions: [], result: { samples: [], isEarly: true } });
    expect((await run(jobsOf(since), NOW)).questions).toHaveLength(1);
  });

  test.each<[string, Wanted, readonly string[]]>([
    ["none without budgets", [], []],
    [
      "none for keys, days and months",
      [
        [WEEK, KEYS],
        [{ kind: "day" }, MODEL],
        [{ kind: "month" }, ACCOUNT],
      ],
      [],
    ],
    [
      "one for all budgets of a week",
      [
        [WEEK, MODEL],
        [WEEK, ACCOUNT],
        [WEEK, { kind: "app", label: "Chat" }],
      ],
      ["analytics/week"],
    ],
  ])("%s", (_, wanted, ids) => {
    expect(jobsOf(...wanted).map(({ id }) => id)).toEqual(ids);
  });

  test.each<[string, readonly BudgetScope[], boolean]>([
    ["a model, with the total that shows what the pairs lack,", [MODEL], true],
    ["the account", [ACCOUNT], false],
    ["both", [ACCOUNT, MODEL], true],
  ])("request only what %s needs, from Monday until now", async (_, scopes, pairs) => {
    const jobs = jobsOf(...scopes.map((scope) => [WEEK, scope] as const));
    const { questions } = await run(jobs);
    const range = { startMs: Date.parse("2026-11-16"), endMs: NOW };
    expect(questions).toEqual([{ range, pairs, total: true, rates: false }]);
    expect(jobs[0]?.requests).toBe(pairs ? 2 : 1);
  });
});

const spent = (budget: string) => `aigateway_budget_spent_credits{budget="${budget}"}`;

test("budgets over a user, a workspace and a provider each have a query of their own, complete or not", async () => {
  const app = await startTestApp({
    analytics: true,
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.world.addWorkspace("5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10", "Research");
      const call = { key: "docs", model: "acme/one", at: NOW - 3_600_000 };
      gateway.spend({ ...call, micros: 3_000_000, provider: "Acme" });
      gateway.spend({ ...call, micros: 4_000_000, provider: "Zeta", user: "ann" });
      gateway.spend({ ...call, micros: 5_000_000, workspace: "5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10" });
    },
    content: () => ({
      budgets: [
        { name: "ann", limit: 10, window: "day", user: "ann", at: [40] },
        { name: "lab", limit: 10, window: "week", workspace: "Research" },
        { name: "acme", limit: 10, window: "month", provider: "Acme" },
      ],
    }),
  });
  onTestFinished(() => app.stop());
  await app.clock.runTo(app.clock.now() + 400_000);
  const series = await app.seriesWhen((shown) => shown.get(spent("acme")) === 3);
  expect(["ann", "lab", "acme"].map((name) => series.get(spent(name)))).toEqual([4, 5, 3]);
  expect(series.get('aigateway_budget_complete{budget="lab"}')).toBe(1);
  const threshold = { budget: "ann", scope: "user", window: "day", at: "40" };
  expect(series.get(seriesName("aigateway_budget_threshold_ratio", threshold))).toBe(0.4);
});
