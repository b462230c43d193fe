import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { SpendGuard } from "./spend-guard.ts";

/**
 * What the keys that pay for probes have spent today, according to the first readings that contain everything
 * so far.
 */
export interface PayerSpend {
  /** The keys whose spend is not known yet. */
  missing(): readonly string[];
  isKnown(): boolean;
  /**
   * Milliseconds until a reading of the day can contain everything that was spent before the start or the last step of
   * the clock; 0 or less: it already can.
   */
  readableInMs(): number;
  /** Whether the latest reading of a key is recent enough but lacks today's usage, which is needed. */
  isUnreported(key: string): boolean;
}

export interface PayerSpendDependencies {
  readonly clock: Pick<Clock, "now">;
  readonly guard: Pick<SpendGuard, "missing" | "completeFromMs" | "hasCountedAll" | "learn">;
  readonly readings: Pick<ReadingSource, "latest">;
  /** The keys that pay. */
  readonly payers: () => readonly Payer[];
}

/** A key that pays for probes. */
export interface Payer {
  readonly key: string;
  /** Of the key, its secret and its gateway. */
  readonly identity: string;
}

export function createPayerSpend({ clock, guard, readings, payers }: PayerSpendDependencies): PayerSpend {
  /** The reading of a key, if it contains everything that was spent before the start or the last step. */
  function completeReading(key: string) {
    const reading = readings.latest(targetId("key", key));
    const nowMs = clock.now();
    if (!reading || reading.value?.kind !== "key") return undefined;
    if (reading.asOfMs < guard.completeFromMs(nowMs)) return undefined;
    // Without the usage, what this process has counted is everything that is known.
    const usedToday = reading.value.usage.day ?? (guard.hasCountedAll(nowMs) ? 0 : undefined);
    return { asOfMs: reading.asOfMs, usedToday };
  }

  function missing(): readonly string[] {
    const keys = new Map(payers().map(({ key, identity }) => [identity, key]));
    const unknown = () => guard.missing([...keys.keys()], clock.now());
    for (const identity of unknown()) {
      const reading = completeReading(keys.get(identity) ?? "");
      if (reading?.usedToday !== undefined) guard.learn(identity, reading.usedToday, reading.asOfMs);
    }
    return unknown().map((identity) => keys.get(identity) ?? "");
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
