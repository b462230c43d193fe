import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import type { KeyReading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createKeyHistory } from "../../../exporter/status/key-history.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = "2026-11-18T12:00:00Z";

/** A recorder beside real readings, in which a test puts answers. */
function setUp(start = START) {
  const clock = createManualClock(start);
  const readings = createReadings(clock, createPacking(), () => 1e9);
  let duringPause: (() => void) | undefined;
  const history = createKeyHistory({
    clock,
    readings,
    pause: () => Promise.resolve(duringPause?.()),
  });
  const answer = (
    name: string,
    day: number | undefined,
    left: number | null,
    more: Partial<KeyReading> = {},
    timeToLiveMs = 48 * HOUR,
  ) => {
    const id = targetId("key", name);
    const value: KeyReading = {
      kind: "key",
      limitCredits: left === null ? null : 100,
      remainingCredits: left,
      limitReset: "never",
      usage: { total: 1, day, week: 1, month: 1 },
      expiresAtMs: undefined,
      limitWindow: undefined,
      ...more,
    };
    readings.configure(id, name);
    readings.update(id, { up: true });
    readings.learn(id, { value, askedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs }, []);
  };
  history.start();
  return {
    clock,
    readings,
    history,
    answer,
    points: (name: string) => history.of(targetId("key", name), clock.now() + 1),
    onPause: (run: () => void) => void (duringPause = run),
  };
}

const amounts = (
  points: readonly { readonly day: number | undefined; readonly left: number | undefined }[],
) => points.map(({ day, left }) => [day, left]);

test("records what each key has spent and has left every 15 seconds, and begins empty", async () => {
  const { clock, history, answer, points } = setUp();
  answer("billing", 1.5, 40);
  expect([history.sinceMs, points("billing")]).toEqual([undefined, []]);
  await clock.advance(15 * SECOND);
  answer("billing", 2.5, 39);
  await clock.advance(15 * SECOND);
  const atMs = Date.parse(START) + 15 * SECOND;
  expect(history.sinceMs).toBe(atMs);
  expect(points("billing")).toEqual([
    { atMs, day: 1.5, left: 40 },
    { atMs: atMs + 15 * SECOND, day: 2.5, left: 39 },
  ]);
  expect(points("other")).toEqual([]);
});

test("keeps unknown apart from zero", async () => {
  const { clock, answer, points } = setUp();
  answer("zero", 0, 0);
  answer("unlimited", 3, null);
  answer("unknown", undefined, 7);
  answer("old", 5, 5, {}, 20 * SECOND);
  await clock.advance(30 * SECOND);
  expect(amounts(points("zero"))).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(amounts(points("unlimited"))).toEqual([
    [3, undefined],
    [3, undefined],
  ]);
  expect(amounts(points("unknown"))).toEqual([
    [undefined, 7],
    [undefined, 7],
  ]);
  expect(amounts(points("old"))).toEqual([
    [5, 5],
    [undefined, undefined],
  ]);
});

test("does not record the values of a window that has ended", async () => {
  const { clock, answer, points } = setUp("2026-11-18T23:59:40Z");
  answer("billing", 5, 4, { limitReset: "daily", limitWindow: windowAt("day", clock.now()) });
  await clock.advance(30 * SECOND);
  expect(amounts(points("billing"))).toEqual([
    [5, 4],
    [undefined, undefined],
  ]);
});

test.each([
  ["12 minutes", 48 * 15 * SECOND, 48],
  ["an hour", HOUR, 30],
  ["a day", 24 * HOUR, 43],
  ["a month", 30 * 24 * HOUR, 48],
])(
  "has at most 48 points after %s, evenly spaced, the first of them as old as they can be",
  async (_name, spanMs, count) => {
    const { clock, history, answer, points } = setUp();
    answer("billing", 1, 1, {}, 1e12);
    await clock.advance(spanMs);
    const times = points("billing").map(({ atMs }) => atMs);
    const gaps = new Set(times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0)));
    expect(gaps.size).toBe(1);
    expect(times.length).toBeGreaterThanOrEqual(Math.min(24, count));
    expect(times.length).toBeLessThanOrEqual(48);
    expect(history.sinceMs).toBe(times[0]);
    const oldest = Math.max(Date.parse(START) + 15 * SECOND, clock.now() - 26 * HOUR);
    expect(times[0]).toBeLessThanOrEqual(oldest + 32 * MINUTE);
  },
);

test.each<[string, (stage: ReturnType<typeof setUp>) => void]>([
  ["is removed", ({ readings }) => readings.remove(targetId("key", "key-1"))],
  ["has another secret", ({ readings }) => readings.configure(targetId("key", "key-1"), "other")],
])("forgets a key that %s, and gives its place to another one without its past", async (_name, change) => {
  const stage = setUp();
  for (const name of ["key-0", "key-1", "key-2"]) stage.answer(name, 1, 1);
  await stage.clock.advance(30 * SECOND);
  change(stage);
  expect(stage.points("key-1")).toEqual([]);
  stage.answer("new", 9, 9);
  await stage.clock.advance(15 * SECOND);
  expect(amounts(stage.points("new"))).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [9, 9],
  ]);
  expect(amounts(stage.points("key-2"))).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

test("forgets a key that is removed while the keys are recorded, and lets other work run meanwhile", async () => {
  const stage = setUp();
  for (let index = 0; index < 1200; index++) stage.answer(`key-${index}`, 1, 1);
  // Each key has its place from now on.
  await stage.clock.advance(15 * SECOND);
  let pauses = 0;
  stage.onPause(() => {
    if (++pauses === 1) stage.readings.remove(targetId("key", "key-7"));
  });
  await stage.clock.advance(15 * SECOND);
  expect(pauses).toBe(2);
  expect(stage.points("key-7")).toEqual([]);
  expect(amounts(stage.points("key-1199"))).toEqual([
    [1, 1],
    [1, 1],
  ]);
  stage.answer("new", 9, 9);
  await stage.clock.advance(15 * SECOND);
  expect(amounts(stage.points("new"))).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [9, 9],
  ]);
});

test("points on both sides of a pause of the machine are not neighbours, and a clock that is set back drops later points", async () => {
  const { clock, answer, points } = setUp();
  answer("billing", 1, 1);
  await clock.advance(30 * SECOND);
  clock.set(clock.now() + 10 * MINUTE);
  await clock.advance(15 * SECOND);
  expect(amounts(points("billing"))).toEqual([
    [1, 1],
    [1, 1],
    [undefined, undefined],
    [1, 1],
  ]);
  clock.set(Date.parse(START) + 10 * SECOND);
  answer("billing", 2, 2);
  await clock.advance(15 * SECOND);
  expect(amounts(points("billing"))).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test("records nothing after it was stopped", async () => {
  const { clock, answer, points, history } = setUp();
  answer("billing", 1, 1);
  await clock.advance(15 * SECOND);
  history.stop();
  await clock.advance(HOUR);
  expect(points("billing")).toHaveLength(1);
});

test("a day of 10,000 keys needs less than 10 MB", async () => {
  const { clock, answer, points } = setUp();
  for (let index = 0; index < 10_000; index++) answer(`key-${index}`, index, 1, {}, 1e12);
  const before = await bytesInUse();
  await clock.advance(30 * HOUR);
  expect(points("key-9999")).toHaveLength(48);
  expect((await bytesInUse()) - before).toBeLessThan(10e6);
});

/** What live objects use, their buffers included, which are freed a moment after their objects. */
async function bytesInUse(): Promise<number> {
  setFlagsFromString("--expose-gc");
  for (let time = 0; time < 3; time++) {
    runInNewContext("gc()");
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
