import { describe, expect, test } from "vitest";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import { A, B, C, shortPairs, type Short, shortTotal, shortUsage } from "./analytics-exposition.ts";
import { keySpends } from "../../../exporter/collectors/own-query.ts";
import type { QueryConfig } from "../../../exporter/config/config.ts";

type Given = Record<string, number>;
const other = (amounts: Given) => ["_other", "_other", amounts];
const shownA = ["a", "x", { credits: 5, requests: 10 }];
const shownB = ["b", "x", { credits: 3, requests: 20 }];
const shownC = ["c", "y", { credits: 1, requests: 30 }];

describe("breakdown: the cut", () => {
  test.each<[string, readonly Short[], Short | undefined, number, readonly unknown[]]>([
    ["nothing", [], undefined, 2, []],
    ["one more", [C, B, A], shortTotal(9, 60), 2, [shownA, shownB, other({ credits: 1, requests: 30 })]],
    [
      "a pair without credits is the last",
      [["n", "x", undefined, 99], ["d", "x", -2, 1], C],
      shortTotal(-1, 130),
      3,
      [shownC, ["d", "x", { credits: -2, requests: 1 }], ["n", "x", { requests: 99 }]],
    ],
    [
      "without a total, what is known",
      [A, B, C],
      undefined,
      1,
      [shownA, other({ credits: 4, requests: 50 })],
    ],
    [
      "a free request has no credits",
      [A, ["f", "x", 0, 7]],
      shortTotal(5, 17),
      1,
      [shownA, other({ requests: 7 })],
    ],
  ])("%s", (_, rows, sum, top, wanted) => {
    expect(shortPairs(rows, sum, top)).toEqual(wanted);
  });
});

describe("breakdown: labels", () => {
  test.each<[string, readonly Short[], Short, readonly unknown[]]>([
    [
      "null, empty and the text _none are one pair",
      [
        ["a", null, 0.1, 1],
        ["a", "_none", 0.2, 2],
        ["a", "", 0.3, 3],
      ],
      shortTotal(0.6, 6),
      [["a", "_none", { credits: 0.6, requests: 6 }]],
    ],
    [
      "duplicates have no rates",
      [
        ["a", "x", 1, 1, { cacheHitRatio: 0.5 }],
        ["a", "x", undefined, 2, { cacheHitRatio: 0.7 }],
      ],
      shortTotal(1, 3),
      [["a", "x", { credits: 1, requests: 3 }]],
    ],
    [
      "a pair named like the remainder is part of it, and has no rates",
      [["_other", "_other", 5, 1, { cacheHitRatio: 0.5 }], A, C],
      shortTotal(11, 41),
      [shownA, shownC, other({ credits: 5, requests: 1 })],
    ],
  ])("%s", (_, rows, sum, wanted) => {
    expect(shortPairs(rows, sum, 2)).toEqual(wanted);
  });
});

describe("breakdown: rows and total disagree", () => {
  test.each<[string, Short, readonly unknown[]]>([
    ["a request was added", shortTotal(8.5, 31), [other({ credits: 0.5, requests: 1 })]],
    ["a refund was added", shortTotal(7.5, 30), []],
    ["every amount has its own remainder", shortTotal(8, 30, { tokens: 40 }), [other({ tokens: 40 })]],
  ])("%s", (_, sum, others) => {
    expect(shortPairs([A, B], sum, 2)).toEqual([shownA, shownB, ...others]);
  });

  test("a total that is older than the rows does not reduce what is folded", () => {
    expect(shortPairs([A, B], shortTotal(7, 25), 1)).toEqual([shownA, other({ credits: 3, requests: 20 })]);
  });

  test.each<[string, Partial<Usage>]>([
    ["truncated", { truncated: true }],
    ["unreadable rows", { unreadableRows: 1 }],
  ])("%s: the rest of the total is _other, also discounts", (_, change) => {
    expect(shortPairs([A], shortTotal(9, 60), 2, change)).toEqual([
      shownA,
      other({ credits: 4, requests: 50 }),
    ]);
    expect(shortPairs([A], shortTotal(4, 12), 2, change)).toEqual([
      shownA,
      other({ credits: -1, requests: 2 }),
    ]);
  });
});

test.each<[string, Short | undefined, Partial<Usage> & { top?: number }, boolean]>([
  ["equal", shortTotal(8, 30), {}, false],
  ["more credits, some folded", shortTotal(7.5, 30), { top: 1 }, true],
  [
    "more credits beside rows that were cut, which may be refunds",
    shortTotal(7.5, 30),
    { truncated: true },
    false,
  ],
  ["no readable total", undefined, { total: undefined }, false],
  ["no total row, so nothing was used", undefined, {}, true],
])("breakdown: whether the rows exceed the total: %s", (_, sum, { top = 2, ...change }, isExcess) => {
  expect(breakdown(shortUsage([A, B], sum, change), top).exceedsTotal).toBe(isExcess);
});

const QUERY: QueryConfig = {
  name: "keys-day",
  dimensions: ["api_key_id", "model"],
  metrics: ["credits"],
  window: "day",
  top: 2,
  filters: [],
};

/** The spend by key of rows of key, model, credits and requests, two of which are shown by name. */
function spendOf(rows: readonly Short[], change: Partial<QueryConfig> = {}, answer: Partial<Usage> = {}) {
  const query = { ...QUERY, ...change };
  const asked = shortUsage(rows, undefined, answer);
  const spends = keySpends(query, asked, breakdown(asked, query.top).pairs);
  return spends && { ...spends, keys: Object.fromEntries(spends.keys) };
}

const wholeOf = (models: readonly (readonly [string, number])[], credits: number) => ({
  models: models.map(([model, amount]) => ({ model, credits: amount })),
  credits,
  isComplete: true,
});

test("a key has its named models, and a total that contains its other rows", () => {
  const rows: Short[] = [
    ["Prod", "a", 0.7, 1],
    ["Prod", "b", 0.1, 1],
    ["Prod", "c", 0.2, 1],
    ["Batch", "a", 0.3, 1],
    [null, "a", 0.05, 1],
  ];
  expect(spendOf(rows)).toEqual({
    hasAllRows: true,
    keys: {
      Prod: wholeOf([["a", 0.7]], 1),
      Batch: wholeOf([["a", 0.3]], 0.3),
      _none: wholeOf([], 0.05),
    },
  });
  const turned = rows.map(([key, model, ...rest]): Short => [model, key, ...rest]);
  expect(spendOf(turned, { dimensions: ["model", "api_key_id"] })).toEqual(spendOf(rows));
});

test("an unknown amount makes its key incomplete, and is not 0", () => {
  const rows: Short[] = [
    ["Prod", "a", 1, 1],
    ["Prod", "b", undefined, 1],
    ["New", "a", undefined, 1],
  ];
  expect(spendOf(rows, { top: 5 })?.keys).toEqual({
    Prod: {
      models: [
        { model: "a", credits: 1 },
        { model: "b", credits: undefined },
      ],
      credits: 1,
      isComplete: false,
    },
    New: { models: [{ model: "a", credits: undefined }], credits: undefined, isComplete: false },
  });
});

test.each<[string, Partial<QueryConfig>]>([
  ["by another dimension", { dimensions: ["api_key_id", "app"] }],
  ["with a filter", { filters: [{ field: "model", operator: "in", values: ["a"], includeUnset: false }] }],
  ["without credits", { metrics: ["requests"] }],
])("a query %s has no spend by key and model", (_, change) => {
  expect(spendOf([["Prod", "a", 1, 1]], change)).toBeUndefined();
});
