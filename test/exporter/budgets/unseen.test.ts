import { describe, expect, test } from "vitest";
import { budgetSources } from "../../../exporter/budgets/budget-samples.ts";
import { isUnseen } from "../../../exporter/budgets/unseen.ts";
import type { BudgetScope } from "../../../exporter/config/config.ts";
import type { PairSpend, SpendGap } from "../../../exporter/readings/reading.ts";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { type Period, type Window, windowBefore, windowOf } from "../../../exporter/time/window.ts";
import { createFakeReadings, type FakeTarget, spendReading } from "../../support/fake-readings.ts";
import { createRecordingLog } from "../../support/log.ts";
import { testBudget } from "../../support/test-config.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const LAST_MONTH = windowBefore("month", NOW);
const WUN: BudgetScope = { kind: "model", label: "acme/wun" };
const CUT: SpendGap = { reason: "cut", credits: undefined };

function answer(window: Window, models: readonly string[], gap?: SpendGap): FakeTarget {
  const pairs = models.map((model): PairSpend => ({ model, app: "Chat", credits: 1 }));
  return { reading: spendReading({ window, credits: 1, breakdown: { pairs, gap } }, NOW) };
}

const present = (...models: readonly string[]) => answer(windowOf({ kind: "day" }, NOW), models);
const past = (...models: readonly string[]) => answer(LAST_MONTH, models);

type Targets = Readonly<Partial<Record<TargetId, FakeTarget>>>;

function unseen(targets: Targets, scope: BudgetScope = WUN, period: Period = { kind: "day" }): boolean {
  return isUnseen(testBudget("a", { scope, period }), createFakeReadings(targets, NOW), NOW);
}

describe("isUnseen()", () => {
  const both: Targets = { "analytics/day": present("acme/one"), "analytics/last_month": past("acme/one") };

  test.each<[string, Targets, BudgetScope, boolean]>([
    ["the model is in neither window", both, WUN, true],
    ["the app is in neither window", both, { kind: "app", label: "Chad" }, true],
    ["the model is there", both, { kind: "model", label: "acme/one" }, false],
    ["the app is there", both, { kind: "app", label: "Chat" }, false],
    ["it is the account", both, { kind: "account" }, false],
    ["it is a key", both, { kind: "keys", names: ["acme/wun"] }, false],
    ["the model is new", { ...both, "analytics/day": present("acme/wun") }, WUN, false],
    ["the model was used last month", { ...both, "analytics/last_month": past("acme/wun") }, WUN, false],
    ["nothing was spent today", { ...both, "analytics/day": present() }, WUN, true],
    ["the account is new", { ...both, "analytics/last_month": past() }, WUN, false],
    ["there is no answer of today", { "analytics/last_month": past("acme/one") }, WUN, false],
    ["there is no answer of the last month", { "analytics/day": present("acme/one") }, WUN, false],
    [
      "the last month is incomplete",
      { ...both, "analytics/last_month": answer(LAST_MONTH, ["acme/one"], CUT) },
      WUN,
      false,
    ],
    [
      "the answer is of the month before",
      { ...both, "analytics/last_month": answer(windowBefore("month", LAST_MONTH.startMs), ["acme/one"]) },
      WUN,
      false,
    ],
  ])("when %s", (_, targets, scope, wanted) => {
    expect(unseen(targets, scope)).toBe(wanted);
  });

  test("looks at the query of the budget's own window", () => {
    const since: Period = { kind: "total", sinceMs: Date.parse("2026-10-01") };
    const total = answer(windowOf(since, NOW), ["acme/wun"]);
    expect(unseen({ ...both, "analytics/since_2026-10-01": total }, WUN, since)).toBe(false);
    const other = answer(windowOf(since, NOW), ["acme/one"]);
    expect(unseen({ ...both, "analytics/since_2026-10-01": other }, WUN, since)).toBe(true);
  });
});

describe("budgetSources(): the log about unseen names", () => {
  test("has one line for each of them, whichever answer comes last", () => {
    let targets: Targets = {};
    const { log, lines } = createRecordingLog();
    const scopes: readonly BudgetScope[] = [
      WUN,
      { kind: "app", label: "Chad" },
      { kind: "app", label: "Chat" },
    ];
    const budgets = scopes.map((scope, index) => testBudget(`b${index}`, { scope, period: { kind: "day" } }));
    const readings = {
      status: (id: TargetId) => createFakeReadings(targets, NOW).status(id),
      latest: (id: TargetId) => targets[id]?.reading,
      isCurrent: () => true,
    };
    const sources = budgetSources(budgets, { readings, clock: { now: () => NOW }, log });
    const logged = (more: Targets) => {
      const before = lines.length;
      targets = { ...targets, ...more };
      for (const source of sources.values()) source();
      return lines.slice(before).map(({ level, message }) => `${level} ${message}`);
    };
    expect(logged({ "analytics/last_month": past("acme/one") })).toEqual([]);
    expect(logged({ "analytics/day": present("acme/one") })).toEqual([
      'warn Budget "b0" covers nothing: the gateway reports no model "acme/wun", neither now nor for the last month; check its name',
      'warn Budget "b1" covers nothing: the gateway reports no app "Chad", neither now nor for the last month; check its name',
    ]);
    expect(logged({ "analytics/day": present("acme/two") })).toEqual([]);
  });
});
