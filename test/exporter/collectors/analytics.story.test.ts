import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import { QUERY_WINDOWS } from "../../../exporter/config/config.ts";
import { createFakeClient, NO_USAGE } from "../../support/fake-client.ts";
import { expositionOf } from "../../support/exposition-of.ts";
import { analyticsBody, jobOf, NOON, runOn, usageLines } from "./analytics-exposition.ts";

const ONE = {
  model: "One",
  app: "Chat",
  total_usage: 1.5,
  request_count: 3,
  tokens_total: 1200,
  tokens_prompt: 1000,
  tokens_completion: 200,
  reasoning_tokens: 50,
};
const TWO = { ...ONE, model: "Two", app: null, total_usage: 0.25, reasoning_tokens: null };
const BOTH = {
  total_usage: 1.75,
  request_count: 6,
  tokens_total: 2400,
  tokens_prompt: 2000,
  tokens_completion: 400,
  reasoning_tokens: 50,
};
const TOTAL = { ...ONE, model: undefined, app: undefined };
const RATES = { cache_hit_rate: 0.75, avg_latency: 1500, p90_latency: "2500" };

describe("analytics: a whole run", () => {
  test("as a whole exposition", async () => {
    const grouped = analyticsBody([{ ...ONE, ...RATES }, TWO], { cachedAt: NOON - 5000, warnings: ["odd"] });
    const { samples } = await runOn([grouped], analyticsBody([BOTH]), { rates: true });
    const state = { up: true, unauthorized: undefined, lastSuccessMs: NOON };
    const all = [...jobOf().describe(state), ...samples];
    const { text, openmetrics } = expositionOf(analyticsCollector.families, all);
    await expect(text).toMatchFileSnapshot("../../golden/analytics-day.prom");
    await expect(openmetrics).toMatchFileSnapshot("../../golden/analytics-day.openmetrics");
  });

  test.each(QUERY_WINDOWS)("query %s: its own families, and the state of the query", async (query) => {
    const grouped = analyticsBody([ONE]);
    const { lines } = await runOn([grouped], analyticsBody([TOTAL]), { query });
    const prefix = `aigateway_usage_${query}`;
    const labels = '{model="One",app="Chat"}';
    expect(lines.filter((line) => line.includes("_usage_"))).toEqual([
      `${prefix}_credits${labels} 1.5`,
      `${prefix}_requests${labels} 3`,
      `${prefix}_tokens${labels} 1200`,
      `${prefix}_prompt_tokens${labels} 1000`,
      `${prefix}_completion_tokens${labels} 200`,
      `${prefix}_reasoning_tokens${labels} 50`,
    ]);
  });

  test("the state has no sample before the first run, and is 0 after a failure", () => {
    expect(describeState(undefined)).toEqual([]);
    expect(describeState(false)).toEqual(['aigateway_analytics_up{query="day"} 0']);
    expect(describeState(true, NOON)).toEqual([
      'aigateway_analytics_up{query="day"} 1',
      'aigateway_analytics_last_success_timestamp_seconds{query="day"} 1795003200',
    ]);
  });
});

describe("analytics: the state of a query", () => {
  test.each<[string, object, string]>([
    ["unreadable rows", analyticsBody([ONE, { model: 7 }, {}]), "unreadable_rows 2"],
    ["truncated", analyticsBody([ONE], {}, { truncated: true }), "truncated 1"],
    ["warnings", analyticsBody([ONE], { warnings: ["a", "b"] }), "warnings 2"],
    ["folded", analyticsBody([ONE, TWO, { ...ONE, app: "Other" }]), "folded_series 1"],
    ["colliding", analyticsBody([ONE, ONE, TWO]), "colliding_rows 1"],
    ["duration", analyticsBody([ONE], {}, { query_time_ms: "1500" }), "query_duration_seconds 1.5"],
    ["cached", analyticsBody([ONE], { cachedAt: NOON - 90_000 }), "data_timestamp_seconds 1795003110"],
    ["not cached: the end of the range", analyticsBody([ONE]), "data_timestamp_seconds 1795003200"],
  ])("%s: %s", async (_, body, wanted) => {
    const { lines } = await runOn([body, body], analyticsBody([BOTH]), { top: 2 });
    const [name, value] = wanted.split(" ");
    expect(lines).toContain(`aigateway_analytics_${name}{query="day"} ${value}`);
  });
});

describe("analytics: values", () => {
  const L = '{model="One",app="Chat"}';
  test.each<[string, object, readonly string[]]>([
    [
      "nulls have no samples",
      { total_usage: null, request_count: 1, tokens_total: null },
      [`requests${L} 1`],
    ],
    [
      "zeros are zeros",
      { total_usage: 0, request_count: 1, reasoning_tokens: 0 },
      [`credits${L} 0`, `requests${L} 1`, `reasoning_tokens${L} 0`],
    ],
    [
      "BYOK",
      { total_usage: 1, request_count: 1, byok_usage: 0.75 },
      [`credits${L} 0.25`, `byok_credits${L} 0.75`, `requests${L} 1`],
    ],
  ])("%s", async (_, row, wanted) => {
    const pair = { model: "One", app: "Chat" };
    expect(await usageLines([{ ...pair, ...row }], { request_count: 1, ...row })).toEqual(wanted);
  });
});

describe("analytics: labels", () => {
  test.each<[string, unknown, string]>([
    ["null", null, "_none"],
    ["quotes and backslashes", 'a"b\\c', 'a\\"b\\\\c'],
    ["any script", "Übersetzer 翻訳 🤖", "Übersetzer 翻訳 🤖"],
    ["__proto__", "__proto__", "__proto__"],
  ])("%s", async (_, label, written) => {
    const total = { total_usage: 1 };
    expect(await usageLines([{ model: label, app: "x", ...total }], total)).toEqual([
      `credits{model="${written}",app="x"} 1`,
    ]);
    expect(await usageLines([{ model: "m", app: label, ...total }], total)).toEqual([
      `credits{model="m",app="${written}"} 1`,
    ]);
  });
});

describe("analytics: rates", () => {
  test("in base units, for pairs that are shown, never for the remainder", async () => {
    const rows = [
      { ...ONE, ...RATES },
      { ...TWO, ...RATES, cache_hit_rate: null },
      { ...ONE, ...RATES, app: "Folded", total_usage: 0 },
    ];
    expect(rateLines(await usageLines(rows, BOTH, { rates: true, top: 2 }))).toEqual([
      'cache_hit_ratio{model="One",app="Chat"} 0.75',
      'request_latency_avg_seconds{model="One",app="Chat"} 1.5',
      'request_latency_avg_seconds{model="Two",app="_none"} 1.5',
      'request_latency_p90_seconds{model="One",app="Chat"} 2.5',
      'request_latency_p90_seconds{model="Two",app="_none"} 2.5',
    ]);
  });

  test.each(QUERY_WINDOWS)(
    "of %s are requested only if analytics.rates is set, and only for the day",
    async (query) => {
      for (const wanted of [true, false]) {
        const { client, questions } = createFakeClient({ usage: NO_USAGE });
        await jobOf({ query, rates: wanted }).run(client, NOON);
        expect(questions.map(({ rates }) => rates)).toEqual([wanted && query === "day"]);
      }
    },
  );
});

function describeState(up: boolean | undefined, lastSuccessMs?: number): readonly string[] {
  return jobOf()
    .describe({ up, unauthorized: undefined, lastSuccessMs })
    .map(({ family, labels, value }) => `${family.name}{${labels}} ${value}`);
}

function rateLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /^(cache_hit|request_latency)/.test(line));
}
