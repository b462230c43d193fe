import { describe, expect, test } from "vitest";
import { ago, date, dateText, monthText, until } from "../../../../exporter/status/page/time.ts";
import { textOf } from "./page-reader.ts";

const NOW = Date.parse("2026-11-21T13:40:39Z");
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

describe("times", () => {
  test.each([
    [-DAY, "just now"],
    [999, "just now"],
    [12_000, "12 s ago"],
    [59 * MINUTE, "59 min ago"],
    [47 * HOUR, "47 h ago"],
    [3 * DAY, "3 d ago"],
  ])("ago, %s ms: %s", (ms, text) => expect(textOf(String(ago(NOW - ms, NOW)))).toBe(text));

  test.each([
    [-1, "now"],
    [999, "now"],
    [45_000, "in 45 s"],
    [12 * MINUTE, "in 12 min"],
    [10 * HOUR + 5 * MINUTE, "in 10 h 5 min"],
    [10 * HOUR, "in 10 h"],
    [9 * DAY + 10 * HOUR, "in 9 d 10 h"],
  ])("until, %s ms: %s", (ms, text) => expect(textOf(String(until(NOW + ms, NOW)))).toBe(text));

  test("carry the exact UTC time as their title", () => {
    expect(String(ago(NOW, NOW))).toContain(`title="2026-11-21 13:40:39 UTC"`);
  });

  test("can be shown as a date", () => {
    expect(textOf(String(date(NOW)))).toBe("21 November 2026");
    expect(String(date(NOW))).toContain(`title="2026-11-21 13:40:39 UTC"`);
  });

  test("use UTC for days and months", () => {
    const at = Date.parse("2026-12-31T23:59:59Z");
    expect([dateText(at), monthText(at)]).toEqual(["31 December 2026", "December 2026"]);
  });

  test("an estimate beyond the range of dates has no exact time", () => {
    expect(String(until(1e20, NOW))).toMatch(/^in \d+ d/);
  });
});
