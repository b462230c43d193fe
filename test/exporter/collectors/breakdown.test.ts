import { describe, expect, test } from "vitest";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";
import type { AnalyticsAnswer, AnalyticsRow } from "../../../exporter/gateway/analytics.ts";

type Text = string | null;
/** Model, app, credits, requests, further values. */
type Short = readonly [Text, Text, number | null, number | null, Record<string, number | null>?];

function row([model, app, credits, requests, more = {}]: Short): AnalyticsRow {
  return {
    labels: { model, app },
    values: { total_usage: credits, request_count: requests, ...more },
    timeMs: undefined,
  };
}

function answer(rows: readonly Short[], change: Partial<AnalyticsAnswer> = {}): AnalyticsAnswer {
  const around = {
    unreadableRows: 0,
    truncated: false,
    warnings: [],
    cachedAtMs: undefined,
    queryTimeMs: undefined,
  };
  return { rows: rows.map(row), ...around, ...change };
}

/** The pairs, values that are not there left out. */
function pairs(
  rows: readonly Short[],
  sum: Short | undefined,
  top = 2,
  change: Partial<AnalyticsAnswer> = {},
) {
  const parts = breakdown(answer(rows, change), answer(sum ? [sum] : []), top);
  return parts.pairs.map(({ model, app, values }) => {
    const known = Object.entries(values).filter(([, value]) => value !== null);
    return [model, app, Object.fromEntries(known)];
  });
}

/** A total: no labels, credits, requests. */
function total(
  credits: number | null,
  requests: number | null,
  more: Record<string, number | null> = {},
): Short {
  return [null, null, credits, requests, more];
}

const A: Short = ["a", "x", 5, 10];
const B: Short = ["b", "x", 3, 20];
const C: Short = ["c", "y", 1, 30];
const [shownA, shownB, shownC] = [
  ["a", "x", { total_usage: 5, request_count: 10 }],
  ["b", "x", { total_usage: 3, request_count: 20 }],
  ["c", "y", { total_usage: 1, request_count: 30 }],
];

describe("breakdown: the cut", () => {
  test.each<[string, readonly Short[], Short | undefined, number, readonly unknown[]]>([
    ["nothing", [], total(0, 0), 2, []],
    ["nothing, not even a total", [], undefined, 2, []],
    ["fewer than the top", [A], total(5, 10), 2, [shownA]],
    ["as many as the top", [A, B], total(8, 30), 2, [shownA, shownB]],
    [
      "one more",
      [A, B, C],
      total(9, 60),
      2,
      [shownA, shownB, ["_other", "_other", { total_usage: 1, request_count: 30 }]],
    ],
    ["all folded", [A, B], total(8, 30), 0, [["_other", "_other", { total_usage: 8, request_count: 30 }]]],
    ["by credits, whatever the order", [C, B, A], total(9, 60), 3, [shownA, shownB, shownC]],
    [
      "a pair without credits is the last",
      [["n", "x", null, 99], ["d", "x", -2, 1], C],
      total(-1, 130),
      3,
      [shownC, ["d", "x", { total_usage: -2, request_count: 1 }], ["n", "x", { request_count: 99 }]],
    ],
    [
      "no total: the rest is what is known of it",
      [A, B, C],
      undefined,
      1,
      [shownA, ["_other", "_other", { total_usage: 4, request_count: 50 }]],
    ],
    [
      "a null total likewise",
      [A, B],
      total(null, null),
      1,
      [shownA, ["_other", "_other", { total_usage: 3, request_count: 20 }]],
    ],
    [
      "a discount is folded, too",
      [A, ["d", "x", -2, 1]],
      total(3, 11),
      1,
      [shownA, ["_other", "_other", { total_usage: -2, request_count: 1 }]],
    ],
    [
      "free requests are folded without credits",
      [A, ["f", "x", 0, 7]],
      total(5, 17),
      1,
      [shownA, ["_other", "_other", { request_count: 7 }]],
    ],
  ])("%s", (_, rows, sum, top, wanted) => {
    expect(pairs(rows, sum, top)).toEqual(wanted);
  });

  test("a count that is negative has no remainder", () => {
    const rest = ["_other", "_other", { total_usage: -2 }];
    expect(pairs([A, ["d", "x", -2, -1]], total(3, 9), 1)).toEqual([shownA, rest]);
  });

  test("counts the pairs that are folded", () => {
    expect(breakdown(answer([A, B, C]), answer([total(9, 60)]), 1)).toMatchObject({
      foldedPairs: 2,
      moved: false,
    });
    expect(breakdown(answer([A, B, C]), answer([total(9, 60)]), 3)).toMatchObject({
      foldedPairs: 0,
      moved: false,
    });
  });

  test("is the same whatever order the service gives to pairs of one price", () => {
    const free: readonly Short[] = [
      ["m", "x", 0, 1],
      ["k", "x", 0, 2],
      ["l", "x", 0, 1],
      ["l", "a", 0, 1],
    ];
    const names = (rows: readonly Short[]) => pairs(rows, total(0, 5), 3).map(([model, app]) => [model, app]);
    const wanted = [
      ["k", "x"],
      ["l", "a"],
      ["l", "x"],
      ["_other", "_other"],
    ];
    expect(names(free)).toEqual(wanted);
    expect(names(free.toReversed())).toEqual(wanted);
  });

  test("every metric has its own remainder", () => {
    const rows: readonly Short[] = [
      ["a", "x", 5, 10, tokens(600, null)],
      ["b", "x", 3, 20, tokens(400, 0)],
    ];
    expect(
      pairs(rows, total(8, 30, { tokens_total: 2000, tokens_prompt: 1000, reasoning_tokens: null }), 1),
    ).toEqual([
      ["a", "x", { total_usage: 5, request_count: 10, tokens_total: 1000, tokens_prompt: 600 }],
      ["_other", "_other", { total_usage: 3, request_count: 20, tokens_total: 1000, tokens_prompt: 400 }],
    ]);
  });
});

describe("breakdown: what the service does not list", () => {
  test.each<[string, Partial<AnalyticsAnswer>]>([
    ["truncated", { truncated: true }],
    ["unreadable rows", { unreadableRows: 1 }],
  ])("%s: the rest of the total is _other, and no reason to ask again", (_, change) => {
    expect(pairs([A], total(9, 60), 2, change)).toEqual([
      shownA,
      ["_other", "_other", { total_usage: 4, request_count: 50 }],
    ]);
    expect(breakdown(answer([A], change), answer([total(9, 60)]), 2)).toMatchObject({
      moved: false,
      foldedPairs: 0,
    });
  });

  test("truncated, the rest are discounts", () => {
    const rest = ["_other", "_other", { total_usage: -1, request_count: 2 }];
    expect(pairs([A], total(4, 12), 2, { truncated: true })).toEqual([shownA, rest]);
  });

  test("truncated, and nothing is left of the total", () => {
    expect(pairs([A], total(5, 10), 2, { truncated: true })).toEqual([shownA]);
  });
});

describe("breakdown: rows and total disagree", () => {
  test.each<[string, Short, boolean, readonly unknown[]]>([
    ["they agree", total(8, 30), false, []],
    [
      "a request came in",
      total(8.5, 31),
      true,
      [["_other", "_other", { total_usage: 0.5, request_count: 1 }]],
    ],
    ["a free request came in", total(8, 31), true, [["_other", "_other", { request_count: 1 }]]],
    ["a price was corrected", total(8.5, 30), true, []],
    ["a refund came in", total(7.5, 30), true, []],
    ["a count went down", total(8, 29), true, []],
    ["both went down", total(5, 10), true, []],
    ["dust", total(8.000000001, 30), false, []],
    ["just more than dust", total(8.00000002, 30), true, []],
    ["a total that does not tell", total(null, null), false, []],
  ])("%s", (_, sum, moved, others) => {
    expect(breakdown(answer([A, B]), answer([sum]), 2).moved).toBe(moved);
    expect(pairs([A, B], sum, 2)).toEqual([shownA, shownB, ...others]);
  });

  test.each<[string, Short, Record<string, number>]>([
    ["more than is known is _other's", total(8.5, 31), { total_usage: 3.5, request_count: 21 }],
    [
      "a total that is older than the rows takes nothing from what is folded",
      total(7, 25),
      { total_usage: 3, request_count: 20 },
    ],
  ])("with a fold: %s", (_, sum, values) => {
    expect(pairs([A, B], sum, 1)).toEqual([shownA, ["_other", "_other", values]]);
  });

  test("a count that is below the rows has no remainder, truncated or not", () => {
    expect(pairs([A], total(6, 9), 2, { truncated: true })).toEqual([
      shownA,
      ["_other", "_other", { total_usage: 1 }],
    ]);
  });
});

describe("breakdown: binary fractions", () => {
  test.each<[string, readonly Short[], Short, number, readonly unknown[]]>([
    [
      "a difference is as exact as its amounts",
      [
        ["a", "x", 0.3, 1],
        ["b", "x", 0.1, 1],
      ],
      total(0.4, 2),
      1,
      [
        ["a", "x", { total_usage: 0.3, request_count: 1 }],
        ["_other", "_other", { total_usage: 0.1, request_count: 1 }],
      ],
    ],
    [
      "what is left of three tenths",
      [
        ["a", "x", 0.1, 1],
        ["b", "x", 0.1, 1],
        ["c", "x", 0.1, 1],
      ],
      total(0.30000000000000004, 3),
      3,
      ["a", "b", "c"].map((model) => [model, "x", { total_usage: 0.1, request_count: 1 }]),
    ],
    [
      "a small remainder of a large total",
      [
        ["a", "x", 1234567.890123, 1],
        ["b", "x", 0.000001, 1],
      ],
      total(1234567.890124, 2),
      1,
      [
        ["a", "x", { total_usage: 1234567.890123, request_count: 1 }],
        ["_other", "_other", { request_count: 1 }],
      ],
    ],
    [
      "amounts that cancel each other leave their own dust",
      [
        ["a", "x", 0.2, 1],
        ["b", "x", 0.1, 1],
        ["c", "x", -0.3, 1],
        ["f", "x", null, 4],
      ],
      total(0, 7),
      3,
      [
        ["a", "x", { total_usage: 0.2, request_count: 1 }],
        ["b", "x", { total_usage: 0.1, request_count: 1 }],
        ["c", "x", { total_usage: -0.3, request_count: 1 }],
        ["_other", "_other", { request_count: 4 }],
      ],
    ],
  ])("%s", (_, rows, sum, top, wanted) => {
    expect(pairs(rows, sum, top)).toEqual(wanted);
    expect(breakdown(answer(rows), answer([sum]), top).moved).toBe(false);
  });
});

describe("breakdown: labels", () => {
  test.each<[string, readonly Short[], Short, readonly unknown[]]>([
    [
      "null and empty are _none",
      [[null, "", 5, 10]],
      total(5, 10),
      [["_none", "_none", { total_usage: 5, request_count: 10 }]],
    ],
    [
      "a text that reads _none is the same pair",
      [
        ["a", null, 0.1, 1],
        ["a", "_none", 0.2, 2],
        ["a", "", 0.3, 3],
      ],
      total(0.6, 6),
      [["a", "_none", { total_usage: 0.6, request_count: 6 }]],
    ],
    [
      "twins are summed as decimals",
      [
        ["a", "x", 0.1, 1],
        ["a", "x", 0.2, 2],
      ],
      total(0.3, 3),
      [["a", "x", { total_usage: 0.3, request_count: 3 }]],
    ],
    [
      "a twin without a value takes nothing away",
      [
        ["a", "x", 0.1, null],
        ["a", "x", null, null],
      ],
      total(0.1, null),
      [["a", "x", { total_usage: 0.1 }]],
    ],
    [
      "twins have no rates",
      [
        ["a", "x", 1, 1, { cache_hit_rate: 0.5, avg_latency: 7 }],
        ["a", "x", 2, 2, { cache_hit_rate: 0.7 }],
      ],
      total(3, 3),
      [["a", "x", { total_usage: 3, request_count: 3 }]],
    ],
    [
      "one row keeps its rates",
      [["a", "x", 1, 1, { cache_hit_rate: 0.5, p90_latency: null }]],
      total(1, 1),
      [["a", "x", { total_usage: 1, request_count: 1, cache_hit_rate: 0.5 }]],
    ],
    [
      "the same letters at another place are another pair",
      [
        ['a","b', "x", 2, 1],
        ["a", 'b","x', 1, 1],
      ],
      total(3, 2),
      [
        ['a","b', "x", { total_usage: 2, request_count: 1 }],
        ["a", 'b","x', { total_usage: 1, request_count: 1 }],
      ],
    ],
    [
      "halves of characters become one sign, and then one pair",
      [
        ["a\ud800", "x", 1, 1],
        ["a\udc00", "x", 2, 1],
      ],
      total(3, 2),
      [["a\ufffd", "x", { total_usage: 3, request_count: 2 }]],
    ],
    [
      "a pair called as the remainder, without one",
      [["_other", "_other", 1, 1, { cache_hit_rate: 0.5 }]],
      total(1, 1),
      [["_other", "_other", { total_usage: 1, request_count: 1, cache_hit_rate: 0.5 }]],
    ],
    [
      "a pair called as the remainder is part of it",
      [["_other", "_other", 5, 1, { cache_hit_rate: 0.5 }], A, C],
      total(11, 41),
      [shownA, ["_other", "_other", { total_usage: 6, request_count: 31 }]],
    ],
    [
      "a model called so is not the remainder",
      [["_other", "x", 9, 1], ["a", "_other", 8, 1], C],
      total(18, 32),
      [
        ["_other", "x", { total_usage: 9, request_count: 1 }],
        ["a", "_other", { total_usage: 8, request_count: 1 }],
        ["_other", "_other", { total_usage: 1, request_count: 30 }],
      ],
    ],
  ])("%s", (_, rows, sum, wanted) => {
    expect(pairs(rows, sum, 2)).toEqual(wanted);
  });

  test("counts the rows whose labels another row has", () => {
    const rows: readonly Short[] = [A, A, B, ["", null, 1, 1], [null, "", 1, 1], A];
    expect(breakdown(answer(rows), answer([total(20, 52)]), 5).collidingRows).toBe(3);
  });
});

function tokens(prompt: number | null, reasoning: number | null): Record<string, number | null> {
  return { tokens_total: 1000, tokens_prompt: prompt, reasoning_tokens: reasoning };
}
