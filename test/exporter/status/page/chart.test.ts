import { expect, test } from "vitest";
import type { KeyHistory, KeyPoint } from "../../../../exporter/status/key-history.ts";
import { dayChart, leftChart } from "../../../../exporter/status/page/chart.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import { key } from "./page-reader.ts";

const HOUR = 3_600_000;
/** Noon of the 16th of a month of 30 days. */
const NOW = Date.parse("2026-11-16T12:00:00Z");
const MIDNIGHT = NOW - 12 * HOUR;
const MONTH_END = Date.parse("2026-12-01T00:00:00Z");

/** A key, and what was recorded of it: hours before now, the day's spend, what was left. */
function chartsOf(
  past: readonly (readonly [hoursAgo: number, day: number | undefined, left: number | undefined])[],
  more: Partial<KeyRow> = {},
) {
  const points: KeyPoint[] = past.map(([hoursAgo, day, left]) => ({
    atMs: NOW - hoursAgo * HOUR,
    day,
    left,
  }));
  const history: KeyHistory = { sinceMs: points[0]?.atMs, of: () => points, start: () => {}, stop: () => {} };
  const row = key("billing", { nextResetMs: MONTH_END, ...more });
  const course = { history, nowMs: NOW };
  return { day: dayChart(row, course), left: leftChart(row, course) };
}

test("the day is drawn from 0 to the highest amount, between its midnights", () => {
  const { day } = chartsOf(
    [
      [6, 5, 1],
      [3, 5, 1],
    ],
    { day: 10 },
  );
  expect(day).toMatchObject({
    startMs: MIDNIGHT,
    endMs: MIDNIGHT + 24 * HOUR,
    course: "M25 12L37.5 12L50 1",
    // Nobody watched from midnight, when nothing was spent, until then.
    unwatched: "M0 23L25 12",
  });
  expect(day?.area).toBe("M25 12L37.5 12L50 1L50 23L25 23Z");
});

test.each<[string, Parameters<typeof chartsOf>, string | undefined]>([
  [
    "an unknown amount is a gap, not 0",
    [
      [
        [9, 0, 1],
        [6, undefined, 1],
        [3, 5, 1],
      ],
      { day: 10 },
    ],
    "M12.5 23h0M37.5 12L50 1",
  ],
  [
    "an unknown amount now ends the line",
    [
      [
        [9, 0, 1],
        [6, 10, 1],
      ],
      { day: undefined },
    ],
    "M12.5 23L25 1",
  ],
  [
    "yesterday is not part of it",
    [
      [
        [13, 90, 1],
        [6, 5, 1],
      ],
      { day: 10 },
    ],
    "M25 12L50 1",
  ],
  ["nothing spent is a line at 0", [[[6, 0, 1]], { day: 0 }], "M25 23L50 23"],
  ["refunds are below 0", [[[6, -10, 1]], { day: 0 }], "M25 23L50 1"],
  ["one amount is no course", [[[6, undefined, 1]], { day: 10 }], undefined],
  ["an unknown day is no course", [[], { day: undefined }], undefined],
])("the course of the day: %s", (_name, parameters, course) => {
  expect(chartsOf(...parameters).day?.course).toBe(course);
});

test("what is left is drawn over the window of the limit, with the unwatched start and the estimate to the reset", () => {
  const { left } = chartsOf([[24, 1, 55]], { limit: 100, remaining: 50, day: 0, week: 0, month: 0 });
  expect(left).toEqual({
    startMs: Date.parse("2026-11-01T00:00:00Z"),
    endMs: MONTH_END,
    area: "",
    course: "M48.3 10.9L51.7 12",
    unwatched: "M0 1L48.3 10.9",
    // 50 credits in 15.5 days are 46.8 in the other 14.5.
    forecast: "M51.7 12L100 22.3",
    isEarly: false,
  });
});

test.each<[string, Partial<KeyRow>, object]>([
  [
    "ends at 0 before the reset",
    { remaining: 10, day: 0, week: 0, month: 0 },
    { forecast: "M51.7 20.8L57.4 23", isEarly: true },
  ],
  ["is absent if the key is used up", { remaining: 0 }, { forecast: "", isEarly: false }],
  ["is absent if the rest is unknown", { remaining: undefined }, { forecast: "", isEarly: false }],
])("the estimate %s", (_name, more, estimate) => {
  expect(
    chartsOf(
      [
        [24, 1, 55],
        [23, 1, 55],
      ],
      more,
    ).left,
  ).toMatchObject(estimate);
});

test("without a reset the future is as long as the past, and nothing is assumed before it", () => {
  const { left } = chartsOf([[10, 1, 60]], {
    reset: "never",
    nextResetMs: undefined,
    remaining: 50,
    day: 60,
  });
  expect(left).toMatchObject({
    startMs: NOW - 10 * HOUR,
    endMs: NOW + 10 * HOUR,
    unwatched: "",
    isEarly: false,
  });
  expect(left?.forecast).toBe("M50 12L100 23");
});

test.each<[string, Partial<KeyRow>]>([
  ["is unlimited", { limit: "unlimited", remaining: undefined }],
  ["has an unknown limit", { limit: undefined, remaining: undefined }],
])("a key that %s has no course of what is left", (_name, more) => {
  expect(
    chartsOf(
      [
        [3, 1, 1],
        [2, 1, 1],
      ],
      more,
    ).left,
  ).toBeUndefined();
});

test("the points of the former window are not part of what is left", () => {
  const daily = { reset: "daily", nextResetMs: MIDNIGHT + 24 * HOUR, limit: 100, remaining: 50 } as const;
  expect(
    chartsOf(
      [
        [13, 90, 3],
        [6, 5, 75],
      ],
      daily,
    ).left?.course,
  ).toBe("M25 6.5L50 12");
});
