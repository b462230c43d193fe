import { describe, expect, test } from "vitest";
import {
  AMOUNT_METRICS,
  CREDITS_METRIC,
  type CreditMetric,
} from "../../../../exporter/gateway/wire/usage.ts";
import { parseUsageRows } from "../../../../exporter/gateway/wire/usage-rows.ts";
import { z } from "zod";
import { known, optional, shapeProblem, wireNumber } from "../../../../exporter/gateway/wire/fields.ts";

const ROW = { model: "One", app: "Chat", total_usage: 1.5, request_count: 3 };
const PAIR = {
  labels: ["One", "Chat"],
  amounts: {
    credits: 1.5,
    byokCredits: undefined,
    requests: 3,
    tokens: undefined,
    promptTokens: undefined,
    completionTokens: undefined,
    reasoningTokens: undefined,
  },
  rates: { cacheHitRatio: undefined, latencyAvgSeconds: undefined, latencyP90Seconds: undefined },
};

function body(rows: readonly unknown[], around: object = {}, metadata: object = {}) {
  return {
    data: {
      data: rows,
      metadata: { query_time_ms: 12, row_count: rows.length, truncated: false, ...metadata },
      ...around,
    },
  };
}

const BOTH: CreditMetric = { credits: AMOUNT_METRICS.credits, byok: true };

function parsePairs(answer: unknown, rates = false, creditMetric = BOTH) {
  return parseUsageRows(answer, { dimensions: ["model", "app"], creditMetric, rates }, "ask");
}

function parseTotal(answer: unknown) {
  return parseUsageRows(answer, { dimensions: [], creditMetric: BOTH, rates: false }, "ask");
}

function parsed(rows: readonly unknown[], withRates = false) {
  return parsePairs(body(rows), withRates);
}

describe("parsePairs: the answer around the rows", () => {
  const PLAIN = {
    rows: [PAIR],
    creditsSource: "total",
    unreadableRows: 0,
    rowProblem: undefined,
    truncated: false,
    warnings: 0,
    computedAtMs: undefined,
    queryTimeMs: 12,
  };
  test.each<[string, unknown, object]>([
    ["the contract's", body([ROW]), {}],
    ["more rows than these", body([ROW], {}, { truncated: true }), { truncated: true }],
    ["warnings", body([ROW], { warnings: ["no such key"] }), { warnings: 1, warnedHashes: new Set() }],
    [
      "warnings that name hashes",
      body([ROW], { warnings: [`hash "${"A1".repeat(32)}"`, `${"0".repeat(64)}, ${"0".repeat(65)}`, 3] }),
      { warnings: 3, warnedHashes: new Set(["a1".repeat(32), "0".repeat(64)]) },
    ],
    ["warnings of another type", body([ROW], { warnings: "none" }), {}],
    ["cached", body([ROW], { cachedAt: 1795003100000 }), { computedAtMs: 1795003100000 }],
    ["cached, in seconds", body([ROW], { cachedAt: 1795003100 }), { computedAtMs: 1795003100000 }],
    ["cached at an unreadable time", body([ROW], { cachedAt: "today" }), {}],
  ])("%s", async (_, answer, change) => {
    await expect(parsePairs(answer)).resolves.toEqual({ ...PLAIN, ...change });
  });

  test.each<[string, unknown, string]>([
    ["no data", {}, "data: Invalid input: expected object, received undefined"],
    ["rows without an envelope", { data: [ROW] }, "data: Invalid input: expected object, received array"],
    [
      "no rows",
      { data: { metadata: { truncated: false } } },
      "data.data: Invalid input: expected array, received undefined",
    ],
    [
      "no metadata",
      { data: { data: [] } },
      "data.metadata: Invalid input: expected object, received undefined",
    ],
    [
      "no field truncated",
      { data: { data: [], metadata: {} } },
      "data.metadata.truncated: Invalid input: expected boolean, received undefined",
    ],
    [
      "no readable row",
      body([{ model: "One" }, 7]),
      "none of the 2 rows can be read (the first: app: Invalid input: expected a text or a number)",
    ],
  ])("%s is a bad response", (_, answer, why) => {
    return expect(parsePairs(answer)).rejects.toThrow(
      expect.objectContaining({ kind: "bad_response", message: `Cannot ask: ${why}` }),
    );
  });
});

describe("parsePairs: rows", () => {
  const { labels, amounts, rates } = PAIR;
  test.each<[string, object, object]>([
    ["a count as a text", { request_count: "3" }, PAIR],
    [
      "null values",
      { total_usage: null, request_count: null },
      { ...PAIR, amounts: { ...amounts, credits: undefined, requests: undefined } },
    ],
    [
      "negative values",
      { total_usage: -0.25, request_count: "-1" },
      { ...PAIR, amounts: { ...amounts, credits: -0.25, requests: -1 } },
    ],
    ["null labels", { model: null, app: null }, { ...PAIR, labels: [null, null] }],
    ["more columns", { app_id: 5001, avg_latency: "much", date__day: "x", user: {} }, PAIR],
    [
      "every amount",
      {
        total_usage: 1.5,
        byok_usage: "0.5",
        request_count: 2,
        tokens_total: 3,
        tokens_prompt: 4,
        tokens_completion: "5",
        reasoning_tokens: 6,
      },
      {
        labels,
        amounts: {
          credits: 1,
          byokCredits: 0.5,
          requests: 2,
          tokens: 3,
          promptTokens: 4,
          completionTokens: 5,
          reasoningTokens: 6,
        },
        rates,
      },
    ],
  ])("%s", async (_, change, wanted) => {
    await expect(parsed([{ ...ROW, ...change }])).resolves.toMatchObject({ rows: [wanted] });
  });

  test.each<[string, object, object]>([
    ["none", {}, {}],
    [
      "all, latencies in milliseconds",
      { cache_hit_rate: "0.75", avg_latency: 1500, p90_latency: "2500" },
      { cacheHitRatio: 0.75, latencyAvgSeconds: 1.5, latencyP90Seconds: 2.5 },
    ],
  ])("requested rates: %s", async (_, columns, wanted) => {
    await expect(parsed([{ ...ROW, ...columns }], true)).resolves.toMatchObject({
      rows: [{ ...PAIR, rates: { ...rates, ...wanted } }],
    });
  });

  test.each<[string, unknown]>([
    ["a text", "One"],
    ["a missing label", { ...ROW, app: undefined }],
    ["a label of another type", { ...ROW, model: { name: "One" } }],
    ["a value that is not a number", { ...ROW, total_usage: "much" }],
  ])("%s is left out and counted as unreadable", async (_, row) => {
    await expect(parsed([row, ROW, row])).resolves.toMatchObject({ rows: [PAIR], unreadableRows: 2 });
  });

  test("the problem of the first unreadable row names the column, not the value", async () => {
    await expect(parsed([ROW, { ...ROW, total_usage: "sk-secret" }, {}])).resolves.toMatchObject({
      rowProblem: "total_usage: Invalid input: expected a finite number",
    });
  });
});

describe("parseTotal", () => {
  test("reads the sums from one row without labels", async () => {
    await expect(parseTotal(body([{ total_usage: "8.5", request_count: 30 }]))).resolves.toMatchObject({
      rows: [{ ...PAIR, labels: [], amounts: { ...PAIR.amounts, credits: 8.5, requests: 30 } }],
    });
  });
});

describe("credits of a row", () => {
  const CREDITS: CreditMetric = { credits: CREDITS_METRIC, byok: true };
  const TOTAL: CreditMetric = { credits: AMOUNT_METRICS.credits, byok: false };
  const SENT = { model: "One", app: "Chat", total_usage: 1.1, credits_usage: 0.7, byok_usage: 0.3 };
  test.each<[string, CreditMetric, object, number | undefined, number | undefined, string]>([
    ["charged to credits", CREDITS, {}, 0.7, 0.3, "credits"],
    ["without the metric of credits", BOTH, {}, 0.8, 0.3, "total_less_byok"],
    ["if BYOK is not sent", BOTH, { byok_usage: undefined }, 1.1, undefined, "total"],
    ["if BYOK is not requested", TOTAL, {}, 1.1, undefined, "total"],
    ["if the total is not known", BOTH, { total_usage: null }, undefined, 0.3, "total_less_byok"],
    ["beside an unreadable total that was not requested", CREDITS, { total_usage: {} }, 0.7, 0.3, "credits"],
  ])("%s", async (_, creditMetric, change, credits, byokCredits, creditsSource) => {
    const answer = await parsePairs(body([{ ...SENT, ...change }]), false, creditMetric);
    expect(answer).toMatchObject({ creditsSource, rows: [{ amounts: { credits, byokCredits } }] });
  });
});

describe("wireNumber", () => {
  test.each<[unknown, number]>([
    [1523, 1523],
    [-0.5, -0.5],
    ["1523", 1523],
    ["0.000001", 0.000001],
    ["+3", 3],
    [".5", 0.5],
    ["1e-6", 0.000001],
    [" 7\n", 7],
    ["12345678901234567890", 12345678901234567000],
  ])("%j: %d", (value, wanted) => {
    expect(wireNumber.parse(value)).toBe(wanted);
  });

  test.each<[unknown]>([
    [""],
    ["."],
    ["1,523"],
    ["0x10"],
    ["NaN"],
    ["1e999"],
    ["١٢"],
    [Number.POSITIVE_INFINITY],
    [true],
    [null],
    [{}],
  ])("%j is not a number", (value) => {
    expect(wireNumber.safeParse(value).success).toBe(false);
  });
});

describe("known and optional", () => {
  const fields = z.object({ promised: known(wireNumber), extra: optional(wireNumber) });

  test.each<[unknown, unknown]>([
    [
      { promised: "1", extra: 2 },
      { promised: 1, extra: 2 },
    ],
    [
      { promised: null, extra: null },
      { promised: undefined, extra: undefined },
    ],
    [{}, { promised: undefined, extra: undefined }],
    [{ extra: "much" }, { promised: undefined, extra: undefined }],
  ])("%j", (given, wanted) => {
    expect(fields.parse(given)).toEqual(wanted);
  });
});

describe("shapeProblem", () => {
  const shape = z.object({ data: z.object({ rows: z.array(z.object({ n: wireNumber })) }) });

  test.each<[unknown, string]>([
    [null, "the body: Invalid input: expected object, received null"],
    [{ data: "sk-secret" }, "data: Invalid input: expected object, received string"],
    [
      { data: { rows: [{ n: 1 }, { n: "sk-secret" }] } },
      "data.rows.1.n: Invalid input: expected a finite number",
    ],
  ])("%j: place and rule of the first problem, not its value", (value, wanted) => {
    const { error } = shape.safeParse(value);
    expect(error && shapeProblem(error)).toBe(wanted);
  });
});
