import { describe, expect, test } from "vitest";
import { createRecordingLog, silentLog as silent } from "../../support/log.ts";
import { createTicker, longestGapMs } from "../../../exporter/time/ticker.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("longestGapMs()", () => {
  test("of an interval is the interval", () => {
    expect(longestGapMs({ kind: "interval", ms: 45_000 })).toBe(45_000);
  });

  test("of a cron expression is the longest gap between its runs", () => {
    expect(longestGapMs({ kind: "cron", expression: "0 9 * * 1-5" })).toBe(72 * HOUR);
  });
});

describe("createTicker() with an interval", () => {
  test("ticks stay aligned, however late the clock calls, and missed ticks are skipped", async () => {
    const clock = createManualClock();
    const ticker = createTicker({ kind: "interval", ms: 60_000 }, clock, silent);
    const start = clock.monotonic();
    const ticks: number[] = [];
    const stop = ticker.start(() => ticks.push(clock.monotonic() - start));
    await clock.advance(120_000);
    await clock.jump(clock.now() + 200_000);
    await clock.advance(100_000);
    expect(ticks).toEqual([60_000, 120_000, 320_000, 360_000, 420_000]);
    stop();
    expect(clock.pending()).toEqual([]);
  });
});

describe("createTicker() with a cron expression", () => {
  test("ticks in UTC until it is stopped", async () => {
    const { clock, ticks, stop } = setUp("0 0 1 * *", "2026-11-30T23:58:30Z");
    await clock.advance(5 * MINUTE);
    expect(ticks).toEqual(["2026-12-01T00:00:00"]);
    stop();
    expect(clock.pending()).toEqual([]);
  });

  test("supports a seconds field", async () => {
    const { clock, ticks } = setUp("*/10 * * * * *", "2026-11-18T12:00:00Z");
    await clock.advance(30_000);
    expect(ticks).toEqual(["2026-11-18T12:00:10", "2026-11-18T12:00:20", "2026-11-18T12:00:30"]);
  });

  test.each([
    ["* * * * *", "2026-12-31T23:58:30Z", ["2026-12-31T23:59:00", "2027-01-01T00:00:00"]],
    ["30 5 0 * * *", "2028-02-28T12:00:00Z", ["2028-02-29T00:05:30", "2028-03-01T00:05:30"]],
    ["0 12 29 2 *", "2026-11-21T12:00:00Z", ["2028-02-29T12:00:00", "2032-02-29T12:00:00"]],
    ["0 0 * * 1", "2026-11-22T23:59:59.999Z", ["2026-11-23T00:00:00", "2026-11-30T00:00:00"]],
  ])("%s ticks at its runs after %s", async (expression, start, wanted) => {
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
  ])("%s ticks %i times after a suspension of ten minutes", async (expression, once) => {
    const { clock, ticks, lines } = setUp(expression, "2026-11-18T12:00:30.500Z");
    await clock.jump(clock.now() + 10 * MINUTE);
    expect(ticks).toHaveLength(once);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(once);
    await clock.advance(400);
    expect(ticks).toHaveLength(once);
  });

  test("a clock that is set back by an hour keeps ticking", async () => {
    const { clock, ticks } = setUp("* * * * *", "2026-11-18T12:00:50Z");
    clock.set(clock.now() - HOUR);
    await clock.advance(10_000 + 2 * MINUTE);
    expect(ticks).toEqual(["2026-11-18T11:01:00", "2026-11-18T11:02:00", "2026-11-18T11:03:00"]);
  });

  test.each(["30 12 * * *", "* * * * *"])(
    "%s ticks once, within 30 s, after the clock is set forward by an hour",
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
  const stop = createTicker({ kind: "cron", expression }, clock, log).start(() =>
    ticks.push(new Date(clock.now()).toISOString().slice(0, 19)),
  );
  return { clock, lines, ticks, stop };
}
