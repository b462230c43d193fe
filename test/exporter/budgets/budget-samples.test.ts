import { describe, expect, test } from "vitest";
import { budgetSources } from "../../../exporter/budgets/budget-samples.ts";
import { budgetFamilies } from "../../../exporter/budgets/families.ts";
import type { BudgetConfig, BudgetScope } from "../../../exporter/config/config.ts";
import type { Log } from "../../../exporter/log.ts";
import { windowAt, type Period, type Window, windowBefore, windowOf } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { createRecordingLog, silentLog } from "../../support/log.ts";
import { createFakeReadings, type FakeTarget, spendReading } from "../../support/fake-readings.ts";
import { unmatchedText } from "../../../exporter/budgets/unmatched.ts";
import type { PairSpend, SpendGap } from "../../../exporter/readings/reading.ts";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { testBudget } from "../../support/test-config.ts";

const NO_FORECASTS = { of: () => undefined, ofBalance: () => undefined };

const NOON = Date.parse("2026-11-18T12:00:00Z");
const month: BudgetConfig = {
  name: "payments",
  limit: 500,
  period: { kind: "month" },
  scope: { kind: "keys", names: ["billing"] },
  team: 'the "best"',
};
const prepaid: BudgetConfig = {
  name: "prepaid",
  limit: 2000,
  period: { kind: "total", sinceMs: Date.parse("2026-11-01") },
  scope: { kind: "account" },
  team: "",
};

function setUp(budgets: readonly BudgetConfig[], log: Log = silentLog) {
  const clock = createManualClock(NOON);
  const targets: Record<`key/${string}`, FakeTarget> = {};
  const readings = createFakeReadings(targets, clock.now());
  const sources = budgetSources(budgets, { readings, clock, log, forecasts: NO_FORECASTS });
  const answer = (credits: number, up = true) => {
    const reading = spendReading({ window: windowAt("month", clock.now()), credits }, clock.now());
    const failure = up ? undefined : ({ reason: "network", message: "Cannot read it" } as const);
    targets["key/billing"] = { status: { up, failure }, reading };
  };
  const samples = () => [...sources.values()].flatMap((source) => source());
  const lines = () => sampleLines(Object.values(budgetFamilies), samples());
  return { clock, sources, answer, samples, lines };
}

describe("budgetSources", () => {
  test("shows limit, window and team before the first answer", () => {
    expect(setUp([month, prepaid]).lines()).toEqual([
      'aigateway_budget_info{budget="payments",scope="keys",window="month",team="the \\"best\\""} 1',
      'aigateway_budget_info{budget="prepaid",scope="account",window="total",team=""} 1',
      'aigateway_budget_limit_credits{budget="payments"} 500',
      'aigateway_budget_limit_credits{budget="prepaid"} 2000',
      'aigateway_budget_complete{budget="payments"} 0',
      'aigateway_budget_complete{budget="prepaid"} 0',
      'aigateway_budget_window_start_timestamp_seconds{budget="payments"} 1793491200',
      'aigateway_budget_window_start_timestamp_seconds{budget="prepaid"} 1793491200',
      'aigateway_budget_window_end_timestamp_seconds{budget="payments"} 1796083200',
    ]);
  });

  test("shows neither spend nor completeness before a total begins, and the log reports that", async () => {
    const log = createRecordingLog();
    const later = { ...prepaid, period: { kind: "total", sinceMs: NOON + 60_000 } } as const;
    const { clock, lines } = setUp([later], log.log);
    expect(lines()).toEqual([
      'aigateway_budget_info{budget="prepaid",scope="account",window="total",team=""} 1',
      'aigateway_budget_limit_credits{budget="prepaid"} 2000',
      'aigateway_budget_window_start_timestamp_seconds{budget="prepaid"} 1795003260',
    ]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'Budget "prepaid" counts nothing until 2026-11-18T12:01:00Z, because its since is in the future',
    ]);
    await clock.advance(60_000);
    expect(lines()).toContain('aigateway_budget_complete{budget="prepaid"} 0');
  });

  test("shows the next window as soon as the previous one has ended", async () => {
    const { clock, answer, lines } = setUp([month]);
    answer(12.5);
    await clock.advanceTo(Date.parse("2026-11-30T23:59:59.999Z"));
    expect(lines()).toContain('aigateway_budget_spent_credits{budget="payments"} 12.5');
    await clock.advance(1);
    expect(lines()).toEqual([
      'aigateway_budget_info{budget="payments",scope="keys",window="month",team="the \\"best\\""} 1',
      'aigateway_budget_limit_credits{budget="payments"} 500',
      'aigateway_budget_complete{budget="payments"} 0',
      'aigateway_budget_window_start_timestamp_seconds{budget="payments"} 1796083200',
      'aigateway_budget_window_end_timestamp_seconds{budget="payments"} 1798761600',
    ]);
  });
});

const NOW = Date.parse("2026-11-18T12:00:00Z");
const LAST_MONTH = windowBefore("month", NOW);
const WUN: BudgetScope = { kind: "model", label: "acme/wun" };
const CUT: SpendGap = { reason: "cut", credits: undefined };

function namedAnswer(window: Window, models: readonly string[], gap?: SpendGap): FakeTarget {
  const pairs = models.map((model): PairSpend => ({ model, app: "Chat", credits: 1 }));
  return { reading: spendReading({ window, credits: 1, breakdown: { pairs, gap } }, NOW) };
}

const present = (...models: readonly string[]) => namedAnswer(windowOf({ kind: "day" }, NOW), models);
const past = (...models: readonly string[]) => namedAnswer(LAST_MONTH, models);

type Targets = Readonly<Partial<Record<TargetId, FakeTarget>>>;

function unmatched(targets: Targets, scope: BudgetScope = WUN, period: Period = { kind: "day" }): boolean {
  return (
    unmatchedText(testBudget("a", { scope, period }), createFakeReadings(targets, NOW), NOW) !== undefined
  );
}

describe("unmatchedText()", () => {
  const both: Targets = { "analytics/day": present("acme/one"), "analytics/last_month": past("acme/one") };

  const ofProvider: Targets = { "analytics/day_provider": present("Acme") };

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
      { ...both, "analytics/last_month": namedAnswer(LAST_MONTH, ["acme/one"], CUT) },
      WUN,
      false,
    ],
    ["a provider has a typing error", ofProvider, { kind: "provider", label: "Acmee" }, true],
    ["a provider is not used in this window", ofProvider, { kind: "provider", label: "Zenith" }, false],
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
