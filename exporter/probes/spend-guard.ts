import { decimalSum } from "../metrics/decimal-sum.ts";
import { DAY_MS, SETTLE_MS, type Window, windowAt } from "../time/window.ts";

/**
 * Keeps the spend of all probes in a UTC day at or below a ceiling. The maximum cost of a run is reserved before its
 * request is sent, and stays counted if the actual cost is unknown. The guard survives a reload. Each day, after a
 * restart and after a step of the clock it starts from the usage of the probes' keys on the day.
 */
export interface SpendGuard {
  /** The keys whose usage of the day is still unknown; until it is known, no probe may spend anything. */
  missing(keys: readonly string[], atMs: number): readonly string[];
  /**
   * The time from which the gateway's answer about a key belongs to the day, and contains everything that was spent
   * before the start or the last step of the clock.
   */
  completeFromMs(atMs: number): number;
  /** Whether this process has counted everything that was spent on the day, if its clock is right. */
  hasCountedAll(atMs: number): boolean;
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

/** A smaller correction of the clock is within the skew. */
const STEP_MS = 1000;

/**
 * `startedMs`: when this process started, by the current wall clock; it changes only if the clock is stepped.
 * `longestRunMs`: how long after the start a run of the previous process may have ended. Every time that the guard is
 * given is the present time.
 */
export function createSpendGuard(startedMs: () => number, longestRunMs: () => number): SpendGuard {
  /**
   * Both keyed by the start of the day: the costs of ended runs, and each key's usage when it was first known.
   */
  const costs = new Map<number, number>();
  const usage = new Map<number, Map<string, number>>();
  const open = new Set<PlannedRun>();
  let knownStartMs = startedMs();
  /** How long after the start the clock was last stepped. */
  let steppedAfterMs = 0;

  /**
   * After a step, the days of earlier costs are unknown: by the gateway's clock they may belong to this day. They count
   * as part of the usage that the gateway reports, as after a restart.
   */
  function noticeStep(nowMs: number): void {
    const presentStartMs = startedMs();
    if (Math.abs(presentStartMs - knownStartMs) <= STEP_MS) return;
    knownStartMs = presentStartMs;
    steppedAfterMs = nowMs - presentStartMs;
    costs.clear();
    usage.clear();
  }

  function quietFromMs(): number {
    return startedMs() + steppedAfterMs + longestRunMs() + SETTLE_MS;
  }

  function counted({ startMs }: Window): number {
    const earlier = usage.get(startMs)?.values() ?? [];
    const reserved = [...open].map(({ maxCostCredits }) => maxCostCredits);
    return decimalSum([costs.get(startMs) ?? 0, ...earlier, ...reserved]);
  }

  function reserve(run: PlannedRun, ceilingCredits: number): Reservation | undefined {
    const { startMs, endMs, maxCostCredits } = run;
    noticeStep(startMs);
    const fits = daysOf(startMs, endMs).every(
      (day) => decimalSum([counted(day), maxCostCredits]) <= ceilingCredits,
    );
    if (!fits) return undefined;
    open.add(run);
    return {
      settle: (costCredits, endedMs) => {
        if (!open.delete(run)) return;
        noticeStep(endedMs);
        for (const day of daysOf(startMs, endedMs)) {
          costs.set(day.startMs, decimalSum([costs.get(day.startMs) ?? 0, costCredits ?? maxCostCredits]));
        }
        forget(endedMs);
      },
    };
  }

  function forget(nowMs: number): void {
    const oldest = windowAt("day", nowMs).startMs - 2 * DAY_MS;
    for (const days of [costs, usage]) for (const day of days.keys()) if (day < oldest) days.delete(day);
  }

  return {
    missing: (keys, atMs) => {
      noticeStep(atMs);
      const known = usage.get(windowAt("day", atMs).startMs);
      return keys.filter((key) => !known?.has(key));
    },
    completeFromMs: (atMs) => {
      noticeStep(atMs);
      return Math.max(quietFromMs(), windowAt("day", atMs).startMs + SETTLE_MS);
    },
    hasCountedAll: (atMs) => {
      noticeStep(atMs);
      return quietFromMs() <= windowAt("day", atMs).startMs;
    },
    learn: (key, usageCredits, askedAtMs) => {
      const day = windowAt("day", askedAtMs).startMs;
      const known = usage.get(day) ?? new Map<string, number>();
      usage.set(day, known.set(key, Math.max(0, usageCredits)));
    },
    reserve,
    spent: (atMs) => {
      noticeStep(atMs);
      return counted(windowAt("day", atMs));
    },
  };
}

/** Every day in which the gateway may count a run. The clock may have been set back in the meantime. */
function daysOf(startMs: number, endMs: number): readonly Window[] {
  const days: Window[] = [];
  const lastMs = Math.max(startMs, endMs) + CLOCK_SKEW_MS;
  for (let atMs = Math.min(startMs, endMs) - CLOCK_SKEW_MS; ;) {
    const day = windowAt("day", atMs);
    days.push(day);
    if (lastMs < day.endMs) return days;
    atMs = day.endMs;
  }
}
