import { decimalSum } from "../metrics/decimal-sum.ts";
import { DAY_MS, SETTLE_MS, type Window, windowAt } from "../time/window.ts";

/**
 * Keeps the spend of all probes in a UTC day at or below a ceiling. The maximum cost of a run is reserved before its
 * request is sent, and stays counted if the actual cost is unknown. The guard survives a reload; after a restart it
 * starts from the usage of the probes' keys on that day.
 */
export interface SpendGuard {
  /** The keys whose usage of the day is still unknown; until it is known, no probe may spend anything. */
  missing(keys: readonly string[], atMs: number): readonly string[];
  /** The time from which the gateway's answer about a key contains everything that was spent before the start. */
  completeFromMs(atMs: number): number;
  /** Records the usage of a key on the day of the answer. */
  learn(key: string, usageCredits: number, askedAtMs: number): void;
  /** Reserves the maximum cost of a run. Undefined: it would exceed the ceiling. */
  reserve(run: PlannedRun, ceilingCredits: number): Reservation | undefined;
  /** The credits that count against the day's ceiling; a run in progress counts with its maximum cost. */
  spent(atMs: number): number;
}

export interface PlannedRun {
  readonly startMs: number;
  /** The latest time at which it can end. */
  readonly endMs: number;
  readonly maxCostCredits: number;
}

export interface Reservation {
  /**
   * Replaces the maximum cost by the actual cost; undefined: the cost is unknown and the maximum stays. Only the
   * first call counts.
   */
  settle(costCredits: number | undefined, endMs: number): void;
}

/** The gateway's clock may differ by this much, so a run this close to midnight counts in both days. */
const CLOCK_SKEW_MS = 5000;

/**
 * `startedMs`: when this process started, by the current wall clock, because the clock may be corrected after the
 * start. `longestRunMs`: how long after that a run of the previous process may have ended.
 */
export function createSpendGuard(startedMs: () => number, longestRunMs: () => number): SpendGuard {
  /**
   * Both keyed by the start of the day: the costs of ended runs, and each key's usage before the exporter started.
   */
  const costs = new Map<number, number>();
  const usage = new Map<number, Map<string, number>>();
  const open = new Set<PlannedRun>();

  function quietFromMs(): number {
    return startedMs() + longestRunMs() + SETTLE_MS;
  }

  function counted({ startMs }: Window): number {
    const earlier = usage.get(startMs)?.values() ?? [];
    const reserved = [...open].map(({ maxCostCredits }) => maxCostCredits);
    return decimalSum([costs.get(startMs) ?? 0, ...earlier, ...reserved]);
  }

  function reserve(run: PlannedRun, ceilingCredits: number): Reservation | undefined {
    const { startMs, endMs, maxCostCredits } = run;
    const fits = daysOf(startMs, endMs).every(
      (day) => decimalSum([counted(day), maxCostCredits]) <= ceilingCredits,
    );
    if (!fits) return undefined;
    open.add(run);
    return {
      settle: (costCredits, endedMs) => {
        if (!open.delete(run)) return;
        for (const day of daysOf(startMs, endedMs)) {
          costs.set(day.startMs, decimalSum([costs.get(day.startMs) ?? 0, costCredits ?? maxCostCredits]));
        }
        forget(startMs);
      },
    };
  }

  function forget(nowMs: number): void {
    const oldest = windowAt("day", nowMs).startMs - 2 * DAY_MS;
    for (const days of [costs, usage]) for (const day of days.keys()) if (day < oldest) days.delete(day);
  }

  return {
    missing: (keys, atMs) => {
      const day = windowAt("day", atMs);
      // On a day that began after that, only this process has spent anything.
      if (quietFromMs() <= day.startMs) return [];
      return keys.filter((key) => !usage.get(day.startMs)?.has(key));
    },
    completeFromMs: (atMs) => Math.max(quietFromMs(), windowAt("day", atMs).startMs + SETTLE_MS),
    learn: (key, usageCredits, askedAtMs) => {
      const day = windowAt("day", askedAtMs).startMs;
      const known = usage.get(day) ?? new Map<string, number>();
      usage.set(day, known.set(key, Math.max(0, usageCredits)));
    },
    reserve,
    spent: (atMs) => counted(windowAt("day", atMs)),
  };
}

/** Every day in which the gateway may count a run. */
function daysOf(startMs: number, endMs: number): readonly Window[] {
  const days: Window[] = [];
  const lastMs = Math.max(startMs, endMs) + CLOCK_SKEW_MS;
  for (let atMs = startMs - CLOCK_SKEW_MS; ;) {
    const day = windowAt("day", atMs);
    days.push(day);
    if (lastMs < day.endMs) return days;
    atMs = day.endMs;
  }
}
