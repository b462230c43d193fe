import { describe, expect, test } from "vitest";
import type { Usage } from "../../../exporter/gateway/port.ts";
import { A, B, C, type More, pairs, type Short, total, usage } from "./short-usage.ts";
import { brokenDown } from "./broken-down.ts";

const [shownA, shownB, shownC] = [
  ["a", "x", { credits: 5, requests: 10 }],
  ["b", "x", { credits: 3, requests: 20 }],
  ["c", "y", { credits: 1, requests: 30 }],
];

describe("breakdown: the cut", () => {
  test.each<[string, readonly Short[], Short | undefined, number, readonly unknown[]]>([
    ["nothing", [], total(0, 0), 2, []],
    ["nothing, and no total", [], undefined, 2, []],
    ["fewer than the top", [A], total(5, 10), 2, [shownA]],
    ["exactly as many as the top", [A, B], total(8, 30), 2, [shownA, shownB]],
    [
      "one more",
      [A, B, C],
      total(9, 60),
      2,
      [shownA, shownB, ["_other", "_other", { credits: 1, requests: 30 }]],
    ],
    ["everything folded", [A, B], total(8, 30), 0, [["_other", "_other", { credits: 8, requests: 30 }]]],
    ["by credits, whatever the order", [C, B, A], total(9, 60), 3, [shownA, shownB, shownC]],
    [
      "a pair without credits is the last",
      [["n", "x", undefined, 99], ["d", "x", -2, 1], C],
      total(-1, 130),
      3,
      [shownC, ["d", "x", { credits: -2, requests: 1 }], ["n", "x", { requests: 99 }]],
    ],
    [
      "no total: the remainder contains only what is known",
      [A, B, C],
      undefined,
      1,
      [shownA, ["_other", "_other", { credits: 4, requests: 50 }]],
    ],
    [
      "an unknown total: the same",
      [A, B],
      total(undefined, undefined),
      1,
      [shownA, ["_other", "_other", { credits: 3, requests: 20 }]],
    ],
    [
      "a discount is folded",
      [A, ["d", "x", -2, 1]],
      total(3, 11),
      1,
      [shownA, ["_other", "_other", { credits: -2, requests: 1 }]],
    ],
    [
      "free requests are folded without credits",
      [A, ["f", "x", 0, 7]],
      total(5, 17),
      1,
      [shownA, ["_other", "_other", { requests: 7 }]],
    ],
  ])("%s", (_, rows, sum, top, wanted) => {
    expect(pairs(rows, sum, top)).toEqual(wanted);
  });

  test("negative amounts of known pairs are part of the remainder", () => {
    const rest = ["_other", "_other", { credits: -2, requests: -1 }];
    expect(pairs([A, ["d", "x", -2, -1]], total(3, 9), 1)).toEqual([shownA, rest]);
  });

  test("counts the pairs that are folded", () => {
    expect(brokenDown(usage([A, B, C], total(9, 60)), 1).foldedPairs).toBe(2);
    expect(brokenDown(usage([A, B, C], total(9, 60)), 3).foldedPairs).toBe(0);
  });

  test("does not depend on the order of pairs with equal credits", () => {
    const free: readonly Short[] = [
      ["m", "x", 0, 1],
      ["k", "x", 0, 2],
      ["l", "x", 0, 1],
      ["l", "a", 0, 1],
    ];
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
      ["a", "x", 5, 10, tokens(600, undefined)],
      ["b", "x", 3, 20, tokens(400, 0)],
    ];
    expect(pairs(rows, total(8, 30, { tokens: 2000, promptTokens: 1000 }), 1)).toEqual([
      ["a", "x", { credits: 5, requests: 10, tokens: 1000, promptTokens: 600 }],
      ["_other", "_other", { credits: 3, requests: 20, tokens: 1000, promptTokens: 400 }],
    ]);
  });
});

describe("breakdown: pairs that the service does not list", () => {
  test.each<[string, Partial<Usage>]>([
    ["truncated", { truncated: true }],
    ["unreadable rows", { unreadableRows: 1 }],
  ])("%s: the rest of the total is _other", (_, change) => {
    expect(pairs([A], total(9, 60), 2, change)).toEqual([
      shownA,
      ["_other", "_other", { credits: 4, requests: 50 }],
    ]);
    expect(brokenDown(usage([A], total(9, 60), change), 2).foldedPairs).toBe(0);
  });

  test("truncated, the rest are discounts", () => {
    const rest = ["_other", "_other", { credits: -1, requests: 2 }];
    expect(pairs([A], total(4, 12), 2, { truncated: true })).toEqual([shownA, rest]);
  });

  test("truncated, and nothing is left of the total", () => {
    expect(pairs([A], total(5, 10), 2, { truncated: true })).toEqual([shownA]);
  });
});

describe("breakdown: rows and total disagree", () => {
  test.each<[string, Short, readonly unknown[]]>([
    ["they agree", total(8, 30), []],
    ["a request was added", total(8.5, 31), [["_other", "_other", { credits: 0.5, requests: 1 }]]],
    ["a free request was added", total(8, 31), [["_other", "_other", { requests: 1 }]]],
    ["a price was corrected", total(8.5, 30), [["_other", "_other", { credits: 0.5 }]]],
    ["a refund was added", total(7.5, 30), []],
    ["a count decreased", total(8, 29), []],
    ["both decreased", total(5, 10), []],
    ["an error of binary fractions", total(8.000000000000002, 31), [["_other", "_other", { requests: 1 }]]],
    ["a millionth", total(8.000001, 30), [["_other", "_other", { credits: 0.000001 }]]],
    [
      "a token of 50 billion",
      total(8, 30, { tokens: 50_000_000_040 }),
      [["_other", "_other", { tokens: 50_000_000_040 }]],
    ],
    ["a total without values", total(undefined, undefined), []],
  ])("%s", (_, sum, others) => {
    expect(pairs([A, B], sum, 2)).toEqual([shownA, shownB, ...others]);
  });

  test.each<[string, Short, Record<string, number>]>([
    ["a total above the known pairs goes to _other", total(8.5, 31), { credits: 3.5, requests: 21 }],
    [
      "a total that is older than the rows does not reduce what is folded",
      total(7, 25),
      { credits: 3, requests: 20 },
    ],
  ])("with a fold: %s", (_, sum, values) => {
    expect(pairs([A, B], sum, 1)).toEqual([shownA, ["_other", "_other", values]]);
  });

  test("a count that is below the rows has no remainder, truncated or not", () => {
    expect(pairs([A], total(6, 9), 2, { truncated: true })).toEqual([
      shownA,
      ["_other", "_other", { credits: 1 }],
    ]);
  });
});

describe("breakdown: whether the rows exceed the total", () => {
  test.each<[string, Short | undefined, Partial<Usage> & { top?: number }, boolean]>([
    ["equal", total(8, 30), {}, false],
    ["less", total(9, 31), {}, false],
    ["less by an error of binary fractions", total(8.000000000000002, 30), {}, false],
    ["more by an error of binary fractions", total(7.999999999999998, 30), {}, false],
    ["more credits", total(7.5, 30), {}, true],
    ["more credits, some folded", total(7.5, 30), { top: 1 }, true],
    ["more requests", total(8, 29), {}, true],
    [
      "more credits beside rows that were cut, which may be refunds",
      total(7.5, 30),
      { truncated: true },
      false,
    ],
    ["more requests beside rows that were cut", total(8, 29), { truncated: true }, true],
    ["an unknown total", total(undefined, undefined), {}, false],
    ["no readable total", undefined, { total: undefined }, false],
    ["no total row, so nothing was used", undefined, {}, true],
  ])("%s", (_, sum, { top = 2, ...change }, isExcess) => {
    expect(brokenDown(usage([A, B], sum, change), top).exceedsTotal).toBe(isExcess);
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
        ["a", "x", { credits: 0.3, requests: 1 }],
        ["_other", "_other", { credits: 0.1, requests: 1 }],
      ],
    ],
    [
      "an error of three tenths",
      [
        ["a", "x", 0.1, 1],
        ["b", "x", 0.1, 1],
        ["c", "x", 0.1, 1],
      ],
      total(0.30000000000000004, 3),
      3,
      ["a", "b", "c"].map((model) => [model, "x", { credits: 0.1, requests: 1 }]),
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
        ["a", "x", { credits: 1234567.890123, requests: 1 }],
        ["_other", "_other", { credits: 0.000001, requests: 1 }],
      ],
    ],
    [
      "amounts that cancel out leave an error proportional to their own size",
      [
        ["a", "x", 0.2, 1],
        ["b", "x", 0.1, 1],
        ["c", "x", -0.3, 1],
        ["f", "x", undefined, 4],
      ],
      total(0, 7),
      3,
      [
        ["a", "x", { credits: 0.2, requests: 1 }],
        ["b", "x", { credits: 0.1, requests: 1 }],
        ["c", "x", { credits: -0.3, requests: 1 }],
        ["_other", "_other", { requests: 4 }],
      ],
    ],
  ])("%s", (_, rows, sum, top, wanted) => {
    expect(pairs(rows, sum, top)).toEqual(wanted);
  });
});

function tokens(promptTokens: number, reasoningTokens: number | undefined): More {
  return { tokens: 1000, promptTokens, reasoningTokens };
}

/** The labels of the pairs. */
function names(rows: readonly Short[]) {
  return pairs(rows, total(0, 5), 3).map(([model, app]) => [model, app]);
}
