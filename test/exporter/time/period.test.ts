import { describe, expect, test } from "vitest";
import { type Period, periodName, windowAt, windowOf } from "../../../exporter/time/window.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const since = (text: string): Period => ({ kind: "total", sinceMs: Date.parse(text) });

describe("windowOf()", () => {
  test.each(["day", "week", "month"] as const)("a %s is the calendar window of the instant", (kind) => {
    expect(windowOf({ kind }, NOW)).toEqual(windowAt(kind, NOW));
  });

  test("a total begins at its date, whatever the instant, and has no end", () => {
    const window = { startMs: Date.parse("2026-11-01T08:30:00Z"), endMs: Number.POSITIVE_INFINITY };
    expect(windowOf(since("2026-11-01T08:30:00Z"), NOW)).toEqual(window);
    expect(windowOf(since("2026-11-01T08:30:00Z"), 0)).toEqual(window);
  });
});

describe("periodName()", () => {
  test.each<[Period, string]>([
    [{ kind: "day" }, "day"],
    [{ kind: "week" }, "week"],
    [{ kind: "month" }, "month"],
    [since("2026-11-01"), "since_2026-11-01"],
    [since("2026-11-01T08:30:00Z"), "since_2026-11-01T08:30:00Z"],
    [since("2026-11-01T00:00:01Z"), "since_2026-11-01T00:00:01Z"],
  ])("%j is %s", (period, name) => {
    expect(periodName(period)).toBe(name);
  });
});
