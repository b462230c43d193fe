import { decimalSum } from "../metrics/decimal-sum.ts";
import { DAY_MS, SETTLE_MS, type Window, windowAt } from "../time/window.ts";
import { createSpendLedger, type TimeRange } from "./spend-ledger.ts";

/**
 * Keeps the spend of all probes in a UTC day at or below a ceiling. The maximum cost of a run is reserved before its
 * request is sent, and stays counted if the actual cost is unknown. The guard survives a reload. Each day, after a
 * restart, after a step of the clock and for another payer it starts from the usage of the probes' keys on the day.
 * What this process has spent stays counted, whichever key has paid, unless that usage contains it. A payer is a key
 * with its secret and its gateway.
 */
export interface SpendGuard {
  /** The payers whose usage of the day is still unknown; until it is known, no probe may spend anything. */
  missing(payers: readonly string[], atMs: number): readonly string[];
  /**
   * The time from which the gateway's answer about a key belongs to the day, and contains everything that was spent
   * before the start or the last step of the clock.
   */
  completeFromMs(atMs: number): number;
  /** Whether this process has counted everything that was spent on the day, if its clock is right. */
  hasCountedAll(atMs: number): boolean;
  /** Records the usage of a payer on the day of the answer. */
  learn(payer: string, usageCredits: number, askedAtMs: number): void;
  /** Reserves the maximum cost of a run. Undefined: it would exceed the ceiling. */
  reserve(run: PlannedRun, ceilingCredits: number): Reservation | undefined;
  /** The credits that count against the day's ceiling; a run in progress counts with its maximum cost. */
  spent(atMs: number): number;
}

export interface PlannedRun {
  readonly payer: string;
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
  let knownStartMs = startedMs();
  const ledger = createSpendLedger(({ from, to }) => !isWithinDay(knownStartMs + from, knownStartMs + to));
  const open = new Set<PlannedRun>();
  let steps = 0;
  /** How long after the start the clock was last stepped. */
  let steppedAfterMs = 0;

  /**
   * The usage of the day must be read again after a step. It contains what its payer was charged before, on whichever
   * day that was by the gateway's clock.
   */
  function noticeStep(nowMs: number): void {
    const presentStartMs = startedMs();
    if (Math.abs(presentStartMs - knownStartMs) <= STEP_MS) return;
    knownStartMs = presentStartMs;
    steppedAfterMs = nowMs - presentStartMs;
    steps++;
  }

  /** A day of the present clock. Small corrections of the clock move nothing. */
  function rangeOf({ startMs, endMs }: Window): TimeRange {
    return { from: startMs - knownStartMs, to: endMs - knownStartMs };
  }

  function quietFromMs(): number {
    return startedMs() + steppedAfterMs + longestRunMs() + SETTLE_MS;
  }

  function counted(day: Window): number {
    const reserved = [...open].map(({ maxCostCredits }) => maxCostCredits);
    return decimalSum([ledger.total(rangeOf(day)), ...reserved]);
  }

  function reserve(run: PlannedRun, ceilingCredits: number): Reservation | undefined {
    const { payer, startMs, endMs, maxCostCredits } = run;
    noticeStep(startMs);
    const fits = daysOf(startMs, endMs).every(
      (day) => decimalSum([counted(day), maxCostCredits]) <= ceilingCredits,
    );
    if (!fits) return undefined;
    open.add(run);
    const from = startMs - knownStartMs - CLOCK_SKEW_MS;
    return {
      settle: (costCredits, endedMs) => {
        if (!open.delete(run)) return;
        noticeStep(endedMs);
        const time = { from, to: endedMs - knownStartMs + CLOCK_SKEW_MS };
        ledger.spent({ payer, credits: costCredits ?? maxCostCredits, steps, time });
      },
    };
  }

  return {
    missing: (payers, atMs) => {
      noticeStep(atMs);
      const today = rangeOf(windowAt("day", atMs));
      return payers.filter((payer) => !ledger.isKnown(payer, today, steps));
    },
    completeFromMs: (atMs) => {
      noticeStep(atMs);
      return Math.max(quietFromMs(), windowAt("day", atMs).startMs + SETTLE_MS);
    },
    hasCountedAll: (atMs) => {
      noticeStep(atMs);
      return quietFromMs() <= windowAt("day", atMs).startMs;
    },
    learn: (payer, usageCredits, askedAtMs) => {
      ledger.used({ payer, credits: Math.max(0, usageCredits), steps, at: askedAtMs - knownStartMs });
    },
    reserve,
    spent: (atMs) => {
      noticeStep(atMs);
      return counted(windowAt("day", atMs));
    },
  };
}

function isWithinDay(fromMs: number, toMs: number): boolean {
  return Math.floor(fromMs / DAY_MS) === Math.floor(toMs / DAY_MS);
}

/** Every day in which the gateway may count a run. */
function daysOf(startMs: number, endMs: number): readonly Window[] {
  const days: Window[] = [];
  for (let atMs = startMs - CLOCK_SKEW_MS; ;) {
    const day = windowAt("day", atMs);
    days.push(day);
    if (endMs + CLOCK_SKEW_MS < day.endMs) return days;
    atMs = day.endMs;
  }
}
