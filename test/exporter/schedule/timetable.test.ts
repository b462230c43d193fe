import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../exporter/clock.ts";
import { silentLog as silent } from "../../support/log.ts";
import { createTimetable, longestGapMs } from "../../../exporter/schedule/timetable.ts";
import { createManualClock } from "../../support/clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("longestGapMs()", () => {
  test.each([
    ["* * * * *", 60_000],
    ["*/5 * * * *", 300_000],
    ["*/7 * * * *", 420_000],
    ["*/10 * * * * *", 10_000],
    ["0 9 * * *", DAY],
    ["0 9,17 * * *", 16 * HOUR],
    ["0 9 * * 1-5", 3 * DAY],
    ["* 9-17 * * 1-5", 2 * DAY + 15 * HOUR + 60_000],
    ["0 0 1 * *", 31 * DAY],
    ["0 0 29 2 *", 1461 * DAY],
    ["0 0 29 2 1", 10227 * DAY],
  ])("%s", (expression, gap) => {
    expect(longestGapMs({ kind: "cron", expression })).toBe(gap);
  });

  test("of an interval is the interval", () => {
    expect(longestGapMs({ kind: "interval", ms: 45_000 })).toBe(45_000);
  });

  test("says so when an expression never comes", () => {
    expect(() => longestGapMs({ kind: "cron", expression: "0 0 31 2 *" })).toThrow("impossible");
  });
});

describe("createTimetable() with an interval", () => {
  test("ticks on a grid, however late it is called, and does not catch up", async () => {
    const clock = createManualClock();
    const timetable = createTimetable({ kind: "interval", ms: 60_000 }, clock, silent);
    const start = clock.monotonic();
    const ticks: number[] = [];
    const stop = timetable.start(() => ticks.push(clock.monotonic() - start));
    await clock.advance(120_000);
    await clock.jump(clock.now() + 200_000);
    await clock.advance(100_000);
    expect(ticks).toEqual([60_000, 120_000, 320_000, 360_000, 420_000]);
    stop();
    expect(clock.pending()).toEqual([]);
  });
});

describe("createTimetable() with a cron expression", () => {
  afterEach(() => void vi.useRealTimers());

  test("ticks in UTC by the machine's clock until it is stopped", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-30T23:58:30Z") });
    const timetable = createTimetable({ kind: "cron", expression: "0 0 1 * *" }, systemClock, silent);
    const ticks: string[] = [];
    const stop = timetable.start(() => ticks.push(new Date().toISOString()));
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(ticks).toEqual(["2026-12-01T00:00:00.000Z"]);
    stop();
    await vi.advanceTimersByTimeAsync(31 * DAY);
    expect(ticks).toHaveLength(1);
  });

  test("takes a seconds field", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-18T12:00:00Z") });
    const ticks: number[] = [];
    const timetable = createTimetable({ kind: "cron", expression: "*/10 * * * * *" }, systemClock, silent);
    const stop = timetable.start(() => ticks.push(new Date().getUTCSeconds()));
    await vi.advanceTimersByTimeAsync(30_000);
    stop();
    expect(ticks).toEqual([10, 20, 30]);
  });
});
