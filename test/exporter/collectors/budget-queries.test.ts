import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { BudgetConfig, BudgetScope } from "../../../exporter/config/config.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import type { Job } from "../../../exporter/schedule/job.ts";
import type { Period } from "../../../exporter/time/window.ts";
import { testConfig } from "../../support/test-config.ts";
import { amountsOf, createFakeClient, NO_USAGE } from "../../support/fake-client.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { secretSource } from "../../support/gateway-client.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-18T12:00:00Z");
const WEEK: Period = { kind: "week" };
const SINCE: Period = { kind: "total", sinceMs: Date.parse("2026-10-01") };
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

/** The fingerprint of the query that budgets of a week with these scopes need. */
function fingerprintOf(...scopes: readonly BudgetScope[]): string | undefined {
  return jobsOf(...scopes.map((scope) => [WEEK, scope] as const))[0]?.fingerprint;
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
async function run([job]: readonly Job[], askedAtMs = NOW) {
  const { client, questions } = createFakeClient({ usage: USAGE });
  const result = await job?.run(client, askedAtMs);
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
    [
      "one for each date",
      [
        [SINCE, ACCOUNT],
        [SINCE, MODEL],
        [{ kind: "total", sinceMs: NOW }, ACCOUNT],
      ],
      ["analytics/since_2026-10-01", "analytics/since_2026-11-18T12:00:00Z"],
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

  test("change their fingerprint with the requested data", () => {
    expect(fingerprintOf(ACCOUNT, MODEL)).not.toBe(fingerprintOf(ACCOUNT));
    expect(fingerprintOf(MODEL, ACCOUNT)).toBe(fingerprintOf(ACCOUNT, MODEL));
  });

  test("request at least a second if the range has hardly begun", async () => {
    const startMs = Date.parse("2026-10-01");
    const { questions } = await run(jobsOf([SINCE, ACCOUNT]), startMs + 1);
    expect(questions.map(({ range }) => range)).toEqual([{ startMs, endMs: startMs + 1000 }]);
  });

  test("return the spend of the window, and samples about the answer", async () => {
    const { result } = await run(jobsOf([SINCE, ACCOUNT], [SINCE, MODEL]));
    expect(result?.computedAtMs).toBe(NOW - 1000);
    expect(result?.value).toMatchObject({
      spend: {
        window: { startMs: Date.parse("2026-10-01"), endMs: Number.POSITIVE_INFINITY },
        credits: 2.5,
        gap: undefined,
        breakdown: { pairs: [{ model: "acme/one", app: "Chat", credits: 2.5 }], gap: undefined },
      },
    });
    const query = 'query="since_2026-10-01"';
    expect(sampleLines(analyticsCollector.families, result?.samples ?? [])).toEqual([
      `aigateway_analytics_data_timestamp_seconds{${query}} 1795003199`,
      `aigateway_analytics_window_start_timestamp_seconds{${query}} 1790812800`,
      `aigateway_analytics_window_end_timestamp_seconds{${query}} 1795003200`,
      ...["credits", "total_less_byok", "total"].map(
        (source) =>
          `aigateway_analytics_credits_source{${query},aigateway_analytics_credits_source="${source}"} ${Number(source === "credits")}`,
      ),
      `aigateway_analytics_rows{${query}} 1`,
      `aigateway_analytics_truncated{${query}} 0`,
      `aigateway_analytics_warnings{${query}} 0`,
      `aigateway_analytics_query_duration_seconds{${query}} 0.007`,
      `aigateway_analytics_unreadable_rows{${query}} 0`,
    ]);
  });
});
