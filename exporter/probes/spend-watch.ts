import type { Log } from "../log.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import { type Clock, LONGEST_TIMER_MS } from "../time/clock.ts";
import type { Probes } from "./probes.ts";

/**
 * Makes the keys that pay for probes due until the spend of the day is known, and then the probes that waited for it.
 */
export interface SpendWatch {
  start(): void;
  stop(): void;
  /** Call it after the readings have changed. */
  readingsChanged(): void;
}

export interface SpendWatchDependencies {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  readonly log: Log;
  readonly probes: Pick<Probes, "payerSpend" | "takeReady">;
  /** Makes the job of a target due. */
  readonly ask: (id: TargetId) => void;
}

/** The wait before a key is polled again. */
const RETRY_MS = 60_000;

export function createSpendWatch({ clock, log, probes, ask }: SpendWatchDependencies): SpendWatch {
  const { payerSpend } = probes;
  let cancel: (() => void) | undefined;
  let lastAskedAt = Number.NEGATIVE_INFINITY;
  /** Keys whose missing usage was logged. */
  const logged = new Set<string>();

  function watch(): void {
    const waitMs = payerSpend.readableInMs();
    // A reload that removes a payer makes the spend known without a reading.
    runReady();
    if (waitMs <= 0 && clock.monotonic() - lastAskedAt >= RETRY_MS) askMissing();
    cancel = clock.after(waitMs > 0 ? Math.min(waitMs, LONGEST_TIMER_MS) : LONGEST_TIMER_MS, watch);
  }

  function runReady(): void {
    for (const id of probes.takeReady()) ask(id);
  }

  function askMissing(): void {
    const keys = payerSpend.missing();
    if (keys.length === 0) return logged.clear();
    lastAskedAt = clock.monotonic();
    for (const key of keys) {
      if (payerSpend.isUnreported(key)) logUnreported(key);
      ask(targetId("key", key));
    }
  }

  function logUnreported(key: string): void {
    log[logged.has(key) ? "debug" : "warn"](
      { key },
      `Probes wait until the spend of the day is known: the gateway does not report today's usage of key "${key}"`,
    );
    logged.add(key);
  }

  return {
    start: watch,
    stop: () => cancel?.(),
    readingsChanged: runReady,
  };
}
