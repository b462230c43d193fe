import { decimalSum } from "../metrics/decimal-sum.ts";
import { spendOf } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { isSameWindow, isSettled, windowAt } from "../time/window.ts";

/**
 * Keeps the spend of all probes in a UTC day at or below a ceiling. For each key that pays, the larger one of two
 * amounts counts: the costs of its runs since the exporter started, and the usage of the day that the gateway reports
 * for the key, which includes the runs of before a restart. It outlives a reload.
 */
export interface DailySpend {
  /** The credits that count today. A run in progress counts with its maximum cost. */
  today(): number;
  /** Reserves the maximum cost of a run. Undefined: it would exceed the ceiling. */
  reserve(payer: Payer, maxCostCredits: number, ceilingCredits: number): Reservation | undefined;
}

/** A key that pays for probes. */
export interface Payer {
  readonly key: string;
  /** Of the key, its secret and its gateway. */
  readonly identity: string;
}

export interface Reservation {
  /** Replaces the maximum cost by the actual cost; undefined: the cost is unknown and the maximum stays. */
  settle(costCredits: number | undefined): void;
}

export interface DailySpendDependencies {
  readonly clock: Pick<Clock, "now">;
  readonly readings: Pick<ReadingSource, "latest">;
  /** The keys that pay for the configured probes. */
  readonly payers: () => readonly Payer[];
}

export function createDailySpend({ clock, readings, payers }: DailySpendDependencies): DailySpend {
  /** The costs of the runs that ended on a day, by the identity of the payer. */
  let counted = { startMs: 0, costs: new Map<string, number>() };
  /** The maximum costs of the runs in progress. */
  const reserved = new Set<{ readonly credits: number }>();

  function countedToday(): Map<string, number> {
    const { startMs } = windowAt("day", clock.now());
    if (counted.startMs !== startMs) counted = { startMs, costs: new Map() };
    return counted.costs;
  }

  function usedToday(key: string): number {
    const day = windowAt("day", clock.now());
    const reading = readings.latest(targetId("key", key));
    if (!reading || !isSettled(day, reading.asOfMs)) return 0;
    return spendOf(reading).find(({ window }) => isSameWindow(window, day))?.credits ?? 0;
  }

  function today(): number {
    const costs = new Map(countedToday());
    for (const { key, identity } of payers())
      costs.set(identity, Math.max(costs.get(identity) ?? 0, usedToday(key)));
    return decimalSum([...costs.values(), ...[...reserved].map(({ credits }) => credits)]);
  }

  return {
    today,
    reserve: ({ identity }, maxCostCredits, ceilingCredits) => {
      if (decimalSum([today(), maxCostCredits]) > ceilingCredits) return undefined;
      const reservation = { credits: maxCostCredits };
      reserved.add(reservation);
      return {
        settle: (costCredits = maxCostCredits) => {
          reserved.delete(reservation);
          const costs = countedToday();
          costs.set(identity, decimalSum([costs.get(identity) ?? 0, costCredits]));
        },
      };
    },
  };
}
