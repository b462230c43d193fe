import { beforeEach, describe, expect, test } from "vitest";
import { queryFamilies, usageFamiliesOf } from "../../../exporter/collectors/analytics-families.ts";
import { keySamples } from "../../../exporter/collectors/key.ts";
import type { BudgetConfig, Config, KeyConfig } from "../../../exporter/config/config.ts";
import { Secret } from "../../../exporter/config/secret.ts";
import { parseKey } from "../../../exporter/gateway/key.ts";
import { sample, type Sample } from "../../../exporter/metrics/family.ts";
import { createStore, type Store } from "../../../exporter/readings/store.ts";
import { createOverview } from "../../../exporter/status/create-overview.ts";
import { createStatuses, type Statuses } from "../../../exporter/readings/statuses.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock, type ManualClock } from "../../support/clock.ts";

const HOUR_MS = 3_600_000;
const FRAGMENT = "sk-v1-abc...xyz";

let clock: ManualClock;
let store: Store;
let statuses: Statuses;

beforeEach(() => {
  clock = createManualClock("2026-11-18T12:00:00Z");
  store = createStore(clock, () => 1000);
  statuses = createStatuses(clock);
});

describe("createOverview", () => {
  test("tells all of a key that answered", () => {
    answer("key/billing", keyAnswer({ limit: 10, limit_remaining: 4, limit_reset: "weekly" }));
    expect(overview().keys).toEqual([
      {
        name: "billing",
        state: "up",
        failure: undefined,
        lastSuccessMs: clock.now(),
        owner: { team: "payments", project: "", costCenter: "4711" },
        limit: 10,
        remaining: 4,
        reset: "weekly",
        nextResetMs: Date.parse("2026-11-23T00:00:00Z"),
        day: 1,
        week: 2,
        month: 3,
        total: 0,
        expiryMs: Date.parse("2026-12-24T00:00:00Z"),
      },
    ]);
  });

  test("tells unlimited, never reset and unknown apart", () => {
    answer("key/billing", keyAnswer({ limit: null, limit_remaining: null, limit_reset: null }));
    expect(overview().keys[0]).toMatchObject({ limit: "unlimited", remaining: undefined, reset: "never" });
    answer("key/billing", keyAnswer({}));
    expect(overview().keys[0]).toMatchObject({ limit: undefined, remaining: undefined, reset: undefined });
  });

  test("knows nothing of a key that was not polled yet", () => {
    expect(overview().keys[0]).toMatchObject({ name: "billing", state: "waiting", lastSuccessMs: undefined });
    expect(overview().keys[0]).toMatchObject({ limit: undefined, day: undefined, total: undefined });
  });

  test("keeps the last values of a key that fails until they are too old", async () => {
    answer("key/billing", keyAnswer({ limit: 10 }));
    const failure = { reason: "timeout", message: "Cannot read key" } as const;
    statuses.update("key/billing", { up: false, failure });
    expect(overview().keys[0]).toMatchObject({ state: "down", failure, limit: 10, day: 1 });
    await clock.advance(HOUR_MS);
    expect(overview().keys[0]).toMatchObject({ state: "down", limit: undefined, day: undefined });
  });

  test("drops what belongs to a window that has ended", async () => {
    clock = createManualClock("2026-11-18T23:59:00Z");
    store = createStore(clock, () => 1000);
    answer("key/billing", keyAnswer({ limit: 10, limit_remaining: 4, limit_reset: "daily" }));
    await clock.advance(60_000);
    expect(overview().keys[0]).toMatchObject({ limit: 10, reset: "daily", week: 2, month: 3 });
    expect(overview().keys[0]).toMatchObject({
      remaining: undefined,
      nextResetMs: undefined,
      day: undefined,
    });
  });

  test("tells the queries with their pairs, labels as they were given", () => {
    const pairs = [
      { model: 'He said "hi"\\', app: "Two\nlines", credits: 2 },
      { model: "_other", app: "_other", credits: 0.5 },
    ];
    answer("analytics/day", queryAnswer(pairs));
    const [day, ...others] = overview({ analytics: true }).queries;
    expect(day).toEqual({
      name: "day",
      state: "up",
      failure: undefined,
      lastSuccessMs: clock.now(),
      windowStartMs: Date.parse("2026-11-18T00:00:00Z"),
      dataMs: clock.now() - 1000,
      credits: 2.5,
      requests: 8,
      pairs,
      foldedPairs: 7,
      truncated: true,
    });
    expect(others.map(({ name, state }) => [name, state])).toEqual([
      ["last_day", "waiting"],
      ["month", "waiting"],
      ["last_month", "waiting"],
    ]);
    expect(others[0]).toMatchObject({
      credits: undefined,
      requests: undefined,
      pairs: [],
      truncated: undefined,
    });
  });

  test("has no queries when no analytics are configured", () => expect(overview().queries).toEqual([]));

  test("tells the queries that are for budgets alone, each once", () => {
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
    statuses.add("analytics/since_2026-11-01");
    statuses.update("analytics/since_2026-11-01", { up: false, failure });
    expect(overview({ analytics: true, budgets }).budgetQueries).toEqual([
      { name: "week", state: "waiting", failure: undefined, lastSuccessMs: undefined },
      { name: "since_2026-11-01", state: "down", failure, lastSuccessMs: undefined },
    ]);
    expect(overview().budgetQueries).toEqual([]);
  });

  test("has no budgets when none are configured", () => expect(overview().budgets).toEqual([]));

  test("holds no secret, and no fragment of one even where it may be a label", () => {
    answer("key/billing", keyAnswer({ limit: 10 }));
    const text = JSON.stringify(overview({ analytics: true }));
    expect(text).toContain("billing");
    expect(text).not.toMatch(/sk-|redacted|origin/);
  });
});

interface Configured {
  readonly analytics?: boolean;
  readonly budgets?: readonly BudgetConfig[];
}

function overview({ analytics = false, budgets = [] }: Configured = {}) {
  const secret = { origin: "environment variable", read: () => Promise.resolve(new Secret("sk-secret")) };
  const key: KeyConfig = {
    name: "billing",
    secret,
    owner: { team: "payments", project: "", costCenter: "4711" },
    showLabel: true,
  };
  const config: Pick<Config, "gateway" | "keys" | "analytics" | "budgets" | "creditValue"> = {
    gateway: {
      baseUrl: "https://gateway.example/api/v1",
      timeoutMs: 1,
      deadlineMs: 1,
      requestsPerMinute: 0,
      connections: 1,
      maxPauseMs: 1,
      maxBodyBytes: 1,
    },
    keys: [key],
    analytics: analytics ? { managementKey: secret, top: 2, rates: false } : undefined,
    budgets,
    creditValue: undefined,
  };
  return createOverview(config, { store, statuses }, { version: "1.2.3", nowMs: clock.now(), startedMs: 0 });
}

function answer(target: string, samples: readonly Sample[]): void {
  statuses.add(target);
  statuses.update(target, { up: true, lastSuccessMs: clock.now() });
  store.put(target, { samples, askedAtMs: clock.now(), timeToLiveMs: HOUR_MS });
}

function keyAnswer(limits: object): readonly Sample[] {
  const data = { label: FRAGMENT, usage: 0, usage_daily: 1, usage_weekly: 2, usage_monthly: 3, ...limits };
  const information = parseKey({ data: { ...data, expires_at: "2026-12-24T00:00:00Z" } }, "read key");
  return keySamples({ name: "billing", showLabel: true }, information, clock.now());
}

function queryAnswer(
  pairs: readonly { readonly model: string; readonly app: string; readonly credits: number }[],
): readonly Sample[] {
  const window = windowAt("day", clock.now());
  const about = { query: "day" };
  return [
    ...sample(queryFamilies.windowStart, about, window.startMs / 1000, window),
    ...sample(queryFamilies.dataTimestamp, about, clock.now() / 1000 - 1, window),
    ...sample(queryFamilies.truncated, about, 1, window),
    ...sample(queryFamilies.folded, about, 7, window),
    ...pairs.flatMap(({ credits, ...labels }) => [
      ...sample(usageFamiliesOf.day.total_usage, labels, credits, window),
      ...sample(usageFamiliesOf.day.request_count, labels, 4, window),
    ]),
  ];
}
