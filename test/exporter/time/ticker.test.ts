import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRecordingLog, silentLog as silent } from "../../support/log.ts";
import { createTicker } from "../../../exporter/time/ticker.ts";
import { createManualClock } from "../../support/clock.ts";
import { systemClock } from "../../../exporter/time/clock.ts";
import { yieldToEventLoop } from "../../../exporter/time/event-loop.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

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

test("systemClock.after waits for 24 days at most, because Node calls back at once after more", () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  const cancel = systemClock.after(93 * 86_400_000, () => {});
  cancel();
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([2_147_483_647]);
});

test("yieldToEventLoop: of several that wait, one goes on in each iteration", async () => {
  let iteration = 0;
  const count = () => {
    iteration++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const seen = await Promise.all([1, 2, 3].map(() => yieldToEventLoop().then(() => iteration)));
  clearImmediate(next);
  expect(new Set(seen).size).toBe(3);
});
