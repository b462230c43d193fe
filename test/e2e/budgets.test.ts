import { afterEach, describe, expect, test } from "vitest";

import type { SeriesMap } from "../support/series.ts";
import { seriesName } from "../support/series.ts";
import type { TestApp } from "../support/test-app.ts";
import {
  APPS,
  KEYS,
  MODELS,
  SINCE,
  spendAtRandom,
  startBudgetStage,
  TEAMS,
  toEntries,
} from "./budget-stage.ts";
import { budgetProblems, type ExpectedBudget, spentMicros } from "./budget-books.ts";

const SECOND = 1000;
const DAY = 86_400_000;
/** A Sunday evening; the next day is a Monday and the last one of its month. */
const START = Date.parse("2026-11-29T23:40:00Z");
const MONDAY = Date.parse("2026-11-30T00:00:00Z");
const FIRST = Date.parse("2026-12-01T00:00:00Z");

const WINDOWS = ["day", "week", "month"] as const;
const [ONE, TWO, THREE] = [KEYS[0] ?? "", KEYS[5] ?? "", KEYS[11] ?? ""];
const PAYMENTS = KEYS.filter((name) => name.startsWith(TEAMS[0]));

/** Every scope with every window that it may have. */
const BUDGETS: readonly ExpectedBudget[] = [
  ...WINDOWS.flatMap((window): ExpectedBudget[] => [
    { name: `all-${window}`, limit: 900, scope: "keys", window, members: KEYS },
    { name: `list-${window}`, limit: 0.5, scope: "keys", window, members: [ONE, TWO, THREE] },
    { name: `team-${window}`, limit: 200, scope: "keys", window, members: PAYMENTS, team: TEAMS[0] },
  ]),
  ...[...WINDOWS, "total" as const].flatMap((window): ExpectedBudget[] => {
    const since = window === "total" ? { since: SINCE } : {};
    return [
      { name: `model-${window}`, limit: 70, scope: "model", window, members: [MODELS[1]], ...since },
      { name: `app-${window}`, limit: 7, scope: "app", window, members: [APPS[2] ?? ""], ...since },
      { name: `no-app-${window}`, limit: 7, scope: "app", window, members: ["_none"], ...since },
      { name: `unused-${window}`, limit: 7, scope: "model", window, members: ["nobody/uses"], ...since },
      { name: `account-${window}`, limit: 2000, scope: "account", window, members: [], team: "it", ...since },
    ];
  }),
  {
    name: "other-since",
    limit: 5,
    scope: "account",
    window: "total",
    since: Date.parse("2026-11-01"),
    members: [],
  },
];

let stage: TestApp;

async function start(budgets: readonly ExpectedBudget[]): Promise<void> {
  stage = await startBudgetStage(START, budgets);
  spendAtRandom(stage, 900, 35 * DAY);
  await stage.clock.runTo(START + 90 * SECOND);
}

afterEach(() => stage.stop());

/** The problems that remain after everything is published. The clock continues for a few seconds until then. */
async function problemsWhen(budgets: readonly ExpectedBudget[], settled = true): Promise<readonly string[]> {
  const problems = (series: SeriesMap) => budgetProblems(series, stage.gateway, budgets, { settled });
  return problems(await seriesWhen((series) => problems(series).length === 0));
}

/**
 * The series after they match the expectation, or the last ones seen, because a new answer is published a moment
 * later.
 */
function seriesWhen(isWanted: (series: SeriesMap) => boolean): Promise<SeriesMap> {
  return stage.seriesWhen(isWanted, { seconds: 20 });
}

function valueOf(series: SeriesMap, metric: string, budget: string): number | undefined {
  return series.get(seriesName(`aigateway_budget_${metric}`, { budget }));
}

describe("budgets match the gateway's books", () => {
  test("in each scope and window, over a Monday and the first of a month", async () => {
    await start(BUDGETS);
    const spent = BUDGETS.map((budget) => spentMicros(stage.gateway, budget));
    // Without spend the books would match trivially. Day windows have little, the unused model has none.
    expect(spent.filter((micros) => micros !== 0).length).toBeGreaterThan(20);
    expect(await problemsWhen(BUDGETS)).toEqual([]);

    for (const midnight of [MONDAY, FIRST]) {
      await stage.clock.jump(midnight - 200 * SECOND);
      await stage.clock.answered();
      spendAtRandom(stage, 60, 3600 * SECOND);
      await stage.clock.runTo(midnight - 20 * SECOND);
      expect(await problemsWhen(BUDGETS)).toEqual([]);

      await stage.clock.runTo(midnight + 5 * SECOND);
      expect(await problemsWhen(BUDGETS, false)).toEqual([]);
      await stage.clock.runTo(midnight + 80 * SECOND);
      expect(await problemsWhen(BUDGETS, false)).toEqual([]);

      await stage.clock.runTo(midnight + 100 * SECOND);
      expect(await problemsWhen(BUDGETS)).toEqual([]);
      spendAtRandom(stage, 60, 60 * SECOND);
      await stage.clock.runTo(midnight + 170 * SECOND);
      expect(await problemsWhen(BUDGETS)).toEqual([]);
    }
  });

  test("after a reload with other budgets, without a further poll", async () => {
    const before: ExpectedBudget = {
      name: "before",
      limit: 5,
      scope: "keys",
      window: "month",
      members: KEYS,
    };
    const after: ExpectedBudget = { ...before, name: "after", limit: 6, members: [ONE, TWO] };
    await start([before]);
    expect(await problemsWhen([before])).toEqual([]);
    const asked = stage.gateway.log.of("key").length;
    stage.gateway.faults.add({ kind: "status", status: 503 });
    await stage.apply({ budgets: toEntries([after]) });
    expect(asked).toBeGreaterThanOrEqual(KEYS.length);
    const series = await seriesWhen((seen) => valueOf(seen, "spent_credits", "after") !== undefined);
    expect(valueOf(series, "spent_credits", "after")).toBe(spentMicros(stage.gateway, after) / 1e6);
    expect(valueOf(series, "limit_credits", "before")).toBeUndefined();
  });
});

describe("a budget with a missing part is incomplete", () => {
  const all: ExpectedBudget = { name: "all", limit: 5, scope: "keys", window: "month", members: KEYS };
  const others: ExpectedBudget = { ...all, name: "others", members: KEYS.filter((name) => name !== ONE) };
  const alone: ExpectedBudget = { ...all, name: "alone", members: [ONE] };
  const today: ExpectedBudget = { ...all, name: "today", window: "day" };
  const aloneToday: ExpectedBudget = { ...alone, name: "alone-today", window: "day" };
  const budgets = [all, others, alone, today, aloneToday];
  const unavailable = { kind: "status", status: 503 } as const;

  test("while a member fails, its last value stays counted, however old, until its window ends", async () => {
    await start(budgets);
    expect(await problemsWhen(budgets)).toEqual([]);
    const kept = spentMicros(stage.gateway, alone);
    stage.gateway.faults.add({ ...unavailable, key: ONE });
    let least = spentMicros(stage.gateway, all) / 1e6;
    for (let minute = 4; minute <= 16; minute += 2) {
      for (const key of KEYS) {
        stage.gateway.spend({
          key,
          model: MODELS[0],
          micros: 250_001,
          at: stage.clock.now() - SECOND,
        });
      }
      await stage.clock.runTo(START + minute * 60 * SECOND);
      const want = (spentMicros(stage.gateway, others) + kept) / 1e6;
      const series = await seriesWhen((seen) => valueOf(seen, "spent_credits", "all") === want);
      expect(valueOf(series, "spent_credits", "all")).toBe(want);
      expect(want).toBeGreaterThan(least);
      expect(valueOf(series, "spent_credits", "alone")).toBe(kept / 1e6);
      for (const name of ["all", "alone", "today", "alone-today"]) expect(complete(series, name)).toBe(0);
      least = want;
    }
    const old = await stage.series();
    // Only the key's own value is too old to be shown.
    expect(old.has(seriesName("aigateway_key_usage_month_credits", { key: ONE }))).toBe(false);
    expect(complete(old, "others")).toBe(1);

    await stage.clock.runTo(MONDAY + 180 * SECOND);
    const monday = await seriesWhen((seen) => valueOf(seen, "spent_credits", "today") === 0);
    expect(valueOf(monday, "spent_credits", "alone")).toBe(kept / 1e6);
    expect(valueOf(monday, "spent_credits", "today")).toBe(0);
    expect(complete(monday, "today")).toBe(0);
    expect(valueOf(monday, "spent_credits", "alone-today")).toBeUndefined();
    expect(complete(monday, "alone-today")).toBe(0);

    stage.gateway.faults.clear();
    await stage.clock.runTo(MONDAY + 300 * SECOND);
    expect(await problemsWhen(budgets)).toEqual([]);
  });

  test("when one key, or every key, never answered", async () => {
    stage = await startBudgetStage(START, budgets);
    spendAtRandom(stage, 300, 20 * DAY);
    stage.gateway.disable(ONE);
    await stage.clock.runTo(START + 90 * SECOND);
    const series = await seriesWhen((seen) => complete(seen, "others") === 1);
    expect(valueOf(series, "spent_credits", "all")).toBe(spentMicros(stage.gateway, others) / 1e6);
    expect([complete(series, "all"), complete(series, "others")]).toEqual([0, 1]);
    expect(valueOf(series, "spent_credits", "alone")).toBeUndefined();
    expect([complete(series, "alone"), valueOf(series, "limit_credits", "alone")]).toEqual([0, 5]);
  });
});

describe("a budget over analytics", () => {
  const model: ExpectedBudget = {
    name: "model",
    limit: 5,
    scope: "model",
    window: "week",
    members: [MODELS[0]],
  };
  const account: ExpectedBudget = { ...model, name: "account", scope: "account", members: [] };
  const app: ExpectedBudget = { ...model, name: "app", scope: "app", window: "month", members: ["Chat"] };
  const budgets = [model, app, account];
  const standings = (series: SeriesMap) => budgets.map(({ name }) => complete(series, name)).join(" ");

  test("is incomplete when the answer is truncated, except over the account", async () => {
    await start(budgets);
    // More pairs than the service returns at once, each more expensive than all before.
    for (let index = 0; index < 1100; index++) {
      const at = stage.clock.now() - SECOND;
      stage.gateway.spend({
        key: ONE,
        model: MODELS[0],
        app: `App ${index}`,
        micros: 900_000_000 + index,
        at,
      });
    }
    await stage.clock.runTo(START + 180 * SECOND);
    const series = await seriesWhen((seen) => standings(seen) === "0 0 1");
    expect(standings(series)).toBe("0 0 1");
    expect(valueOf(series, "spent_credits", "model")).toBeGreaterThan(900_000);
    expect(valueOf(series, "spent_credits", "model")).toBeLessThan(spentMicros(stage.gateway, model) / 1e6);
    expect(valueOf(series, "spent_credits", "account")).toBe(spentMicros(stage.gateway, account) / 1e6);
    // Its pairs are among the truncated ones.
    expect(valueOf(series, "spent_credits", "app")).toBeUndefined();
  });

  test("is incomplete when a row cannot be read", async () => {
    await start(budgets);
    stage.gateway.faults.add({ kind: "fields", endpoint: "analytics", set: { "data.data.0.model": {} } });
    await stage.clock.runTo(START + 180 * SECOND);
    const series = await seriesWhen((seen) => standings(seen) === "0 0 1");
    expect(standings(series)).toBe("0 0 1");
  });

  test("keeps its last values while the analytics fail", async () => {
    await start(budgets);
    expect(await problemsWhen(budgets)).toEqual([]);
    const before = await stage.series();
    stage.gateway.faults.add({ kind: "status", status: 503, endpoint: "analytics" });
    await stage.clock.runTo(START + 600 * SECOND);
    const series = await seriesWhen((seen) => standings(seen) === "0 0 0");
    expect(standings(series)).toBe("0 0 0");
    for (const { name } of budgets) {
      expect(valueOf(series, "spent_credits", name)).toBe(valueOf(before, "spent_credits", name));
    }
  });
});

function complete(series: SeriesMap, budget: string): number | undefined {
  return valueOf(series, "complete", budget);
}
