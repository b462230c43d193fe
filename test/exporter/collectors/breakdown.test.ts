import { describe, expect, test } from "vitest";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import { A, B, C, pairs, type Short, total, usage } from "./short-usage.ts";

type Amounts = Record<string, number>;
const other = (amounts: Amounts) => ["_other", "_other", amounts];
const shownA = ["a", "x", { credits: 5, requests: 10 }];
const shownB = ["b", "x", { credits: 3, requests: 20 }];
const shownC = ["c", "y", { credits: 1, requests: 30 }];

describe("breakdown: the cut", () => {
  test.each<[string, readonly Short[], Short | undefined, number, readonly unknown[]]>([
    ["nothing", [], undefined, 2, []],
    ["one more", [C, B, A], total(9, 60), 2, [shownA, shownB, other({ credits: 1, requests: 30 })]],
    [
      "a pair without credits is the last",
      [["n", "x", undefined, 99], ["d", "x", -2, 1], C],
      total(-1, 130),
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
      total(5, 17),
      1,
      [shownA, other({ requests: 7 })],
    ],
  ])("%s", (_, rows, sum, top, wanted) => {
    expect(pairs(rows, sum, top)).toEqual(wanted);
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
      total(0.6, 6),
      [["a", "_none", { credits: 0.6, requests: 6 }]],
    ],
    [
      "duplicates have no rates",
      [
        ["a", "x", 1, 1, { cacheHitRatio: 0.5 }],
        ["a", "x", undefined, 2, { cacheHitRatio: 0.7 }],
      ],
      total(1, 3),
      [["a", "x", { credits: 1, requests: 3 }]],
    ],
    [
      "a pair named like the remainder is part of it, and has no rates",
      [["_other", "_other", 5, 1, { cacheHitRatio: 0.5 }], A, C],
      total(11, 41),
      [shownA, shownC, other({ credits: 5, requests: 1 })],
    ],
  ])("%s", (_, rows, sum, wanted) => {
    expect(pairs(rows, sum, 2)).toEqual(wanted);
  });
});

describe("breakdown: rows and total disagree", () => {
  test.each<[string, Short, readonly unknown[]]>([
    ["a request was added", total(8.5, 31), [other({ credits: 0.5, requests: 1 })]],
    ["a refund was added", total(7.5, 30), []],
    ["every amount has its own remainder", total(8, 30, { tokens: 40 }), [other({ tokens: 40 })]],
  ])("%s", (_, sum, others) => {
    expect(pairs([A, B], sum, 2)).toEqual([shownA, shownB, ...others]);
  });

  test("a total that is older than the rows does not reduce what is folded", () => {
    expect(pairs([A, B], total(7, 25), 1)).toEqual([shownA, other({ credits: 3, requests: 20 })]);
  });

  test.each<[string, Partial<Usage>]>([
    ["truncated", { truncated: true }],
    ["unreadable rows", { unreadableRows: 1 }],
  ])("%s: the rest of the total is _other, also discounts", (_, change) => {
    expect(pairs([A], total(9, 60), 2, change)).toEqual([shownA, other({ credits: 4, requests: 50 })]);
    expect(pairs([A], total(4, 12), 2, change)).toEqual([shownA, other({ credits: -1, requests: 2 })]);
  });
});

test.each<[string, Short | undefined, Partial<Usage> & { top?: number }, boolean]>([
  ["equal", total(8, 30), {}, false],
  ["more credits, some folded", total(7.5, 30), { top: 1 }, true],
  [
    "more credits beside rows that were cut, which may be refunds",
    total(7.5, 30),
    { truncated: true },
    false,
  ],
  ["no readable total", undefined, { total: undefined }, false],
  ["no total row, so nothing was used", undefined, {}, true],
])("breakdown: whether the rows exceed the total: %s", (_, sum, { top = 2, ...change }, isExcess) => {
  expect(breakdown(usage([A, B], sum, change), top).exceedsTotal).toBe(isExcess);
});
