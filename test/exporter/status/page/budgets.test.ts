import { describe, expect, test } from "vitest";
import type { BudgetGaps } from "../../../../exporter/budgets/budget-status.ts";
import type { BudgetRow } from "../../../../exporter/status/overview.ts";
import { budget, gaps, key, NOW, pageOf, rows, textOf } from "./page-reader.ts";

const TOTAL = {
  window: "total",
  windowStartMs: Date.parse("2026-10-01T00:00:00Z"),
  windowEndMs: undefined,
} as const;
const PART = { sources: 1 };

describe("the table of budgets", () => {
  test("shows state, spend, window and scope", () => {
    expect(rows(pageOf({ budgets: [budget("payments-month", { team: "payments" })] }))).toEqual([
      ["Budget", "State", "Spent", "Left", "Window", "Covers"],
      [
        "payments-month payments",
        "● Within",
        "120.50 of 500.00 24%",
        "379.50",
        "This month ends in 9 d 10 h",
        "1 key billing",
      ],
    ]);
  });

  test("is left out without budgets", () => {
    const page = pageOf({ keys: [key("billing")] });
    expect(textOf(page)).not.toMatch(/budget/i);
    expect(page).not.toContain('id="budgets"');
  });

  test("advises to check the name of a model or an app that is in no row", () => {
    const scope = { kind: "model", label: "acme/wun" } as const;
    expect(cells({ scope, isUnseen: true })[5]).toBe(
      "acme/wun model in no row of the gateway: check its name",
    );
    expect(cells({ scope })[5]).toBe("acme/wun model");
  });

  test.each<[string, Partial<BudgetRow>, readonly string[]]>([
    ["without spend", { spent: 0 }, ["● Within", "0.00 of 500.00 0%", "500.00"]],
    ["refunded", { spent: -5 }, ["● Within", "−5.00 of 500.00 −1%", "505.00"]],
    ["below the threshold", { spent: 449.99 }, ["● Within", "449.99 of 500.00 89%", "50.01"]],
    ["nearly spent", { spent: 450 }, ["◆ Nearly spent", "450.00 of 500.00 90%", "50.00"]],
    ["just not spent", { spent: 499.999 }, ["◆ Nearly spent", "500.00 of 500.00 99%", "0.001"]],
    ["spent to the last credit", { spent: 500 }, ["◆ All spent", "500.00 of 500.00 100%", "0.00"]],
    ["exceeded", { spent: 500.5 }, ["▲ Exceeded", "500.50 of 500.00 100%", "−0.50"]],
    ["exceeded many times", { spent: 1e6 }, ["▲ Exceeded", "1,000,000.00 of 500.00 >999%", "−999,500.00"]],
    [
      "not begun",
      { spent: undefined, window: "total", windowStartMs: NOW + 1, windowEndMs: undefined },
      ["○ Not begun", "— of 500.00", "—"],
    ],
    [
      "unknown",
      { spent: undefined, gaps: gaps({ early: 1 }, PART) },
      ["○ Unknown its key has no answer for this window yet", "— of 500.00", "—"],
    ],
    [
      "incomplete",
      { gaps: gaps({ failing: 1 }) },
      ["◐ Incomplete 1 of 3 keys is failing", "at least 120.50 of 500.00 24%", "379.50 at most"],
    ],
    [
      "incomplete and nearly spent",
      { spent: 450, gaps: gaps({ old: 2 }) },
      [
        "◆ Nearly spent 2 of 3 keys have not answered recently",
        "at least 450.00 of 500.00 90%",
        "50.00 at most",
      ],
    ],
    [
      "incomplete and exceeded",
      { spent: 600, gaps: gaps({ waiting: 1 }) },
      ["▲ Exceeded 1 of 3 keys has not been polled yet", "at least 600.00 of 500.00 120%", "−100.00 at most"],
    ],
  ])("shows a budget that is %s", (_name, more, expected) => {
    expect(cells(more).slice(1, 4)).toEqual(expected);
  });

  test.each<[number | undefined, readonly string[]]>([
    [120.5, ["bar plain", "width:24.1%"]],
    [450, ["bar high", "width:90.0%"]],
    [600, ["bar full", "width:100.0%"]],
    [0, ["bar plain", "width:0.0%"]],
    [undefined, []],
  ])("draws a bar for a spend of %s", (spent, expected) => {
    const page = pageOf({ budgets: [budget("month", { spent })] });
    expect([...page.matchAll(/bar (?:plain|high|full)|width:[\d.]+%/g)].map(([text]) => text)).toEqual(
      expected,
    );
  });

  test.each<[BudgetRow["scope"]["kind"], BudgetGaps, string]>([
    ["keys", gaps({ failing: 1 }, { ...PART, reason: "unauthorized" }), "its key is failing unauthorized"],
    [
      "keys",
      gaps({ failing: 2, waiting: 1, early: 1, old: 1 }, { sources: 9, reason: "timeout" }),
      "2 of 9 keys are failing timeout, 1 of 9 keys has not been polled yet, " +
        "1 of 9 keys has no answer for this window yet, 1 of 9 keys has not answered recently",
    ],
    [
      "keys",
      gaps({ waiting: 2, early: 2 }),
      "2 of 3 keys have not been polled yet, 2 of 3 keys have no answer for this window yet",
    ],
    ["app", gaps({ failing: 1 }, { ...PART, reason: "timeout" }), "its query is failing timeout"],
    ["account", gaps({ waiting: 1 }, PART), "its query has not been polled yet"],
    [
      "model",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "unlisted", credits: 50 } }),
      "its query returned a partial answer: the rows of models and apps are below the total by 50.00 credits",
    ],
    [
      "model",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "exceeding", credits: -0.5 } }),
      "its query returned a partial answer: the rows of models and apps are above the total by 0.50 credits",
    ],
    [
      "app",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "cut", credits: 1.25 } }),
      "its query returned a partial answer: the gateway has more rows than it sent (1.25 credits of the total are in no row)",
    ],
    [
      "app",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "unreadable", credits: undefined } }),
      "its query returned a partial answer: some rows cannot be read",
    ],
    [
      "account",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "warned", credits: undefined } }),
      "its query returned a partial answer: the gateway warns about the query",
    ],
    [
      "keys",
      gaps({ partial: 1 }, { partial: { reason: "unknown", credits: undefined } }),
      "1 of 3 keys returned a partial answer: the answer does not contain the amount",
    ],
    ["keys", gaps({ partial: 2 }), "2 of 3 keys returned partial answers"],
  ])("explains the gaps of a budget over %s: %j", (kind, why, text) => {
    const scope =
      kind === "keys" ? { kind, names: ["a"] } : kind === "account" ? { kind } : { kind, label: "x" };
    expect(cells({ scope, gaps: why })[1]).toBe(`◐ Incomplete ${text}`);
  });

  test("explains a lower bound only if there is one", () => {
    const note = "missing amounts are not counted";
    expect(textOf(pageOf({ budgets: [budget("a")] }))).not.toContain(note);
    expect(textOf(pageOf({ budgets: [budget("a"), budget("b", { gaps: gaps({ old: 1 }) })] }))).toContain(
      note,
    );
  });

  test.each<[Partial<BudgetRow>, string]>([
    [{ window: "day", windowEndMs: NOW + 90_000 }, "Today ends in 1 min"],
    [{ window: "week" }, "This week ends in 9 d 10 h"],
    [TOTAL, "Since 1 October 2026 never ends"],
  ])("shows the window %j", (more, text) => expect(cells(more)[4]).toBe(text));

  test("shows exact times as titles", () => {
    const page = pageOf({ budgets: [budget("month"), budget("prepaid", TOTAL)] });
    for (const time of ["2026-12-01 00:00:00 UTC", "2026-10-01 00:00:00 UTC"]) {
      expect(page).toContain(`title="${time}"`);
    }
  });

  test.each<[BudgetRow["scope"], string]>([
    [{ kind: "keys", names: ["a", "b"] }, "2 keys a, b"],
    [{ kind: "keys", names: ["a", "b", "c", "d", "e"] }, "5 keys a, b, c and 2 more"],
    [{ kind: "keys", names: ["a", "b", "c", "d", "e", "f"] }, "all 6 keys"],
    [{ kind: "model", label: "Acme: Large" }, "Acme: Large model"],
    [{ kind: "app", label: "Assistant" }, "Assistant app"],
    [{ kind: "account" }, "the account all its keys, polled or not"],
  ])("shows the scope %j", (scope, text) => {
    const keys = ["a", "b", "c", "d", "e", "f"].map((name) => key(name));
    expect(rows(pageOf({ keys, budgets: [budget("month", { scope })] }))[1]?.[5]).toBe(text);
  });

  test("lists exceeded budgets first, then nearly spent ones, then the rest in the order of the configuration", () => {
    const budgets = [
      budget("b"),
      budget("nearly", { spent: 450 }),
      budget("a"),
      budget("over", { spent: 501 }),
    ];
    expect(names(pageOf({ budgets }))).toEqual(["over", "nearly", "b", "a"]);
  });

  test("shows 200 budgets and counts the others", () => {
    const many = Array.from({ length: 202 }, (_, index) => budget(`budget-${index}`));
    const page = pageOf({ budgets: [...many, budget("over", { spent: 501 })] });
    expect(names(page)).toHaveLength(200);
    expect(names(page)[0]).toBe("over");
    expect(textOf(page)).toContain("… and 3 more budgets. All are in the metrics.");
  });
});

function cells(more: Partial<BudgetRow>): readonly string[] {
  return rows(pageOf({ budgets: [budget("month", more)] }))[1] ?? [];
}

function names(page: string): readonly string[] {
  return rows(page)
    .slice(1)
    .map(([name = ""]) => name);
}
