import { beforeEach, describe, expect, test } from "vitest";
import type { BudgetGaps, BudgetStatus } from "../../../exporter/budgets/budget-status.ts";
import type { BudgetConfig, ProbeConfig } from "../../../exporter/config/config.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import type {
  KeyReading,
  ProbeReading,
  ReadingValue,
  UsageReading,
} from "../../../exporter/readings/reading.ts";
import { createReadings, type Readings } from "../../../exporter/readings/readings.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createOverview, type OverviewDependencies } from "../../../exporter/status/overview.ts";
import { windowAt, windowOf } from "../../../exporter/time/window.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";
import {
  secretSource,
  testAnalytics,
  testBudget,
  testGatewayConfig,
  testKey,
} from "../../support/test-config.ts";

const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-11-18T12:00:00Z");
const LATE = Date.parse("2026-11-18T23:59:00Z");
const BILLING = targetId("key", "billing");

let clock: ManualClock;
let readings: Readings<unknown>;

beforeEach(() => {
  startAt(NOON);
});

function startAt(nowMs: number): void {
  clock = createManualClock(nowMs);
  readings = createReadings(clock, createPacking(), () => 1000);
}

describe("createOverview", () => {
  test("distinguishes unlimited, never reset and unknown", () => {
    answer(BILLING, keyReading({ limitCredits: null, remainingCredits: null, limitReset: "never" }));
    expect(overview().keys[0]).toMatchObject({ limit: "unlimited", remaining: undefined, reset: "never" });
    answer(BILLING, keyReading({ limitCredits: 5, remainingCredits: 2, limitReset: "never" }));
    expect(overview().keys[0]).toMatchObject({ limit: 5, remaining: 2, nextResetMs: undefined });
    answer(BILLING, keyReading({}));
    expect(overview().keys[0]).toMatchObject({ limit: undefined, remaining: undefined, reset: undefined });
  });

  test("shows only the name of a key that has not been polled yet", () => {
    const owner = { team: "payments", project: "", costCenter: "4711" };
    const known = { id: BILLING, name: "billing", owner, state: "waiting" };
    expect(overview().keys).toEqual([{ ...known, isListed: false, isFromList: false, isDisabled: false }]);
  });

  test("drops the values of a window that has ended", async () => {
    startAt(LATE);
    answer(BILLING, keyReading({ limitCredits: 10, remainingCredits: 4, limitReset: "daily" }));
    await clock.advance(60_000);
    expect(overview().keys[0]).toMatchObject({ limit: 10, reset: "daily", week: 2, month: 3 });
    expect(overview().keys[0]).toMatchObject({
      remaining: undefined,
      nextResetMs: undefined,
      day: undefined,
    });
  });

  test("shows the queries with their pairs, labels unchanged", () => {
    const pairs = [
      { model: 'He said "hi"\\', app: "Two\nlines", credits: 2, requests: 4 },
      { model: "rates only", app: "Chat", credits: undefined, requests: undefined },
      { model: "_other", app: "_other", credits: 0.5, requests: 4 },
    ];
    answer(targetId("analytics", "day"), usageReading(pairs));
    const [day, ...others] = overview({ analytics: true }).queries;
    expect(day).toEqual({
      name: "day",
      state: "up",
      failure: undefined,
      lastSuccessMs: NOON,
      windowStartMs: Date.parse("2026-11-18T00:00:00Z"),
      dataMs: NOON - 1000,
      credits: 2.5,
      requests: 8,
      isLeast: true,
      isRequestsLeast: true,
      pairs: [
        { model: 'He said "hi"\\', app: "Two\nlines", credits: 2 },
        { model: "_other", app: "_other", credits: 0.5 },
      ],
      truncated: true,
      exceedsTotal: false,
    });
    expect(others.map(({ name, state }) => [name, state])).toEqual([
      ["last_day", "waiting"],
      ["month", "waiting"],
      ["last_month", "waiting"],
    ]);
  });

  const one = { model: "One", app: "Two", credits: 4, requests: 7 };
  const [isLeast, isRequestsLeast] = [true, true];
  test.each<[string, Partial<UsageReading>, object]>([
    ["a total of 0, not the sum", { pairs: [one], credits: 0, requests: 0 }, { credits: 0, requests: 0 }],
    ["a partial total", { credits: 4, isTotalPartial: true }, { credits: 4, isLeast, isRequestsLeast }],
    ["a sum of requests", { pairs: [one], credits: 4 }, { credits: 4, requests: 7, isRequestsLeast }],
  ])("shows %s", (_, reading, wanted) => {
    answer(targetId("analytics", "day"), { ...usageReading([]), ...reading });
    const [row] = overview({ analytics: true }).queries;
    expect(row).toEqual({ ...row, isLeast: false, isRequestsLeast: false, ...wanted });
  });

  test("lists each query that only budgets need once", () => {
    const over = { limit: 5, team: "" };
    const account = { kind: "account" } as const;
    const total = { kind: "total", sinceMs: Date.parse("2026-11-01T00:00:00Z") } as const;
    const budgets: readonly BudgetConfig[] = [
      { ...over, name: "today", period: { kind: "day" }, scope: account },
      { ...over, name: "week", period: { kind: "week" }, scope: account },
      { ...over, name: "model-week", period: { kind: "week" }, scope: { kind: "model", label: "One" } },
      { ...over, name: "keys-total", period: total, scope: { kind: "keys", names: ["billing"] } },
      { ...over, name: "total", period: total, scope: account },
    ];
    const failure = { reason: "timeout", message: "Cannot query" } as const;
    const failing = targetId("analytics", "since_2026-11-01");
    readings.configure(failing, "");
    readings.update(failing, { up: false, failure });
    expect(overview({ analytics: true, budgets }).budgetQueries).toEqual([
      { name: "week", state: "waiting", failure: undefined, lastSuccessMs: undefined },
      { name: "since_2026-11-01", state: "down", failure, lastSuccessMs: undefined },
    ]);
    expect(overview({ budgets }).budgetQueries).toEqual([]);
  });

  test("shows a budget with the status from budgetStatus(); a total never ends", () => {
    const team = testBudget("payments-day", {
      period: { kind: "day" },
      scope: { kind: "keys", names: ["billing", "checkout"] },
      team: "payments",
    });
    const prepaid: BudgetConfig = {
      ...team,
      name: "prepaid",
      period: { kind: "total", sinceMs: Date.parse("2026-11-01") },
    };
    const counts = { failing: 1, waiting: 0, early: 0, old: 0, partial: 0 };
    const gaps: BudgetGaps = { sources: 2, counts, reason: "unauthorized", partial: undefined };
    const judged = new Map([["payments-day", { spent: 42.5, complete: false, gaps, isUnmatched: false }]]);
    const { budgets } = overview({ budgets: [team, prepaid], judged });
    expect(budgets).toEqual([
      {
        ...team,
        window: windowAt("day", NOON),
        limit: 100,
        isBought: false,
        spent: 42.5,
        complete: false,
        gaps,
        isUnmatched: false,
      },
      expect.objectContaining({
        window: { startMs: Date.parse("2026-11-01T00:00:00Z"), endMs: Infinity },
        spent: undefined,
        gaps: undefined,
      }),
    ]);
  });

  test("shows probes with their last run, and unknown values of one that never ran", () => {
    answer(targetId("probe", "hello"), PROBED);
    const record = { failure: undefined, skip: "paused", lastRunMs: NOON, lastSuccessMs: NOON - 1 } as const;
    const { probes } = overview({ probes: ["hello", "new"], records: new Map([["hello", record]]) });
    expect(probes).toEqual({
      ceiling: 0.5,
      spentToday: 0.25,
      rows: [
        {
          name: "hello",
          model: "acme/ear",
          key: "billing",
          state: "up",
          ...record,
          wordErrorRate: 0.1,
          wordErrorLimit: 0.2,
          durationSeconds: 2,
          speedFactor: 1.5,
          cost: 0.003,
        },
        expect.objectContaining({ name: "new", state: "waiting" }),
      ],
    });
    expect(overview().probes).toBeUndefined();
  });
});

interface Configured {
  readonly analytics?: boolean;
  readonly budgets?: readonly BudgetConfig[];
  /** The results of `budgetStatus`, by budget. */
  readonly judged?: ReadonlyMap<string, Omit<BudgetStatus, "window">>;
  readonly probes?: readonly string[];
  readonly records?: ReadonlyMap<string, ReturnType<OverviewDependencies["probes"]["record"]>>;
}

const SECRET = secretSource("sk-secret");

function overview({ analytics = false, budgets = [], judged, probes, records }: Configured = {}) {
  const owner = { team: "payments", project: "", costCenter: "4711" };
  const key = testKey("billing", { secret: SECRET, owner, showLabel: true });
  const config: Parameters<typeof createOverview>[0] = {
    discovery: undefined,
    gateway: testGatewayConfig({ baseUrl: "https://gateway.example/api/v1" }),
    keys: [key],
    analytics: analytics ? testAnalytics({ top: 2 }) : undefined,
    budgets,
    creditValue: undefined,
    probing: probes && { probes: probes.map(probe), ceilingCredits: 0.5, maxCostCredits: 0.1 },
  };
  const dependencies: OverviewDependencies = {
    listed: () => new Map(),
    forecasts: { of: () => undefined },
    readings,
    budgetStatus: ({ name, period }, _readings, nowMs) => ({
      window: windowOf(period, nowMs),
      spent: undefined,
      complete: true,
      gaps: undefined,
      isUnmatched: false,
      ...judged?.get(name),
    }),
    probes: { record: (name) => records?.get(name), spentToday: () => 0.25 },
  };
  return createOverview(config, dependencies, { version: "1.2.3", nowMs: clock.now(), startedMs: 0 });
}

function probe(name: string): ProbeConfig {
  return {
    name,
    key: "billing",
    team: "",
    secret: SECRET,
    model: "acme/ear",
    audio: {
      origin: "file",
      format: "wav",
      read: () => Promise.resolve({ bytes: undefined, fault: undefined }),
    },
    expectedText: "hello",
    maxWordErrorRate: 0.2,
    expectedLanguage: undefined,
    responseFormat: "json",
    upload: "json",
    schedule: { kind: "interval", ms: HOUR_MS },
    timeoutMs: 1000,
  };
}

const PROBED: ProbeReading = {
  kind: "probe",
  answer: {
    text: "hello",
    usage: {
      costCredits: 0.003,
      inputTokens: undefined,
      outputTokens: undefined,
      totalTokens: undefined,
      seconds: undefined,
    },
    confidence: undefined,
    durationSeconds: 3,
    language: undefined,
  },
  succeeded: true,
  durationMs: 2000,
  audioSeconds: 3,
  wordErrorRate: 0.1,
};

function answer(id: TargetId, value: ReadingValue): void {
  const requestedAtMs = clock.now();
  readings.configure(id, "");
  readings.update(id, { up: true, lastSuccessMs: requestedAtMs });
  readings.store(id, { value, requestedAtMs, asOfMs: requestedAtMs, timeToLiveMs: HOUR_MS }, []);
}

const LIMIT_WINDOWS = { daily: "day", weekly: "week", monthly: "month", other: "day" } as const;

function keyReading(limits: Partial<Omit<KeyReading, "kind" | "limitWindow">>): KeyReading {
  const { limitReset = "other" } = limits;
  return {
    kind: "key",
    limitCredits: undefined,
    limitReset: undefined,
    remainingCredits: undefined,
    usage: { total: 0, day: 1, week: 2, month: 3 },
    expiresAtMs: Date.parse("2026-12-24T00:00:00Z"),
    ...limits,
    limitWindow: limitReset === "never" ? undefined : windowAt(LIMIT_WINDOWS[limitReset], clock.now()),
  };
}

function usageReading(pairs: UsageReading["pairs"]): UsageReading {
  const nowMs = clock.now();
  const window = windowAt("day", nowMs);
  return {
    kind: "usage",
    window,
    range: { startMs: window.startMs, endMs: nowMs },
    dataMs: nowMs - 1000,
    credits: undefined,
    requests: undefined,
    pairs,
    foldedPairs: 7,
    truncated: true,
    spend: undefined,
    exceedsTotal: false,
  };
}
