import { describe, expect, test } from "vitest";
import { budgetSources } from "../../../exporter/budgets/budget-sources.ts";
import { budgetFamilies } from "../../../exporter/budgets/families.ts";
import type { Source } from "../../../exporter/budgets/standing.ts";
import type { BudgetConfig } from "../../../exporter/config/config.ts";
import { unpack } from "../../../exporter/metrics/render/block.ts";
import { createStore } from "../../../exporter/readings/store.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { testBudget } from "../../support/test-config.ts";

const NOON = Date.parse("2026-11-18T12:00:00Z");
const month = testBudget("payments", {
  limit: 500,
  scope: { kind: "keys", names: ["billing"] },
  team: 'the "best"',
});
const prepaid = testBudget("prepaid", {
  limit: 2000,
  period: { kind: "total", sinceMs: Date.parse("2026-11-01") },
});

function setUp(budgets: readonly BudgetConfig[]) {
  const clock = createManualClock(NOON);
  const store = createStore(clock, () => 0);
  const sources = new Map<string, Source>();
  store.derive(budgetSources(budgets, (target) => sources.get(target), clock));
  const tell = (credits: number, up = true) => {
    const askedAtMs = clock.now();
    const spend = [{ window: windowAt("month", askedAtMs), credits }];
    sources.set("key/billing", { up, statement: { askedAtMs, timeToLiveMs: 180_000, spend } });
  };
  const lines = () => sampleLines(Object.values(budgetFamilies), store.view().blocks.flatMap(unpack));
  return { clock, store, tell, lines };
}

describe("budgetSources", () => {
  test("shows limit, window and owner before anything is known", () => {
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

  test("shows in the store what was told last, beyond any limit of series", () => {
    const { store, tell, lines } = setUp([month]);
    tell(12.5);
    expect(lines()).toContain('aigateway_budget_spent_credits{budget="payments"} 12.5');
    expect(lines()).toContain('aigateway_budget_complete{budget="payments"} 1');
    tell(12.75, false);
    expect(lines()).toContain('aigateway_budget_spent_credits{budget="payments"} 12.75');
    expect(lines()).toContain('aigateway_budget_complete{budget="payments"} 0');
    expect(store.visible("budget/payments")).toEqual(store.view().blocks.flatMap(unpack));
    expect(store.visible("budget/other")).toEqual([]);
    expect(store.series).toBe(0);
  });

  test("makes a view outdated when a window ends, and shows the next one at once", async () => {
    const { clock, store, tell, lines } = setUp([month, prepaid]);
    tell(12.5);
    await clock.advanceTo(Date.parse("2026-11-30T23:59:59.999Z"));
    expect(lines()).toContain('aigateway_budget_spent_credits{budget="payments"} 12.5');
    const view = store.view();
    expect([view.validForMs, view.outdated()]).toEqual([1, false]);
    await clock.advance(1);
    expect(view.outdated()).toBe(true);
    expect(lines().filter((line) => line.includes('"payments"'))).toEqual([
      'aigateway_budget_info{budget="payments",scope="keys",window="month",team="the \\"best\\""} 1',
      'aigateway_budget_limit_credits{budget="payments"} 500',
      'aigateway_budget_complete{budget="payments"} 0',
      'aigateway_budget_window_start_timestamp_seconds{budget="payments"} 1796083200',
      'aigateway_budget_window_end_timestamp_seconds{budget="payments"} 1798761600',
    ]);
  });

  test("replaces the budgets of an earlier configuration", () => {
    const { clock, store, lines } = setUp([month]);
    store.derive(budgetSources([prepaid], () => undefined, clock));
    expect(lines().filter((line) => line.includes("payments"))).toEqual([]);
    expect(store.visible("budget/payments")).toEqual([]);
  });
});
