import { describe, expect, test } from "vitest";
import type { BudgetGaps } from "../../../../exporter/budgets/budget-status.ts";
import type { BudgetRow } from "../../../../exporter/status/overview.ts";
import { budget, gaps, key, NOW, pageOf, rows, textOf } from "./page-reader.ts";

/** Everything since an instant. */
function total(sinceMs: number): Partial<BudgetRow> {
  return { period: { kind: "total", sinceMs }, window: { startMs: sinceMs, endMs: Infinity } };
}

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

  test("advises to check the name of a model or an app that is in no row", () => {
    const scope = { kind: "model", label: "acme/wun" } as const;
    expect(cells({ scope, isUnmatched: true })[5]).toBe(
      "acme/wun model in no row of the gateway: check its name",
    );
    expect(cells({ scope })[5]).toBe("acme/wun model");
  });

  test.each<[string, Partial<BudgetRow>, readonly string[]]>([
    ["without spend", { spent: 0 }, ["● Within", "0.00 of 500.00 0%", "500.00"]],
    ["refunded", { spent: -5 }, ["● Within", "−5.00 of 500.00 −1%", "505.00"]],
    ["nearly spent", { spent: 450 }, ["◆ Nearly spent", "450.00 of 500.00 90%", "50.00"]],
    ["just not spent", { spent: 499.999 }, ["◆ Nearly spent", "500.00 of 500.00 99%", "0.00"]],
    ["spent to the last credit", { spent: 500 }, ["◆ All spent", "500.00 of 500.00 100%", "0.00"]],
    ["exceeded", { spent: 500.5 }, ["✕ Exceeded", "500.50 of 500.00 100%", "−0.50"]],
    ["not begun", { spent: undefined, ...total(NOW + 1) }, ["○ Not begun", "— of 500.00", "—"]],
    [
      "unknown",
      { spent: undefined, gaps: gaps({ early: 1 }, PART) },
      ["○ Unknown its key: no answer for this window yet", "— of 500.00", "—"],
    ],
    [
      "incomplete",
      { gaps: gaps({ failing: 1 }) },
      ["○ Incomplete 1 of 3 keys: failing", "at least 120.50 of 500.00 24%", "379.50 at most"],
    ],
    [
      "incomplete and nearly spent",
      { spent: 450, gaps: gaps({ old: 2 }) },
      ["◆ Nearly spent 2 of 3 keys: no recent answer", "at least 450.00 of 500.00 90%", "50.00 at most"],
    ],
    [
      "incomplete and exceeded",
      { spent: 600, gaps: gaps({ waiting: 1 }) },
      ["✕ Exceeded 1 of 3 keys: not polled yet", "at least 600.00 of 500.00 120%", "−100.00 at most"],
    ],
  ])("shows a budget that is %s", (_name, more, expected) => {
    expect(cells(more).slice(1, 4)).toEqual(expected);
  });

  test.each<[BudgetRow["scope"]["kind"], BudgetGaps, string]>([
    ["keys", gaps({ failing: 1 }, { ...PART, reason: "unauthorized" }), "its key: failing unauthorized"],
    [
      "keys",
      gaps({ failing: 2, waiting: 1, early: 1, old: 1 }, { sources: 9, reason: "timeout" }),
      "2 of 9 keys: failing timeout · 1 of 9 keys: not polled yet · " +
        "1 of 9 keys: no answer for this window yet · 1 of 9 keys: no recent answer",
    ],
    ["account", gaps({ waiting: 1 }, PART), "its query: not polled yet"],
    [
      "model",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "exceeding", credits: -0.5 } }),
      "its query: partial answer: the rows of models and apps are above the total (0.50 credits)",
    ],
    [
      "app",
      gaps({ partial: 1 }, { ...PART, partial: { reason: "unreadable", credits: undefined } }),
      "its query: partial answer: some rows cannot be read",
    ],
  ])("explains the gaps of a budget over %s: %j", (kind, why, text) => {
    const scope =
      kind === "keys" ? { kind, names: ["a"] } : kind === "account" ? { kind } : { kind, label: "x" };
    expect(cells({ scope, gaps: why })[1]).toBe(`○ Incomplete ${text}`);
  });

  test("explains a lower bound only if there is one", () => {
    const note = "missing amounts are not counted";
    expect(textOf(pageOf({ budgets: [budget("a")] }))).not.toContain(note);
    expect(textOf(pageOf({ budgets: [budget("a"), budget("b", { gaps: gaps({ old: 1 }) })] }))).toContain(
      note,
    );
  });

  test.each<[Partial<BudgetRow>, string]>([
    [{ period: { kind: "day" }, window: { startMs: NOW - 1, endMs: NOW + 90_000 } }, "Today ends in 1 min"],
    [{ period: { kind: "week" } }, "This week ends in 9 d 10 h"],
    [total(Date.parse("2026-10-01T00:00:00Z")), "Since 1 October 2026 never ends"],
  ])("shows the window %j", (more, text) => expect(cells(more)[4]).toBe(text));

  test.each<[BudgetRow["scope"], string]>([
    [{ kind: "keys", names: ["a", "b"] }, "2 keys a, b"],
    [{ kind: "keys", names: ["a", "b", "c", "d", "e"] }, "5 keys a, b, c and 2 more"],
    [{ kind: "keys", names: ["a", "b", "c", "d", "e", "f"] }, "all 6 keys"],
    [{ kind: "model", label: "Acme: Large" }, "Acme: Large model"],
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
});

function cells(more: Partial<BudgetRow>): readonly string[] {
  return rows(pageOf({ budgets: [budget("month", more)] }))[1] ?? [];
}

function names(page: string): readonly string[] {
  return rows(page)
    .slice(1)
    .map(([name = ""]) => name);
}
