import { describe, expect, test } from "vitest";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { A, B, C, DAY_MS, MIDNIGHT, NOON, setUp, valuesOf } from "./set-up.ts";

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

  test("a reading is current as long as views contain it, also after a step of the clock", () => {
    const { clock, readings, learn, value, seen } = setUp();
    learn(value(1));
    const [current, left] = [() => [seen().length, readings.isCurrent(A)], 180_000];
    clock.set(NOON + left - 5001);
    expect(current()).toEqual([1, true]);
    clock.set(NOON + left - 5000);
    expect(current()).toEqual([0, false]);
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

  test("is outdated when only the wall clock has passed its end", () => {
    const { clock, readings, learn, value } = setUp();
    learn(value(1, "day"), { timeToLiveMs: 30 * DAY_MS });
    const view = readings.view();
    clock.set(MIDNIGHT - 1);
    expect(view.outdated()).toBe(false);
    clock.set(MIDNIGHT);
    expect(view.outdated()).toBe(true);
  });

  test("is outdated when only the monotonic clock has passed its end", async () => {
    const { clock, readings, learn, value } = setUp();
    learn(value(1));
    const view = readings.view();
    await clock.advance(180_000);
    clock.set(NOON);
    expect(view.outdated()).toBe(true);
  });

  test("does not change when the readings do", () => {
    const { readings, learn, value } = setUp();
    learn(value(1));
    const view = readings.view();
    learn(value(2));
    expect(valuesOf(view.blocks)).toEqual([1]);
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

  test("keeps the block of a target that has not changed", () => {
    const { clock, readings, learn, value } = setUp();
    readings.describe(A, value(7));
    learn([...value(1, "day"), ...value(2)], { timeToLiveMs: 30 * DAY_MS });
    const whole = readings.view().blocks;
    learn(value(3), {}, B);
    expect(
      readings
        .view()
        .blocks.slice(0, 2)
        .map((block, index) => block === whole[index]),
    ).toEqual([true, true]);
    clock.set(MIDNIGHT);
    const part = readings.view().blocks[1];
    expect(part?.values).toEqual([2]);
    expect(readings.view().blocks[1]).toBe(part);
  });
});
