import { describe, expect, test } from "vitest";
import { createRecordingLog, silentLog as silent } from "../../support/log.ts";
import { createTimetable, longestGapMs } from "../../../exporter/time/timetable.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
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
  test("ticks in UTC until it is stopped", async () => {
    const { clock, ticks, stop } = setUp("0 0 1 * *", "2026-11-30T23:58:30Z");
    await clock.advance(5 * MINUTE);
    expect(ticks).toEqual(["2026-12-01T00:00:00"]);
    stop();
    expect(clock.pending()).toEqual([]);
  });

  test("takes a seconds field", async () => {
    const { clock, ticks } = setUp("*/10 * * * * *", "2026-11-18T12:00:00Z");
    await clock.advance(30_000);
    expect(ticks).toEqual(["2026-11-18T12:00:10", "2026-11-18T12:00:20", "2026-11-18T12:00:30"]);
  });

  test.each([
    ["* * * * *", "2026-12-31T23:58:30Z", ["2026-12-31T23:59:00", "2027-01-01T00:00:00"]],
    ["30 5 0 * * *", "2028-02-28T12:00:00Z", ["2028-02-29T00:05:30", "2028-03-01T00:05:30"]],
    ["0 12 29 2 *", "2026-11-21T12:00:00Z", ["2028-02-29T12:00:00", "2032-02-29T12:00:00"]],
    ["0 0 * * 1", "2026-11-22T23:59:59.999Z", ["2026-11-23T00:00:00", "2026-11-30T00:00:00"]],
  ])("%s from %s on", async (expression, start, wanted) => {
    const { clock, ticks, stop } = setUp(expression, start);
    for (const each of wanted) {
      const moment = Date.parse(`${each}Z`);
      await clock.jump(moment - 1);
      await clock.advance(1);
    }
    stop();
    expect(ticks).toEqual(wanted);
    expect(clock.pending()).toEqual([]);
  });

  test.each([
    ["* * * * *", 1],
    ["* * * * * *", 1],
    ["2 12 * * *", 1],
    ["30 12 * * *", 0],
  ])("%s makes up with %i ticks for a process that stood still for ten minutes", async (expression, once) => {
    const { clock, ticks, lines } = setUp(expression, "2026-11-18T12:00:30.500Z");
    await clock.jump(clock.now() + 10 * MINUTE);
    expect(ticks).toHaveLength(once);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(once);
    await clock.advance(400);
    expect(ticks).toHaveLength(once);
  });

  test("a clock that is set back an hour goes on ticking", async () => {
    const { clock, ticks } = setUp("* * * * *", "2026-11-18T12:00:50Z");
    clock.set(clock.now() - HOUR);
    await clock.advance(10_000 + 2 * MINUTE);
    expect(ticks).toEqual(["2026-11-18T11:02:00", "2026-11-18T11:03:00"]);
  });

  test.each(["30 12 * * *", "* * * * *"])(
    "%s: a clock that is set forward an hour ticks once, soon, for what was left out",
    async (expression) => {
      const { clock, ticks } = setUp(expression, "2026-11-18T12:00:00Z");
      clock.set(clock.now() + HOUR);
      await clock.advance(30_000);
      expect(ticks).toHaveLength(1);
    },
  );
});

/** Ticks by a manual clock, and the warnings that were logged. */
function setUp(expression: string, start: string) {
  const clock = createManualClock(start);
  const { log, lines } = createRecordingLog();
  const ticks: string[] = [];
  const stop = createTimetable({ kind: "cron", expression }, clock, log).start(() =>
    ticks.push(new Date(clock.now()).toISOString().slice(0, 19)),
  );
  return { clock, lines, ticks, stop };
}
