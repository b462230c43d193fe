import { describe, expect, test } from "vitest";
import { planTimes, REACH_DAYS } from "../../exporter/backfill/plan.ts";
import { pastParts } from "./backfill-past.ts";

describe("pastParts", () => {
  test.each([
    { until: "2026-11-23T13:44:00Z", recent: "2026-11-20T00:00:00Z", first: "2026-10-01T00:00:00Z" },
    { until: "2026-11-02T00:04:00Z", recent: "2026-10-30T00:00:00Z", first: "2026-10-01T00:00:00Z" },
    // Midnight is the end of the day before.
    { until: "2026-03-01T00:00:00Z", recent: "2026-02-25T00:00:00Z", first: "2026-01-01T00:00:00Z" },
  ])("covers the time from $first until $until without overlap or gap", ({ until, recent, first }) => {
    const untilMs = Date.parse(until);
    const parts = pastParts(untilMs);
    expect(parts.map(({ stepMs }) => stepMs / 60_000)).toEqual([60, 5]);
    expect(parts.map((part) => planTimes(part, untilMs + 60_000, REACH_DAYS))).toMatchObject([
      { startMs: Date.parse(first), untilMs: Date.parse(recent) },
      { startMs: Date.parse(recent), untilMs },
    ]);
  });
});
