import { expect, test } from "vitest";
import { forecastOf } from "../../../exporter/status/forecast.ts";
import type { KeyRow } from "../../../exporter/status/target-rows.ts";
import { DAY, key } from "./page/page-reader.ts";

const HOUR = 3_600_000;
/** A Thursday: 12 hours of the day, 84 of the week, 444 of the month. */
const NOON = Date.parse("2026-11-19T12:00:00Z");
const MONTH_END = Date.parse("2026-12-01T00:00:00Z");
const QUIET = { day: 0, week: 0, month: 0 };

test.each<[string, Partial<KeyRow>, { perHour: number; hours: number; left?: number }]>([
  ["of the day", { day: 12, week: 12, month: 12, remaining: 40 }, { perHour: 1, hours: 40 }],
  ["of the week", { day: 0, week: 42, month: 42, remaining: 40 }, { perHour: 0.5, hours: 80 }],
  ["of the month", { day: 0, week: 0, month: 444, remaining: 40 }, { perHour: 1, hours: 40 }],
  [
    "of the limit, which also contains other spend",
    { ...QUIET, limit: 928, remaining: 40 },
    { perHour: 2, hours: 20 },
  ],
  [
    "with what is left at the reset",
    { ...QUIET, limit: 484, remaining: 440 },
    { perHour: 44 / 444, hours: 4440, left: 440 - (44 / 444) * 276 },
  ],
  [
    "of an unknown day",
    { day: undefined, week: 42, month: undefined, remaining: 40 },
    { perHour: 0.5, hours: 80 },
  ],
  [
    "without a reset",
    { ...QUIET, day: 6, reset: "never", nextResetMs: undefined, limit: 9999 },
    { perHour: 0.5, hours: 80 },
  ],
  [
    "of a daily limit",
    { ...QUIET, reset: "daily", nextResetMs: NOON + 12 * HOUR, limit: 64, remaining: 40 },
    { perHour: 2, hours: 20, left: 16 },
  ],
])("the estimate follows the highest mean rate: %s", (_name, more, { perHour, hours, left }) => {
  const made = forecastOf(key("billing", { nextResetMs: MONTH_END, ...more }), NOON);
  expect(made?.perHour).toBeCloseTo(perHour, 9);
  expect(((made?.exhaustedMs ?? 0) - NOON) / HOUR).toBeCloseTo(hours, 6);
  // Rounded, because the sums of binary fractions differ in the last digits.
  expect(made?.leftAtReset?.toFixed(6)).toBe(left?.toFixed(6));
});

test("the first hour of a window counts as a whole one", () => {
  const row = key("billing", {
    ...QUIET,
    day: 2,
    limit: 100,
    remaining: 98,
    reset: "daily",
    nextResetMs: NOON + 12 * HOUR,
  });
  const made = forecastOf(row, NOON - 12 * HOUR + 120_000);
  expect(made?.perHour).toBeCloseTo(2, 9);
});

test.each<[string, Partial<KeyRow>]>([
  ["has no limit", { limit: "unlimited", remaining: undefined }],
  ["has an unknown limit", { limit: undefined }],
  ["has an unknown rest", { remaining: undefined }],
  ["is used up", { remaining: 0 }],
  ["is overdrawn", { remaining: -1 }],
  ["is disabled", { isDisabled: true }],
  ["spends nothing", { ...QUIET, limit: 40, remaining: 40 }],
  ["only gets refunds", { day: -1, week: -1, month: -1, limit: 40, remaining: 41 }],
  [
    "has unknown spend and no reset",
    { day: undefined, week: undefined, month: undefined, reset: "never", nextResetMs: undefined },
  ],
  ["has an endless rate", { day: Infinity }],
])("there is no estimate for a key that %s", (_name, more) => {
  expect(forecastOf(key("billing", { nextResetMs: NOON + DAY, ...more }), NOON)).toBeUndefined();
});
