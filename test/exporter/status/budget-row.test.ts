import { beforeEach, describe, expect, test } from "vitest";
import { budgetRow } from "../../../exporter/status/budget-row.ts";
import { budgetSources } from "../../../exporter/budgets/budget-sources.ts";
import type { WindowSpend } from "../../../exporter/collectors/collector.ts";
import type { BudgetConfig } from "../../../exporter/config/config.ts";
import { createStore, type Store } from "../../../exporter/readings/store.ts";
import { createStatuses, type Statuses } from "../../../exporter/readings/statuses.ts";
import { type Period, periodName, windowOf } from "../../../exporter/time/window.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";

const MINUTE_MS = 60_000;
const TIME_TO_LIVE_MS = 3 * MINUTE_MS;
const FAILURE = { reason: "unauthorized", message: "Cannot read key" } as const;
const NO_FAULTS = { failing: 0, waiting: 0, early: 0, old: 0 };

const team: BudgetConfig = {
  name: "payments-day",
  limit: 100,
  period: { kind: "day" },
  scope: { kind: "keys", names: ["billing", "checkout"] },
  team: "payments",
};
const prepaid: BudgetConfig = {
  name: "prepaid",
  limit: 2000,
  period: { kind: "total", sinceMs: Date.parse("2026-11-01") },
  scope: { kind: "account" },
  team: "",
};
const model: BudgetConfig = {
  ...prepaid,
  name: "model-week",
  period: { kind: "week" },
  scope: { kind: "model", label: "Acme: Large" },
};

let clock: ManualClock;
let store: Store;
let statuses: Statuses;

beforeEach(() => {
  clock = createManualClock("2026-11-18T23:50:00Z");
  store = createStore(clock, () => 1000);
  statuses = createStatuses(clock);
  store.derive(budgetSources([team, prepaid, model], (target) => statuses.get(target), clock));
});

describe("budgetRow", () => {
  test("tells all of a budget whose keys answered", () => {
    tell("key/billing", team.period, 30);
    tell("key/checkout", team.period, 12.5);
    expect(row(team)).toEqual({
      name: "payments-day",
      team: "payments",
      scope: { kind: "keys", names: ["billing", "checkout"] },
      window: "day",
      windowStartMs: Date.parse("2026-11-18T00:00:00Z"),
      windowEndMs: Date.parse("2026-11-19T00:00:00Z"),
      limit: 100,
      spent: 42.5,
      gap: undefined,
    });
  });

  test("tells a total, which has no end, from its query", () => {
    tell(`analytics/${periodName(prepaid.period)}`, prepaid.period, 1200);
    expect(row(prepaid)).toMatchObject({
      window: "total",
      windowStartMs: Date.parse("2026-11-01T00:00:00Z"),
      windowEndMs: undefined,
      spent: 1200,
      gap: undefined,
    });
  });

  test("knows nothing before the first answers, not even that nothing was spent", () => {
    statuses.add("key/billing");
    expect(row(team)).toMatchObject({ limit: 100, spent: undefined, gap: gap({ waiting: 2 }, 2) });
    expect(row(prepaid)).toMatchObject({ spent: undefined, gap: gap({ waiting: 1 }, 1) });
  });

  test("keeps what a key told that fails now, and says which and why", () => {
    tell("key/billing", team.period, 30);
    tell("key/checkout", team.period, 12.5);
    statuses.update("key/checkout", { up: false, failure: FAILURE });
    expect(row(team)).toMatchObject({
      spent: 42.5,
      gap: { ...gap({ failing: 1 }, 2), reason: "unauthorized" },
    });
  });

  test("tells an answer that is old from one that fails", async () => {
    tell("key/billing", team.period, 30);
    await clock.advance(TIME_TO_LIVE_MS);
    tell("key/checkout", team.period, 12.5);
    expect(row(team)).toMatchObject({ spent: 42.5, gap: gap({ old: 1 }, 2) });
  });

  test("counts nothing of a window that has ended, until the new one is told and settled", async () => {
    tell("key/billing", team.period, 30);
    tell("key/checkout", team.period, 12.5);
    await clock.advance(10 * MINUTE_MS);
    const windowStartMs = Date.parse("2026-11-19T00:00:00Z");
    expect(row(team)).toMatchObject({ windowStartMs, spent: undefined, gap: gap({ early: 2 }, 2) });
    await clock.advance(MINUTE_MS);
    tell("key/billing", team.period, 30);
    expect(row(team)).toMatchObject({ spent: undefined, gap: gap({ early: 2 }, 2) });
    await clock.advance(MINUTE_MS);
    tell("key/billing", team.period, 0.25);
    expect(row(team)).toMatchObject({ spent: 0.25, gap: gap({ early: 1 }, 2) });
  });

  test("finds no fault where an answer was cut", () => {
    const window = windowOf(model.period, clock.now());
    const pairs = [{ model: "Acme: Large", app: "Chat", credits: 3 }];
    state("analytics/week", { window, credits: undefined, breakdown: { pairs, complete: false } });
    expect(row(model)).toMatchObject({ spent: 3, gap: gap({}, 1) });
  });
});

function row(budget: BudgetConfig) {
  return budgetRow(budget, { store, statuses }, clock.now());
}

function gap(faults: Partial<typeof NO_FAULTS>, sources: number) {
  return { sources, faults: { ...NO_FAULTS, ...faults }, reason: undefined };
}

function tell(target: string, period: Period, credits: number): void {
  state(target, { window: windowOf(period, clock.now()), credits });
}

function state(target: string, told: WindowSpend): void {
  const statement = { askedAtMs: clock.now(), timeToLiveMs: TIME_TO_LIVE_MS, spend: [told] };
  statuses.add(target);
  statuses.update(target, { up: true, failure: undefined, lastSuccessMs: clock.now(), statement });
}
