import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { SpendGuard } from "./spend-guard.ts";

/** What the keys that pay for probes spent today before the exporter started, according to their readings. */
export interface PayerSpend {
  /** The keys whose spend is not known yet. */
  missing(): readonly string[];
  isKnown(): boolean;
  /**
   * Milliseconds until a reading can contain everything that was spent before the start; 0 or less: it already can.
   */
  readableInMs(): number;
  /** Whether the latest reading of a key is recent enough but lacks today's usage. */
  isUnreported(key: string): boolean;
}

export interface PayerSpendDependencies {
  readonly clock: Pick<Clock, "now">;
  readonly guard: Pick<SpendGuard, "missing" | "completeFromMs" | "learn">;
  readonly readings: Pick<ReadingSource, "latest">;
  /** The keys that pay. */
  readonly payers: () => readonly string[];
}

export function createPayerSpend({ clock, guard, readings, payers }: PayerSpendDependencies): PayerSpend {
  /** The reading of a key, if it contains everything that was spent before the start. */
  function completeReading(key: string) {
    const reading = readings.latest(targetId("key", key));
    if (reading?.value?.kind !== "key" || reading.asOfMs < guard.completeFromMs(clock.now()))
      return undefined;
    return { asOfMs: reading.asOfMs, usedToday: reading.value.usage.day };
  }

  function missing(): readonly string[] {
    const keys = [...new Set(payers())];
    for (const key of guard.missing(keys, clock.now())) {
      const reading = completeReading(key);
      if (reading?.usedToday !== undefined) guard.learn(key, reading.usedToday, reading.asOfMs);
    }
    return guard.missing(keys, clock.now());
  }

  return {
    missing,
    isKnown: () => missing().length === 0,
    readableInMs: () => guard.completeFromMs(clock.now()) - clock.now(),
    isUnreported: (key) => {
      const reading = completeReading(key);
      return reading !== undefined && reading.usedToday === undefined;
    },
  };
}
