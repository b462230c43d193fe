import type { ProbeConfig } from "../config/config.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { SpendGuard } from "./spend-guard.ts";

/** Learns from the readings of the keys that pay for probes what they had used before the exporter started. */
export interface SpendWatch {
  /** Whether the spend of the day is known for every key that pays. */
  isKnown(): boolean;
  /** Asks for the keys that pay until it is known; `ask` makes the job of a target due. */
  start(ask: (id: TargetId) => void): void;
  stop(): void;
}

export interface SpendWatchDependencies {
  readonly clock: Clock;
  readonly guard: SpendGuard;
  readonly readings: Pick<ReadingSource, "latest">;
  readonly probes: () => readonly ProbeConfig[];
}

/** How long to wait before a key is asked again. */
const RETRY_MS = 60_000;

/** The clock is read at least this often, because no timer fires when it is stepped. */
const LONGEST_WAIT_MS = 30_000;

export function createSpendWatch({ clock, guard, readings, probes }: SpendWatchDependencies): SpendWatch {
  let cancel: (() => void) | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  /** The keys whose usage of the day is not known yet, after all that their readings hold was learnt. */
  function missing(): readonly string[] {
    const keys = [...new Set(probes().map(({ key }) => key))];
    for (const key of guard.missing(keys, clock.now())) learn(key);
    return guard.missing(keys, clock.now());
  }

  function learn(key: string): void {
    const reading = readings.latest(targetId("key", key));
    if (reading?.value.kind !== "key" || reading.asOfMs < guard.tellsFromMs(clock.now())) return;
    const { day } = reading.value.information.usage;
    if (day !== undefined) guard.learn(key, day, reading.asOfMs);
  }

  function watch(ask: (id: TargetId) => void): void {
    const waitMs = guard.tellsFromMs(clock.now()) - clock.now();
    const isTime = waitMs <= 0 && clock.monotonic() - askedAt >= RETRY_MS;
    if (isTime) {
      const keys = missing();
      if (keys.length > 0) askedAt = clock.monotonic();
      for (const key of keys) ask(targetId("key", key));
    }
    cancel = clock.after(waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT_MS) : LONGEST_WAIT_MS, () => watch(ask));
  }

  return {
    isKnown: () => missing().length === 0,
    start: watch,
    stop: () => cancel?.(),
  };
}
