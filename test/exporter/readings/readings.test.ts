import { describe, expect, test } from "vitest";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { A, B, C, DAY_MS, MIDNIGHT, NOON, setUp } from "./set-up.ts";

describe("readings: learning", () => {
  test("learn() replaces the values of its target only", () => {
    const { learn, value, seen } = setUp();
    learn(value(1));
    learn(value(2), {}, B);
    learn(value(3));
    expect(seen()).toEqual([3, 2]);
  });

  test("ignores the reading of a target that is not configured", () => {
    const { readings, learn, value, seen } = setUp();
    const unknown = targetId("key", "unknown");
    expect(learn(value(1), {}, unknown)).toBe(true);
    readings.describe(unknown, value(2));
    readings.update(unknown, { up: true });
    expect([seen(), readings.series, readings.status(unknown), readings.latest(unknown)]).toEqual([
      [],
      0,
      undefined,
      undefined,
    ]);
    expect(readings.ids()).toEqual([A, B, C]);
  });

  test("an answer beyond the series limit is refused, and the previous values of its target are withdrawn", () => {
    const { readings, learn, value, seen } = setUp(NOON, 3);
    expect(learn([...value(1), ...value(2)])).toBe(true);
    expect(learn([...value(3), ...value(4)], {}, B)).toBe(false);
    expect([seen(), readings.series]).toEqual([[1, 2], 2]);
    expect(learn([...value(5), ...value(6), ...value(7)])).toBe(true);
    expect(learn([...value(1), ...value(2), ...value(3), ...value(4)])).toBe(false);
    expect([seen(), readings.series, readings.shown(A)]).toEqual([[], 0, undefined]);
  });

  test("a refused answer still counts for budgets", () => {
    const { readings, learn, value, readingOf } = setUp(NOON, 0);
    expect(learn(value(1))).toBe(false);
    expect(readings.latest(A)).toEqual(readingOf());
  });

  test("answers with the same rows need no more memory: their blocks share labels, windows and shape", () => {
    const { readings, learn, value } = setUp();
    const blockOf = (amount: number) => {
      learn([...value(amount, "day"), ...value(amount)]);
      return readings.view().blocks.find((block) => block.values.length > 0);
    };
    const first = blockOf(1);
    for (let amount = 2; amount < 100; amount++) blockOf(amount);
    const last = blockOf(100);
    expect(last?.values).toEqual([100, 100]);
    expect(last?.shape).toBe(first?.shape);
    expect(last?.labels).toBe(first?.labels);
    expect(last?.windows).toBe(first?.windows);
    expect([readings.series, readings.view().blocks.length]).toEqual([2, 6]);
  });
});

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

  test("the time to live begins when the answer was requested", () => {
    const { readings, learn, value } = setUp();
    learn(value(1), { askedAtMs: NOON - 60_000 });
    expect(readings.view().validForMs).toBe(120_000);
  });

  test("a wall clock that is set back does not prolong the time to live", async () => {
    const { clock, learn, value, seen } = setUp();
    learn(value(1));
    clock.set(NOON - 3_600_000);
    expect(seen()).toEqual([1]);
    await clock.advance(180_000);
    expect(seen()).toEqual([]);
  });

  test("a wall clock that is set forward ends the time to live, because the age of the values is unknown", () => {
    const { clock, learn, value, seen } = setUp();
    learn(value(1));
    clock.set(NOON + 3_600_000);
    expect(seen()).toEqual([]);
  });

  test("an answer requested in the future lives no longer than its time to live", async () => {
    const { clock, readings, learn, value } = setUp();
    learn(value(1), { askedAtMs: NOON + DAY_MS });
    await clock.advance(180_000);
    expect(readings.shown(A)).toBeUndefined();
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

  test("values of a window are withdrawn while the wall clock is before it", () => {
    const { clock, learn, value, seen } = setUp();
    learn([...value(1, "day"), ...value(2)], { timeToLiveMs: 30 * DAY_MS });
    clock.set(NOON - DAY_MS);
    expect(seen()).toEqual([2]);
  });

  test("an answer requested within the settle time shows no value of the new window, but all others", () => {
    const { readings, learn, value, seen } = setUp(MIDNIGHT + 89_999);
    learn([...value(1, "day"), ...value(2)]);
    expect([seen(), readings.isWhole(A)]).toEqual([[2], false]);
  });

  test("an answer requested after the settle time shows the new window", () => {
    const { readings, learn, value, seen } = setUp(MIDNIGHT + 90_000);
    learn(value(1, "day"));
    expect([seen(), readings.isWhole(A)]).toEqual([[1], true]);
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

  test("an answer requested before midnight that arrives after it shows nothing of the window", () => {
    const { clock, readings, value, readingOf, seen } = setUp(MIDNIGHT - 1000);
    const [reading, samples] = [readingOf(), [...value(1, "day"), ...value(2)]];
    clock.set(MIDNIGHT + 1000);
    readings.learn(A, reading, samples);
    expect(seen()).toEqual([2]);
  });

  test("shown() shows a window while it lasts", () => {
    const { clock, readings, learn, value } = setUp();
    learn(value(1), { timeToLiveMs: 30 * DAY_MS });
    const shows = (atMs: number) => readings.shown(A)?.shows(windowAt("day", atMs));
    expect([shows(NOON), shows(NOON - DAY_MS), shows(NOON + DAY_MS)]).toEqual([true, false, false]);
    expect(readings.shown(A)?.shows(windowAt("month", NOON))).toBe(true);
    clock.set(MIDNIGHT);
    expect([shows(NOON), shows(MIDNIGHT)]).toEqual([false, false]);
    expect(readings.shown(A)?.shows(windowAt("month", NOON))).toBe(true);
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
    expect(readings.latest(A)).toMatchObject({ askedAtMs: NOON, asOfMs: NOON });
    expect(readings.shown(A)?.askedAtMs).toBe(NOON);
  });

  test("what a view has left out because of its age does not come back", () => {
    const { clock, learn, value, seen } = setUp();
    learn(value(1));
    clock.set(NOON + 10 * MINUTE_MS);
    expect(seen()).toEqual([]);
    clock.set(NOON);
    expect(seen()).toEqual([]);
    learn(value(2));
    expect(seen()).toEqual([2]);
  });
});

describe("readings: withdrawing", () => {
  test("withdraw() withdraws the values and keeps the description and the latest reading", () => {
    const { readings, learn, value, readingOf, seen } = setUp();
    readings.describe(A, value(7));
    readings.update(A, { up: true });
    learn(value(1));
    readings.withdraw(A);
    expect([seen(), readings.series]).toEqual([[7], 1]);
    expect([readings.shown(A), readings.isWhole(A)]).toEqual([undefined, false]);
    expect(readings.latest(A)).toEqual(readingOf());
    expect(readings.status(A)?.up).toBe(true);
  });

  test("remove() forgets everything about a target", () => {
    const { readings, learn, value, seen } = setUp();
    readings.describe(A, value(7));
    learn(value(1));
    learn(value(2), {}, B);
    readings.remove(A);
    expect([seen(), readings.series, readings.ids()]).toEqual([[2], 1, [B, C]]);
    expect([readings.shown(A), readings.latest(A), readings.status(A)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("another identity withdraws everything at once: values, description, latest reading and status", async () => {
    const { clock, readings, learn, value, seen } = setUp();
    readings.describe(A, value(7));
    learn(value(1));
    readings.update(A, { up: true, attempted: true });
    await clock.advance(1000);
    readings.configure(A, "two");
    expect([seen(), readings.series]).toEqual([[], 0]);
    expect([readings.shown(A), readings.latest(A), readings.isWhole(A)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    expect(readings.status(A)).toMatchObject({ up: undefined, attempted: false });
    expect(readings.ids()).toEqual([A, B, C]);
  });

  test("the same identity keeps everything", async () => {
    const { clock, readings, learn, value, readingOf, seen } = setUp();
    learn(value(1));
    const before = readingOf();
    readings.update(A, { up: true });
    await clock.advance(1000);
    readings.configure(A, "one");
    expect([seen(), readings.latest(A)]).toEqual([[1], before]);
    expect(readings.status(A)).toMatchObject({ up: true });
  });

  test("isWhole() is false before the first reading and after a refused one", () => {
    const { readings, learn, value } = setUp(NOON, 1);
    expect(readings.isWhole(A)).toBe(false);
    learn(value(1));
    expect(readings.isWhole(A)).toBe(true);
    learn([...value(1), ...value(2)]);
    expect(readings.isWhole(A)).toBe(false);
  });

  test("an answer without samples is whole", () => {
    const { readings, learn } = setUp();
    learn([]);
    expect(readings.isWhole(A)).toBe(true);
  });
});
