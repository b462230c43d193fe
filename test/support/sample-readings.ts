import type { Sample } from "../../exporter/metrics/family.ts";
import { createPacking } from "../../exporter/metrics/render/block.ts";
import type { ReadingValue } from "../../exporter/readings/reading.ts";
import { createReadings } from "../../exporter/readings/readings.ts";
import { targetId } from "../../exporter/readings/target-id.ts";
import type { Clock } from "../../exporter/time/clock.ts";

const NOTHING: ReadingValue = {
  kind: "probe",
  answer: undefined,
  succeeded: true,
  durationMs: 0,
  audioSeconds: undefined,
  wordErrorRate: undefined,
};

/** Readings of keys that consist of samples only, for tests of rendering. */
export function createSampleReadings(clock: Clock) {
  const readings = createReadings(clock, createPacking(), () => Number.POSITIVE_INFINITY);
  return {
    ...readings,
    /** Replaces the samples of a key by those of a new answer. */
    put: (key: string, samples: readonly Sample[], timeToLiveMs: number) => {
      const id = targetId("key", key);
      const requestedAtMs = clock.now();
      const times = { requestedAtMs, asOfMs: requestedAtMs, timeToLiveMs };
      readings.configure(id, key);
      readings.store(id, { value: NOTHING, ...times }, samples);
    },
  };
}
