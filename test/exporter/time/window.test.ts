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
import { utcMilliseconds } from "../../../exporter/time/utc-time.ts";
import { moveTo, ZONES } from "../../support/fast-time.ts";

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

const FORMS: readonly [string, string | undefined][] = [
  ["2026-11-20T00:00:00.000Z", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T00:00:00Z", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T00:00:00z", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20t01:02:03Z", "2026-11-20T01:02:03.000Z"],
  ["2026-11-20T00:00:00.123456789Z", "2026-11-20T00:00:00.123Z"],
  ["2026-11-20T13:45:00", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20 13:45:00", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20 13:45:00.5", "2026-11-20T13:45:00.500Z"],
  ["2026-11-20T13:45", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20T13:45Z", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20 13:45:00 Z", "2026-11-20T13:45:00.000Z"],
  ["2026-11-20", "2026-11-20T00:00:00.000Z"],
  ["2026-11", "2026-11-01T00:00:00.000Z"],
  [" 2026-11-20 ", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T00:00:00+02:00", "2026-11-19T22:00:00.000Z"],
  ["2026-11-20T00:00:00-0800", "2026-11-20T08:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2027-02-29", undefined],
  ["2026-02-30T00:00:00Z", undefined],
  ["2026-13-01", undefined],
  ["2026-11-20T25:00:00Z", undefined],
  ["2026-11-20T00:00:00+99:99", undefined],
  ["2026-11-20T", undefined],
  ["20261120", undefined],
  ["20/11/2026", undefined],
  ["November 20, 2026", undefined],
  ["1795132800", undefined],
  ["tomorrow", undefined],
  ["", undefined],
];

describe("utcMilliseconds", () => {
  test.each(ZONES.flatMap((zone) => FORMS.map(([text, wanted]) => ({ zone, text, wanted }))))(
    "$text on a machine in $zone: $wanted",
    ({ zone, text, wanted }) => {
      moveTo(zone);
      const ms = utcMilliseconds(text);
      expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(wanted);
    },
  );
});
