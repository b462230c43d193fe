import { describe, expect, test } from "vitest";
import { A, B, C, pairs, type Short, total, usage } from "./short-usage.ts";
import { brokenDown } from "./broken-down.ts";

describe("breakdown: labels", () => {
  test.each<[string, readonly Short[], Short, readonly unknown[]]>([
    [
      "null and empty are _none",
      [[null, "", 5, 10]],
      total(5, 10),
      [["_none", "_none", { credits: 5, requests: 10 }]],
    ],
    [
      "the text _none gives the same pair",
      [
        ["a", null, 0.1, 1],
        ["a", "_none", 0.2, 2],
        ["a", "", 0.3, 3],
      ],
      total(0.6, 6),
      [["a", "_none", { credits: 0.6, requests: 6 }]],
    ],
    [
      "duplicates are summed as decimals",
      [
        ["a", "x", 0.1, 1],
        ["a", "x", 0.2, 2],
      ],
      total(0.3, 3),
      [["a", "x", { credits: 0.3, requests: 3 }]],
    ],
    [
      "a duplicate without a value does not reduce the sum",
      [
        ["a", "x", 0.1, undefined],
        ["a", "x", undefined, undefined],
      ],
      total(0.1, undefined),
      [["a", "x", { credits: 0.1 }]],
    ],
    [
      "duplicates have no rates",
      [
        ["a", "x", 1, 1, { cacheHitRatio: 0.5, latencyAvgSeconds: 7 }],
        ["a", "x", 2, 2, { cacheHitRatio: 0.7 }],
      ],
      total(3, 3),
      [["a", "x", { credits: 3, requests: 3 }]],
    ],
    [
      "one row keeps its rates",
      [["a", "x", 1, 1, { cacheHitRatio: 0.5, latencyP90Seconds: undefined }]],
      total(1, 1),
      [["a", "x", { credits: 1, requests: 1, cacheHitRatio: 0.5 }]],
    ],
    [
      "labels that only look equal when joined are different pairs",
      [
        ['a","b', "x", 2, 1],
        ["a", 'b","x', 1, 1],
      ],
      total(3, 2),
      [
        ['a","b', "x", { credits: 2, requests: 1 }],
        ["a", 'b","x', { credits: 1, requests: 1 }],
      ],
    ],
    [
      "lone surrogates become one character, and then one pair",
      [
        ["a\ud800", "x", 1, 1],
        ["a\udc00", "x", 2, 1],
      ],
      total(3, 2),
      [["a\ufffd", "x", { credits: 3, requests: 2 }]],
    ],
    [
      "a pair named like the remainder is the remainder, which has no rates",
      [["_other", "_other", 1, 1, { cacheHitRatio: 0.5 }]],
      total(1, 1),
      [["_other", "_other", { credits: 1, requests: 1 }]],
    ],
    [
      "a pair named like the remainder is part of it",
      [["_other", "_other", 5, 1, { cacheHitRatio: 0.5 }], A, C],
      total(11, 41),
      [
        ["a", "x", { credits: 5, requests: 10 }],
        ["c", "y", { credits: 1, requests: 30 }],
        ["_other", "_other", { credits: 5, requests: 1 }],
      ],
    ],
    [
      "a model with that name is not the remainder",
      [["_other", "x", 9, 1], ["a", "_other", 8, 1], C],
      total(18, 32),
      [
        ["_other", "x", { credits: 9, requests: 1 }],
        ["a", "_other", { credits: 8, requests: 1 }],
        ["_other", "_other", { credits: 1, requests: 30 }],
      ],
    ],
  ])("%s", (_, rows, sum, wanted) => {
    expect(pairs(rows, sum, 2)).toEqual(wanted);
  });

  test("counts the rows with the same labels as an earlier row", () => {
    const rows: readonly Short[] = [A, A, B, ["", null, 1, 1], [null, "", 1, 1], A];
    expect(brokenDown(usage(rows, total(20, 52)), 5).collidingRows).toBe(3);
  });
});
