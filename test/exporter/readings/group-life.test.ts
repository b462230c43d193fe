import { expect, test } from "vitest";
import { createPacking, unpack } from "../../../exporter/metrics/render/block.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { sample } from "../../../exporter/metrics/family.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { createManualClock } from "../../support/clock.ts";

test("a view is outdated when a target is not up any more, although a clock set forward has withdrawn its values", async () => {
  const clock = createManualClock();
  const readings = createReadings(clock, createPacking(), () => 100);
  readings.configure("key/a", "one");
  const times = { askedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: 180_000 };
  readings.learn("key/a", { value: undefined, ...times }, sample(keyFamilies.usage, { key: "a" }, 1));
  readings.update("key/a", { up: true });
  clock.set(clock.now() + 3_600_000);
  const view = readings.view();
  await clock.advance(179_999);
  expect(view.outdated()).toBe(false);
  await clock.advance(1);
  expect([view.outdated(), readings.status("key/a")?.up]).toEqual([true, false]);
  expect(readings.view().validForMs).toBe(Number.POSITIVE_INFINITY);
});

test("values last longer while the time to live of their group is longer, and do not come back", async () => {
  const clock = createManualClock();
  const readings = createReadings(clock, createPacking(), () => 100);
  readings.configure("key/a", "one");
  const groupLife = { timeToLiveMs: 1000 };
  const times = { askedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: 180_000 };
  const samples = sample(keyFamilies.usage, { key: "a" }, 1);
  readings.learn("key/a", { value: undefined, ...times, groupLife }, samples);
  readings.update("key/a", { up: true });
  const shown = () => [
    readings.view().blocks.flatMap(unpack).length,
    readings.isWhole("key/a"),
    readings.status("key/a")?.up,
  ];
  groupLife.timeToLiveMs = 400_000;
  await clock.advance(394_999);
  expect(shown()).toEqual([1, true, true]);
  groupLife.timeToLiveMs = 1000;
  expect(shown()).toEqual([0, false, false]);
  groupLife.timeToLiveMs = 400_000;
  expect(shown()).toEqual([0, false, false]);
});
