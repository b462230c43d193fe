import type { Reading, UsageReading, WindowSpend, ReadingValue } from "../../exporter/readings/reading.ts";
import {
  type ReadingSource,
  type TargetStatus,
  createReadings,
  NEW_STATUS,
} from "../../exporter/readings/readings.ts";
import { type TargetId, targetId } from "../../exporter/readings/target-id.ts";
import type { Sample } from "../../exporter/metrics/family.ts";
import { createPacking } from "../../exporter/metrics/render/block.ts";
import type { Clock } from "../../exporter/time/clock.ts";

/** The data of one target. */
export interface FakeTarget {
  readonly status?: Partial<TargetStatus>;
  readonly reading?: Reading;
}

/**
 * Readings from a table; a target that is not in it is not configured. Shown values are missing, because budgets do
 * not use them.
 */
export function createFakeReadings(
  targets: Readonly<Partial<Record<TargetId, FakeTarget>>>,
  nowMs: number,
): ReadingSource {
  return {
    status: (id) => {
      const target = targets[id];
      return target && { ...NEW_STATUS, ...target.status };
    },
    shown: () => undefined,
    latest: (id) => targets[id]?.reading,
    isCurrent: (id) => {
      const reading = targets[id]?.reading;
      return reading !== undefined && nowMs - reading.requestedAtMs < reading.timeToLiveMs;
    },
  };
}

/** A reading of spend only, requested and computed at an instant, that lives for three minutes. */
export function spendReading(
  spend: WindowSpend | undefined,
  requestedAtMs: number,
  asOfMs = requestedAtMs,
): Reading {
  return { value: { ...NO_PAIRS, spend }, requestedAtMs, asOfMs, timeToLiveMs: 180_000 };
}

const NO_WINDOW = { startMs: 0, endMs: 0 };
const NO_PAIRS: Omit<UsageReading, "spend"> = {
  kind: "usage",
  window: NO_WINDOW,
  range: NO_WINDOW,
  dataMs: 0,
  pairs: [],
  foldedPairs: 0,
  truncated: false,
  exceedsTotal: false,
  credits: undefined,
  requests: undefined,
};

/** A value, for tests of samples. */
export const ANY_VALUE: ReadingValue = {
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
      readings.store(id, { value: ANY_VALUE, ...times }, samples);
    },
  };
}
