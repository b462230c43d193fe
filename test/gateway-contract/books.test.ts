import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { additiveInteger, additiveMetricNames, isMoney } from "../gateway/analytics/metrics.ts";
import { createGateway, type GatewayOptions } from "../gateway/gateway.ts";
import type { Entry } from "../gateway/ledger.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { ask, keyData } from "./client.ts";

const noon = Date.parse("2026-11-18T12:34:56.789Z");
let now = noon;
const gateway = createGateway({ now: () => now, keys: 30, historyDays: 45, seed: 3, lateShare: 0.2 });
const midnight = Date.parse("2026-11-18T00:00:00Z");
const monday = Date.parse("2026-11-16T00:00:00Z");
const first = Date.parse("2026-11-01T00:00:00Z");

beforeAll(() => gateway.start());
afterAll(() => gateway.stop());

const iso = (at: number): string => new Date(at).toISOString();
const sum = (entries: readonly Entry[], of: (entry: Entry) => number): number =>
  entries.reduce((total, entry) => total + of(entry), 0);

describe("GET /key and the books equal a recount of every entry", () => {
  test("for all keys and windows", async () => {
    const entries = [...gateway.books.entries()];
    expect(entries.length).toBeGreaterThan(10_000);
    for (const name of gateway.tokens.keys()) {
      const own = entries.filter(({ route }) => route.key.name === name);
      const since = (start: number, field: "micros" | "byokMicros") =>
        sum(
          own.filter(({ at }) => at >= start),
          (entry) => entry[field],
        );
      const expected = (field: "micros" | "byokMicros") => ({
        day: since(midnight, field),
        week: since(monday, field),
        month: since(first, field),
        total: since(0, field),
      });
      const { micros } = gateway.books.key(name);
      expect([name, micros.usage, micros.byok]).toEqual([name, expected("micros"), expected("byokMicros")]);
      if (name === "onboarding" || name === "etl") continue;
      expect(await keyData(gateway, name)).toMatchObject({
        usage: micros.usage.total / 1e6,
        usage_daily: micros.usage.day / 1e6,
        usage_weekly: micros.usage.week / 1e6,
        usage_monthly: micros.usage.month / 1e6,
        byok_usage: micros.byok.total / 1e6,
        limit_remaining: micros.remaining === null ? null : micros.remaining / 1e6,
      });
    }
  });

  test("the books for a past time equal the answers at that time", () => {
    const name = "billing";
    const then = noon - 3 * DAY - 17 * MINUTE;
    const known = [...gateway.books.entries(then)].filter(({ route }) => route.key.name === name);
    expect(gateway.books.key(name, then).micros.usage.total).toBe(sum(known, ({ micros }) => micros));
    expect(gateway.books.key(name, then).micros.usage.total).toBeLessThan(
      gateway.books.key(name).micros.usage.total,
    );
  });
});

describe("analytics equal a recount of every entry", () => {
  const periods: [string, number, number][] = [
    ["whole days", noon - 20 * DAY - (noon % DAY), midnight],
    ["parts of days", noon - 3 * DAY + 12_345, noon - DAY - 54_321],
    ["today", midnight, midnight + DAY],
    ["one minute", noon - 10 * MINUTE, noon - 9 * MINUTE],
    ["everything", 0, noon + DAY],
  ];
  test.each(periods)(
    "%s: total, pairs and every grouping add up to the micro-credit",
    async (_name, start, end) => {
      const entries = [...gateway.books.entries()].filter(({ at }) => at >= start && at < end);
      const book = gateway.books.analytics({ start, end });
      const time_range = { start: iso(start), end: iso(end) };
      const ungrouped = await ask(gateway, { metrics: additiveMetricNames, time_range });
      expect(ungrouped.data).toEqual([book.total.numbers]);
      for (const metric of additiveMetricNames) {
        const recounted = sum(entries, (entry) => additiveInteger(metric, entry));
        expect([metric, book.total.integers[metric]]).toEqual([metric, recounted]);
        expect(book.pairs.reduce((total, pair) => total + pair.integers[metric], 0)).toBe(recounted);
      }
      for (const shape of [
        { dimensions: ["model", "app"] },
        { dimensions: ["country"] },
        { granularity: "hour" },
        { granularity: "day", dimensions: ["api_key_id", "variant"] },
      ]) {
        const { data } = await ask(gateway, {
          metrics: additiveMetricNames,
          time_range,
          limit: 1_000_000,
          ...shape,
        });
        for (const metric of additiveMetricNames) {
          const integers = data.map((row) => Math.round(Number(row[metric]) * (isMoney(metric) ? 1e6 : 1)));
          expect(integers.reduce((total, each) => total + each, 0)).toBe(book.total.integers[metric]);
        }
      }
    },
  );

  test("pairs equal the grouped rows, with equal labels summed", async () => {
    const { data } = await ask(gateway, {
      metrics: ["request_count"],
      dimensions: ["model", "app"],
      time_range: { start: iso(first), end: iso(noon) },
    });
    const byPair = new Map<string, number>();
    for (const row of data) {
      const pair = JSON.stringify([row["model"], row["app"]]);
      byPair.set(pair, (byPair.get(pair) ?? 0) + Number(row["request_count"]));
    }
    const pairs = gateway.books.analytics({ start: first, end: noon }).pairs;
    const booked = pairs.map(
      ({ model, app, integers }) => [JSON.stringify([model, app]), integers.request_count] as const,
    );
    expect(byPair).toEqual(new Map(booked));
    expect(data.length).toBeGreaterThan(pairs.length);
  });
});

describe("the same seed and times produce the same books", () => {
  const inOneJump = fingerprint({}, []);

  test("independent of the steps of the clock", () => {
    const steps = Array.from({ length: 300 }, (_, index) => noon - 2 * DAY + index * 7.3 * MINUTE);
    expect(inOneJump.entries.length).toBeGreaterThan(1000);
    expect(fingerprint({}, steps)).toEqual(inOneJump);
  });

  test("unlike another seed", () => {
    expect(fingerprint({ seed: 4 }, []).entries).not.toEqual(inOneJump.entries);
  });
});

test("late rows change a past day", () => {
  let at = Date.parse("2026-11-19T00:00:00Z");
  const late = createGateway({
    now: () => at,
    keys: 20,
    historyDays: 1,
    lateShare: 0.5,
    lateMs: 15 * MINUTE,
  });
  const yesterday = () =>
    late.books.analytics({ start: at - (at % DAY) - DAY, end: at - (at % DAY) }).total.integers.request_count;
  const before = yesterday();
  at += 20 * MINUTE;
  const after = yesterday();
  at += DAY / 4;
  expect(after).toBeGreaterThan(before);
  expect(yesterday()).toBe(after);
});

test("answers and books follow the same clock", async () => {
  now = noon + 3 * 60 * MINUTE;
  const data = await keyData(gateway, "search");
  expect(data["usage"]).toBe(gateway.books.key("search").credits.usage.total);
  expect(data["usage"]).toBeGreaterThan(gateway.books.key("search", noon).credits.usage.total);
  now = noon;
});

function fingerprint(options: GatewayOptions, steps: readonly number[]) {
  let at = noon - 2 * DAY;
  const again = createGateway({
    keys: 40,
    historyDays: 5,
    seed: 3,
    lateShare: 0.5,
    ...options,
    now: () => at,
  });
  for (const step of [...steps, noon]) {
    at = step;
    again.books.key("billing");
  }
  const entries = [...again.books.entries()].map(({ route, ...rest }) => ({
    ...rest,
    key: route.key.name,
    model: route.model.id,
  }));
  return {
    entries: entries.toSorted((left, right) => left.at - right.at),
    count: again.refusedRequests(),
    tokens: [...again.tokens],
  };
}
