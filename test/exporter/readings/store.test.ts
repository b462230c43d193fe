import { describe, expect, test } from "vitest";
import { unpack } from "../../../exporter/metrics/render/block.ts";
import { gauge, type Sample, sample } from "../../../exporter/metrics/family.ts";
import { createStore } from "../../../exporter/readings/store.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";

const family = gauge({ name: "aigateway_test_credits", help: "Test.", labels: ["key"], absent: "never" });
const NOON = Date.parse("2026-11-18T12:00:00Z");

function setUp(start: number = NOON, seriesLimit = 100) {
  const clock = createManualClock(start);
  const store = createStore(clock, () => seriesLimit);
  const value = (amount: number, kind?: "day" | "week" | "month") =>
    sample(family, { key: "a" }, amount, kind && windowAt(kind, clock.now()));
  const put = (samples: readonly Sample[], timeToLiveMs = 180_000, target = "a") =>
    store.put(target, { samples, askedAtMs: clock.now(), timeToLiveMs });
  const seen = (target = "a") => store.visible(target).map((shown) => shown.value);
  return { clock, store, value, put, seen };
}

describe("store", () => {
  test("put() replaces the values of its target alone", () => {
    const { put, value, seen } = setUp();
    put(value(1));
    put(value(2), 180_000, "b");
    put(value(3));
    expect([seen("a"), seen("b")]).toEqual([[3], [2]]);
  });

  test("values are repeated until their time to live and not longer", async () => {
    const { clock, put, value, seen } = setUp();
    put(value(1));
    await clock.advance(179_999);
    expect(seen()).toEqual([1]);
    await clock.advance(1);
    expect(seen()).toEqual([]);
  });

  test("a wall clock that is set back does not prolong the time to live", async () => {
    const { clock, put, value, seen } = setUp();
    put(value(1));
    clock.set(NOON - 3_600_000);
    expect(seen()).toEqual([1]);
    await clock.advance(180_000);
    expect(seen()).toEqual([]);
  });

  test("a wall clock that is set forward ends it, since nobody knows how old the values are", () => {
    const { clock, put, value, seen } = setUp();
    put(value(1));
    clock.set(NOON + 3_600_000);
    expect(seen()).toEqual([]);
  });

  test.each([
    ["day", "2026-11-18T23:59:59.999Z", "2026-11-19T00:00:00Z"],
    ["week", "2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00Z"],
    ["month", "2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00Z"],
  ] as const)("a value of the %s is withdrawn at its end, whatever its time to live", (kind, last, end) => {
    const { clock, put, value, seen } = setUp();
    put(value(1, kind), 30 * 86_400_000);
    clock.set(Date.parse(last));
    expect(seen()).toEqual([1]);
    clock.set(Date.parse(end));
    expect(seen()).toEqual([]);
  });

  test("an answer asked for within the settle time shows no value of the new window, but the others", () => {
    const { put, value, seen } = setUp(Date.parse("2026-11-19T00:01:29.999Z"));
    put([...value(1, "day"), ...value(2)]);
    expect(seen()).toEqual([2]);
  });

  test("an answer asked for after the settle time shows the new window", () => {
    const { put, value, seen } = setUp(Date.parse("2026-11-19T00:01:30Z"));
    put(value(1, "day"));
    expect(seen()).toEqual([1]);
  });

  test("an answer that was asked for before midnight and arrives after shows nothing of the window", () => {
    const { clock, store, value, seen } = setUp(Date.parse("2026-11-18T23:59:59Z"));
    const answer = {
      samples: [...value(1, "day"), ...value(2)],
      askedAtMs: clock.now(),
      timeToLiveMs: 180_000,
    };
    clock.set(Date.parse("2026-11-19T00:00:01Z"));
    store.put("a", answer);
    expect(seen()).toEqual([2]);
  });

  test("withdraw() takes the values and leaves the description; remove() takes both", () => {
    const { store, put, value, seen } = setUp();
    store.describe("a", value(7));
    put(value(1));
    store.withdraw("a");
    expect(seen()).toEqual([7]);
    store.remove("a");
    expect(seen()).toEqual([]);
    expect(store.series).toBe(0);
  });

  test("put() refuses an answer beyond the series limit and then shows no old value either", () => {
    const { store, put, value, seen } = setUp(NOON, 3);
    expect(put([...value(1), ...value(2)])).toBe(true);
    expect(put([...value(3), ...value(4)], 180_000, "b")).toBe(false);
    expect([seen("a"), seen("b"), store.series]).toEqual([[1, 2], [], 2]);
    expect(put([...value(5), ...value(6), ...value(7)])).toBe(true);
    expect(put([...value(1), ...value(2), ...value(3), ...value(4)])).toBe(false);
    expect([seen("a"), store.series]).toEqual([[], 0]);
  });

  test("view() leaves out what ends soon, so that what fails together does not outdate one view after the other", async () => {
    const { clock, store, put, value } = setUp();
    for (const target of ["a", "b", "c"]) {
      put(value(1), 180_000, target);
      await clock.advance(1000);
    }
    const shown = () => store.view().blocks.flatMap((block) => unpack(block)).length;
    await clock.advance(172_000);
    expect([shown(), store.view().validForMs]).toEqual([2, 6000]);
    await clock.advance(3000);
    expect([shown(), store.view().validForMs]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  test("view() is outdated when a value ages, a window ends or the clock goes back", async () => {
    const { clock, store, put, value } = setUp();
    put(value(1));
    const aging = store.view();
    expect([aging.validForMs, aging.outdated()]).toEqual([180_000, false]);
    await clock.advance(180_000);
    expect(aging.outdated()).toBe(true);
    put(value(1, "day"), 30 * 86_400_000);
    const windowed = store.view();
    expect(windowed.validForMs).toBe(Date.parse("2026-11-19T00:00:00Z") - clock.now());
    clock.set(clock.now() - 1);
    expect(windowed.outdated()).toBe(true);
  });

  test("view() does not change when the store does", () => {
    const { store, put, value } = setUp();
    put(value(1));
    const view = store.view();
    put(value(2));
    expect(view.blocks.flatMap(unpack).map((shown) => shown.value)).toEqual([1]);
  });
});
