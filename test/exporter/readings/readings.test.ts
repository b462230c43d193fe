import { describe, expect, test } from "vitest";
import { windowAt } from "../../../exporter/time/window.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { type Block, createPacking, unpack } from "../../../exporter/metrics/render/block.ts";
import { type Sample, gauge, sample } from "../../../exporter/metrics/family.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { createManualClock } from "../../support/clock.ts";
import { ANY_VALUE } from "../../support/fake-readings.ts";

const family = gauge({ name: "aigateway_test_credits", help: "Test.", labels: ["key"], absent: "never" });
const NOON = Date.parse("2026-11-18T12:00:00Z");
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
const DAY_MS = 86_400_000;
const [A, B, C] = [targetId("key", "a"), targetId("key", "b"), targetId("key", "c")];

/** Readings of three targets, and short words for what tests do with them. */
function setUp(start: number = NOON, seriesLimit = 100) {
  const clock = createManualClock(start);
  const readings = createReadings(clock, createPacking(), () => seriesLimit);
  for (const id of [A, B, C]) readings.configure(id, "one");
  const value = (amount: number, kind?: "day" | "week" | "month") =>
    sample(family, { key: "a" }, amount, kind && windowAt(kind, clock.now()));
  const readingOf = (change: Partial<Reading> = {}): Reading => {
    const requestedAtMs = change.requestedAtMs ?? clock.now();
    return { value: ANY_VALUE, requestedAtMs, asOfMs: requestedAtMs, timeToLiveMs: 180_000, ...change };
  };
  const learn = (samples: readonly Sample[], change: Partial<Reading> = {}, id: TargetId = A) =>
    readings.store(id, readingOf(change), samples);
  const seen = () => valuesOf(readings.view().blocks);
  return { clock, readings, value, readingOf, learn, seen };
}

function valuesOf(blocks: readonly Block[]): readonly number[] {
  return blocks.flatMap(unpack).map((shown) => shown.value);
}

describe("readings: time to live", () => {
  test("values are repeated until the time to live has passed", async () => {
    const { clock, readings, learn, value, seen } = setUp();
    learn(value(1), { timeToLiveMs: 1000 });
    await clock.advance(949);
    expect([seen(), readings.isWhole(A)]).toEqual([[1], true]);
    await clock.advance(1);
    expect(seen()).toEqual([]);
    await clock.advance(49);
    expect([readings.shown(A) !== undefined, readings.isWhole(A)]).toEqual([true, true]);
    await clock.advance(1);
    expect([readings.shown(A), readings.isWhole(A)]).toEqual([undefined, false]);
  });

  test("a wall clock that is set back does not prolong the time to live", async () => {
    const { clock, learn, value, seen } = setUp();
    learn(value(1));
    clock.set(NOON - 3_600_000);
    expect(seen()).toEqual([1]);
    await clock.advance(180_000);
    expect(seen()).toEqual([]);
  });
});

describe("readings: windows", () => {
  test.each([
    ["day", "2026-11-18T23:59:59.999Z", "2026-11-19T00:00:00Z"],
    ["week", "2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00Z"],
    ["month", "2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00Z"],
  ] as const)("a value of the %s is withdrawn at its end, whatever its time to live", (kind, last, end) => {
    const { clock, readings, learn, value, seen } = setUp();
    learn(value(1, kind), { timeToLiveMs: 30 * DAY_MS });
    clock.set(Date.parse(last));
    expect([seen(), readings.isWhole(A)]).toEqual([[1], true]);
    clock.set(Date.parse(end));
    expect([seen(), readings.isWhole(A)]).toEqual([[], false]);
  });

  test("an answer requested after the settle time but computed before it shows nothing of the new window", () => {
    const { readings, learn, value, seen } = setUp(MIDNIGHT + 200_000);
    const asOfMs = MIDNIGHT + 89_999;
    learn([...value(1, "day"), ...value(2)], { asOfMs });
    expect([seen(), readings.isWhole(A)]).toEqual([[2], false]);
    expect(readings.shown(A)?.shows(windowAt("day", MIDNIGHT))).toBe(false);
    learn([...value(1, "day"), ...value(2)], { asOfMs: asOfMs + 1 });
    expect([seen(), readings.isWhole(A)]).toEqual([[1, 2], true]);
    expect(readings.shown(A)?.shows(windowAt("day", MIDNIGHT))).toBe(true);
  });
});

describe("readings: a clock that was fast and is set back", () => {
  const MINUTE_MS = 60_000;

  test("values of the day that the clock showed are withdrawn until that day is asked about", async () => {
    const { clock, readings, learn, value, seen } = setUp(MIDNIGHT + 10 * MINUTE_MS);
    learn([...value(1, "day"), ...value(2)], { timeToLiveMs: DAY_MS });
    expect(seen()).toEqual([1, 2]);
    clock.set(MIDNIGHT - 5 * MINUTE_MS);
    expect(seen()).toEqual([2]);
    await clock.advance(7 * MINUTE_MS);
    expect([seen(), readings.isWhole(A)]).toEqual([[2], false]);
  });

  test("the latest reading has its times by the present clock", () => {
    const { clock, readings, learn, value } = setUp(NOON + 10 * MINUTE_MS);
    learn(value(1));
    clock.set(NOON);
    expect(readings.latest(A)).toMatchObject({ requestedAtMs: NOON, asOfMs: NOON });
    expect(readings.shown(A)?.requestedAtMs).toBe(NOON);
  });

  test("what has expired does not come back", () => {
    const { clock, readings, learn, value, seen } = setUp();
    learn(value(1));
    clock.set(NOON + 10 * MINUTE_MS);
    readings.expire();
    clock.set(NOON);
    expect(seen()).toEqual([]);
    learn(value(2));
    expect(seen()).toEqual([2]);
  });
});

describe("readings: view()", () => {
  test("leaves out readings that expire soon, so that targets that fail together do not outdate one view after the other", async () => {
    const { clock, readings, learn, value, seen } = setUp();
    for (const id of [A, B, C]) {
      learn(value(1), {}, id);
      await clock.advance(1000);
    }
    await clock.advance(172_000);
    expect([seen().length, readings.view().validForMs]).toEqual([2, 6000]);
    await clock.advance(3000);
    expect([seen().length, readings.view().validForMs]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  test("is outdated when a value ages, a window ends or the clock goes back", async () => {
    const { clock, readings, learn, value } = setUp();
    learn(value(1));
    const aging = readings.view();
    expect([aging.validForMs, aging.outdated()]).toEqual([180_000, false]);
    await clock.advance(180_000);
    expect(aging.outdated()).toBe(true);
    learn(value(1, "day"), { timeToLiveMs: 30 * DAY_MS });
    const windowed = readings.view();
    expect(windowed.validForMs).toBe(MIDNIGHT - clock.now());
    clock.set(clock.now() - 1);
    expect(windowed.outdated()).toBe(true);
  });

  test("contains derived samples, computed at the instant of the view and limited by their windows", () => {
    const { clock, readings, learn, value, seen } = setUp();
    learn(value(1), { timeToLiveMs: 30 * DAY_MS });
    readings.derive(new Map([[targetId("budget", "all"), () => value(clock.now() - NOON, "day")]]));
    expect([seen(), readings.series]).toEqual([[1, 0], 1]);
    expect(readings.view().validForMs).toBe(MIDNIGHT - NOON);
    clock.set(NOON + 5);
    expect(seen()).toEqual([1, 5]);
    readings.derive(new Map());
    expect(seen()).toEqual([1]);
  });

  test("values last longer while the time to live of their group is longer, and do not come back", async () => {
    const { clock, readings, learn, value, seen } = setUp();
    const groupLife = { timeToLiveMs: 400_000 };
    learn(value(1), { groupLife });
    readings.update(A, { up: true });
    const shown = () => {
      readings.expire();
      return [seen().length, readings.isWhole(A), readings.status(A)?.up];
    };
    await clock.advance(394_999);
    expect(shown()).toEqual([1, true, true]);
    groupLife.timeToLiveMs = 1000;
    expect(shown()).toEqual([0, false, false]);
    groupLife.timeToLiveMs = 400_000;
    expect(shown()).toEqual([0, false, false]);
  });
});

test("what is behind another target is followed as soon as it is shown", async () => {
  const clock = createManualClock(NOON);
  const followed: (readonly [TargetId, number])[] = [];
  const readings = createReadings(clock, createPacking(), () => 100, {
    stored: (id, { requestedAtMs }) => followed.push([id, requestedAtMs - NOON]),
    forgotten: () => {},
    blocks: () => [],
  });
  readings.configure(A, "one");
  readings.configure(B, "one", A);
  const store = (id: TargetId, timeToLiveMs: number) => {
    const nowMs = clock.now();
    readings.store(id, { value: ANY_VALUE, requestedAtMs: nowMs, asOfMs: nowMs, timeToLiveMs }, []);
  };
  store(A, 1000);
  await clock.advance(500);
  store(B, 10_000);
  readings.expire();
  expect(followed).toEqual([[A, 0]]);
  await clock.advance(600);
  readings.expire();
  readings.expire();
  expect(followed).toEqual([
    [A, 0],
    [A, 500],
  ]);
});
