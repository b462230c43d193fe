import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { additiveInteger, additiveMetricNames, isMoney } from "../gateway/analytics/metrics.ts";
import { createGateway } from "../gateway/gateway.ts";
import type { Entry } from "../gateway/ledger.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { ask, keyData } from "./client.ts";

const noon = Date.parse("2026-11-18T12:34:56.789Z");
const gateway = createGateway({ now: () => noon, keys: 30, historyDays: 45, seed: 3, lateShare: 0.2 });
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
});
