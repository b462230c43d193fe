import type { Usage } from "../gateway/port.ts";
import { decimalRest, isSumOf } from "../metrics/decimal-sum.ts";
import { type Reading, spendOf } from "../readings/reading.ts";
import type { TargetId } from "../readings/target-id.ts";
import { DAY_MS, isSameWindow, isSettled, SETTLE_MS, type Window } from "../time/window.ts";
import { STEP_MS } from "../readings/stored.ts";
import type { Clock } from "../time/clock.ts";
import type { TargetReadings } from "../keys/watched-keys.ts";

/** The account's credits in a window, as of an instant. */
export interface AccountTotal {
  readonly window: Window;
  /** By the exporter's clock, as the times of readings are. The gateway's clock may differ. */
  readonly requestedAtMs: number;
  readonly asOfMs: number;
  readonly credits: number;
}

/** Totals of an account that wait for newer readings of its keys, and whether the service rejected a filter. */
export interface TotalsMemory {
  /** Forgets everything about another account, and all totals after a step of the clock. */
  use(identity: string): void;
  add(total: AccountTotal): void;
  /** The newest total of a window that was not asked after the instant; older ones are forgotten. */
  until(window: Window, instantMs: number): AccountTotal | undefined;
  /** The service rejected a filter by keys. */
  rejected(atMs: number): void;
  /** Whether that happened less than a day ago. */
  isRejected(atMs: number): boolean;
}

export function createTotalsMemory(clock: Pick<Clock, "now" | "monotonic">): TotalsMemory {
  let known: string | undefined;
  let offsetMs = 0;
  let totals: readonly AccountTotal[] = [];
  let rejectedMs: number | undefined;
  return {
    use: (identity) => {
      const formerOffsetMs = offsetMs;
      offsetMs = clock.now() - clock.monotonic();
      if (identity !== known) [known, totals, rejectedMs] = [identity, [], undefined];
      if (Math.abs(offsetMs - formerOffsetMs) > STEP_MS) totals = [];
    },
    add: (total) => {
      totals = [...totals.filter(({ window }) => window.endMs > total.requestedAtMs), total];
    },
    until: (window, instantMs) => {
      const usable = totals.filter(
        (total) => isSameWindow(total.window, window) && total.requestedAtMs <= instantMs,
      );
      const newest = usable.toSorted((one, other) => other.requestedAtMs - one.requestedAtMs)[0];
      totals = totals.filter((total) => total === newest || !usable.includes(total));
      return newest;
    },
    rejected: (atMs) => {
      rejectedMs = atMs;
    },
    // A filter is tried again after a day, because there may be fewer keys by then.
    isRejected: (atMs) => rejectedMs !== undefined && Math.abs(atMs - rejectedMs) < DAY_MS,
  };
}

/** The total of an answer; undefined: it may be incomplete, or may contain BYOK. */
export function totalOf({ total, creditsSource }: Usage): number | undefined {
  if (!total || total.gap || creditsSource === "total") return undefined;
  return total.empty ? 0 : total.amounts.credits;
}

/** What is left of a total without the spend of each watched key. */
export interface Difference {
  readonly credits: number;
  readonly asOfMs: number;
}

/**
 * A lower bound, because every key was read after the total: with older readings, the difference would
 * contain what the keys spent in between. Undefined: a key has no current reading of the window, there is no
 * such total, or the keys spent more.
 */
export function difference(
  window: Window,
  targets: readonly TargetId[],
  readings: TargetReadings,
  totals: TotalsMemory,
): Difference | undefined {
  const spends: number[] = [];
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const id of targets) {
    const reading = readings.isCurrent(id) ? readings.latest(id) : undefined;
    const credits = reading && creditsIn(reading, window);
    if (credits === undefined || !reading) return undefined;
    oldestMs = Math.min(oldestMs, reading.asOfMs);
    spends.push(credits);
  }
  // The gateway's figures for keys lag, so readings count as older by the time that figures need to settle.
  const total = totals.until(window, oldestMs - SETTLE_MS);
  if (!total) return undefined;
  const credits = isSumOf(total.credits, spends) ? 0 : decimalRest(total.credits, spends);
  return credits < 0 ? undefined : { credits, asOfMs: total.asOfMs };
}

function creditsIn(reading: Reading, window: Window): number | undefined {
  return spendOf(reading).find(
    (spend) => isSameWindow(spend.window, window) && isSettled(window, reading.asOfMs),
  )?.credits;
}
