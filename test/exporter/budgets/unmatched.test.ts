import { describe, expect, test } from "vitest";
import { budgetSources } from "../../../exporter/budgets/budget-samples.ts";
import { unmatchedText } from "../../../exporter/budgets/unmatched.ts";
import type { BudgetScope } from "../../../exporter/config/config.ts";
import type { PairSpend, SpendGap } from "../../../exporter/readings/reading.ts";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { type Period, type Window, windowBefore, windowOf } from "../../../exporter/time/window.ts";
import { createFakeReadings, type FakeTarget, spendReading } from "../../support/fake-readings.ts";
import { createRecordingLog } from "../../support/log.ts";
import { testBudget } from "../../support/test-config.ts";

const NO_FORECASTS = { of: () => undefined, ofBalance: () => undefined };

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

function unmatched(targets: Targets, scope: BudgetScope = WUN, period: Period = { kind: "day" }): boolean {
  return (
    unmatchedText(testBudget("a", { scope, period }), createFakeReadings(targets, NOW), NOW) !== undefined
  );
}

describe("unmatchedText()", () => {
  const both: Targets = { "analytics/day": present("acme/one"), "analytics/last_month": past("acme/one") };

  test.each<[string, Targets, BudgetScope, boolean]>([
    ["the model is in neither window", both, WUN, true],
    ["the model is there", both, { kind: "model", label: "acme/one" }, false],
    ["it is the account", both, { kind: "account" }, false],
    ["the model is new", { ...both, "analytics/day": present("acme/wun") }, WUN, false],
    ["the model was used last month", { ...both, "analytics/last_month": past("acme/wun") }, WUN, false],
    ["the account is new", { ...both, "analytics/last_month": past() }, WUN, false],
    ["there is no answer of today", { "analytics/last_month": past("acme/one") }, WUN, false],
    [
      "the last month is incomplete",
      { ...both, "analytics/last_month": answer(LAST_MONTH, ["acme/one"], CUT) },
      WUN,
      false,
    ],
  ])("when %s", (_, targets, scope, wanted) => {
    expect(unmatched(targets, scope)).toBe(wanted);
  });
});

describe("budgetSources(): the log about unmatched names", () => {
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
    const sources = budgetSources(budgets, {
      readings,
      clock: { now: () => NOW },
      log,
      forecasts: NO_FORECASTS,
    });
    const logged = (more: Targets) => {
      const before = lines.length;
      targets = { ...targets, ...more };
      for (const source of sources.values()) source();
      return lines.slice(before).map(({ level, message }) => `${level} ${message}`);
    };
    expect(logged({ "analytics/last_month": past("acme/one") })).toEqual([]);
    expect(logged({ "analytics/day": present("acme/one") })).toEqual([
      'warn Budget "b0" covers nothing: the gateway reports no model "acme/wun", neither now nor for the last month; check its name',
      'warn Budget "b1" covers nothing: the gateway reports no app "Chad", neither now nor for the last month; the nearest name is "Chat"',
    ]);
    expect(logged({ "analytics/day": present("acme/two") })).toEqual([]);
  });
});
