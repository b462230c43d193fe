import { decimalSum } from "../budgets/decimal-sum.ts";
import { SETTLE_MS, type Window, windowAt } from "../time/window.ts";

/**
 * Keeps what all probes together spend in a UTC day below a ceiling: the most that a run may cost is set aside before it
 * is sent, and stays counted when its cost is not known. It outlives a reload; after a restart it begins with what the
 * keys of the probes have used that day.
 */
export interface SpendGuard {
  /** Of these keys those whose usage of the day must be known before anything is spent, and is not. */
  missing(keys: readonly string[], atMs: number): readonly string[];
  /** From when on an answer of `GET /key` holds all that was spent before the start. */
  completeFromMs(atMs: number): number;
  /** Takes the `usage_daily` of a key. */
  learn(key: string, usageCredits: number, askedAtMs: number): void;
  /** Sets the highest cost of a run aside. Undefined: the ceiling does not hold it. */
  reserve(run: PlannedRun, ceilingCredits: number): Reservation | undefined;
  /** What counts against the ceiling of the day, the runs under way with their highest cost. */
  spent(atMs: number): number;
}

export interface PlannedRun {
  readonly startMs: number;
  /** When it will have ended at the latest. */
  readonly endMs: number;
  readonly maxCostCredits: number;
}

export interface Reservation {
  /** Undefined: the cost is not known and counts as the highest. Only the first call counts. */
  settle(costCredits: number | undefined, endMs: number): void;
}

/** How far the gateway's clock may be off: a run this near to midnight counts in both days. */
const CLOCK_SKEW_MS = 5000;

/** `longestRunMs`: a run of the process before may have ended that long after this one has started. */
export function createSpendGuard(startedMs: number, longestRunMs: () => number): SpendGuard {
  /** By the start of the day, as all here: what ended runs have cost, and what keys had used before. */
  const costs = new Map<number, number>();
  const usage = new Map<number, Map<string, number>>();
  const open = new Set<PlannedRun>();

  function quietFromMs(): number {
    return startedMs + longestRunMs() + SETTLE_MS;
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
      // Whatever was spent in a day that began later was spent by this process.
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

const DAY_MS = 86_400_000;

/** Every day to which the gateway may count a run. */
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
