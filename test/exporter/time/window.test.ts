import { describe, expect, test } from "vitest";
import {
  contains,
  isSettled,
  SETTLE_MS,
  type Period,
  periodName,
  type WindowKind,
  windowAt,
  windowBefore,
} from "../../../exporter/time/window.ts";

const iso = ({ startMs, endMs }: { startMs: number; endMs: number }) =>
  [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));

describe("windowAt()", () => {
  test.each<[WindowKind, string, string, string]>([
    ["day", "2026-11-18T12:00:00Z", "2026-11-18", "2026-11-19"],
    ["day", "2026-11-18T00:00:00Z", "2026-11-18", "2026-11-19"],
    ["day", "2026-11-18T23:59:59.999Z", "2026-11-18", "2026-11-19"],
    ["day", "2028-02-28T23:00:00Z", "2028-02-28", "2028-02-29"],
    ["day", "2026-12-31T01:00:00Z", "2026-12-31", "2027-01-01"],
    ["week", "2026-11-15T23:59:59Z", "2026-11-09", "2026-11-16"],
    ["week", "2026-11-16T00:00:00Z", "2026-11-16", "2026-11-23"],
    ["week", "2027-01-01T00:00:00Z", "2026-12-28", "2027-01-04"],
    ["month", "2026-11-30T23:59:59Z", "2026-11-01", "2026-12-01"],
    ["month", "2026-12-01T00:00:00Z", "2026-12-01", "2027-01-01"],
    ["month", "2028-02-29T00:00:00Z", "2028-02-01", "2028-03-01"],
  ])("returns the UTC %s of %s", (kind, at, start, end) => {
    expect(iso(windowAt(kind, Date.parse(at)))).toEqual([start, end]);
  });
});

describe("windowBefore()", () => {
  test.each<[WindowKind, string, string, string]>([
    ["day", "2026-03-01T00:00:00Z", "2026-02-28", "2026-03-01"],
    ["week", "2026-11-16T00:00:00Z", "2026-11-09", "2026-11-16"],
    ["month", "2027-01-31T12:00:00Z", "2026-12-01", "2027-01-01"],
  ])("returns the complete %s before %s", (kind, at, start, end) => {
    expect(iso(windowBefore(kind, Date.parse(at)))).toEqual([start, end]);
  });
});

describe("isSettled()", () => {
  const day = windowAt("day", Date.parse("2026-11-18T12:00:00Z"));
  test.each([
    ["just before the window", -1, false, false],
    ["at its start", 0, true, false],
    ["just before it has settled", SETTLE_MS - 1, true, false],
    ["when it has settled", SETTLE_MS, true, true],
    ["at its last millisecond", 86_399_999, true, true],
    ["at its end", 86_400_000, false, false],
  ])("%s", (_, offset, isInside, settled) => {
    expect(contains(day, day.startMs + offset)).toBe(isInside);
    expect(isSettled(day, day.startMs + offset)).toBe(settled);
  });
});

const since = (text: string): Period => ({ kind: "total", sinceMs: Date.parse(text) });

test.each<[Period, string]>([
  [{ kind: "week" }, "week"],
  [since("2026-11-01"), "since_2026-11-01"],
  [since("2026-11-01T08:30:00Z"), "since_2026-11-01T08:30:00Z"],
])("the period %j is named %s", (period, name) => {
  expect(periodName(period)).toBe(name);
});
