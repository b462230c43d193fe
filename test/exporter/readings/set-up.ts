import { type Block, createPacking, unpack } from "../../../exporter/metrics/render/block.ts";
import { gauge, type Sample, sample } from "../../../exporter/metrics/family.ts";
import type { Reading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";

const family = gauge({ name: "aigateway_test_credits", help: "Test.", labels: ["key"], absent: "never" });
export const NOON = Date.parse("2026-11-18T12:00:00Z");
export const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
export const DAY_MS = 86_400_000;
export const [A, B, C] = [targetId("key", "a"), targetId("key", "b"), targetId("key", "c")];
export const VALUE: Reading["value"] = {
  kind: "probe",
  answer: undefined,
  succeeded: true,
  durationMs: 0,
  audioSeconds: undefined,
  wordErrorRate: undefined,
};

/** Readings of three targets, and short words for what tests do with them. */
export function setUp(start: number = NOON, seriesLimit = 100) {
  const clock = createManualClock(start);
  const readings = createReadings(clock, createPacking(), () => seriesLimit);
  for (const id of [A, B, C]) readings.configure(id, "one");
  const value = (amount: number, kind?: "day" | "week" | "month") =>
    sample(family, { key: "a" }, amount, kind && windowAt(kind, clock.now()));
  const readingOf = (change: Partial<Reading> = {}): Reading => {
    const askedAtMs = change.askedAtMs ?? clock.now();
    return { value: VALUE, askedAtMs, asOfMs: askedAtMs, timeToLiveMs: 180_000, ...change };
  };
  const learn = (samples: readonly Sample[], change: Partial<Reading> = {}, id: TargetId = A) =>
    readings.learn(id, readingOf(change), samples);
  const seen = () => valuesOf(readings.view().blocks);
  return { clock, readings, value, readingOf, learn, seen };
}

export function valuesOf(blocks: readonly Block[]): readonly number[] {
  return blocks.flatMap(unpack).map((shown) => shown.value);
}
