import { decimalSum } from "../metrics/decimal-sum.ts";
import { DAY_MS } from "../time/window.ts";

/**
 * What probes have spent and what their keys had used before, by the time since the process started. The day
 * of an entry follows from the present clock alone, so a step of the clock moves entries to another day
 * instead of losing them.
 */
export interface SpendLedger {
  /** Adds the cost of a run. */
  spent(cost: Cost): void;
  /** Adds the usage of a payer on the day of an answer. */
  used(usage: PayerUsage): void;
  /** Whether the usage of a payer in a time range is known since a number of steps. */
  isKnown(payer: string, range: TimeRange, steps: number): boolean;
  /** The credits that count in a time range. */
  total(range: TimeRange): number;
}

/** Milliseconds since the process started; without the end. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

interface Entry {
  /** The identity of a key: its name, the source of its secret, and its gateway. */
  readonly payer: string;
  readonly credits: number;
  /** How often the clock had been stepped. */
  readonly steps: number;
}

export interface Cost extends Entry {
  /** When it may have been charged, the last instant included. */
  readonly time: TimeRange;
}

export interface PayerUsage extends Entry {
  readonly at: number;
}

/** Costs of such a time are added up if no midnight divides them, because a probe may run each second. */
const MERGED_MS = 600_000;

/** `isDivided`: whether a midnight of the present clock is within a time range. */
export function createSpendLedger(isDivided: (range: TimeRange) => boolean): SpendLedger {
  let costs: readonly Cost[] = [];
  let usages: readonly PayerUsage[] = [];
  const totals = new Map<string, number>();

  /** Of several answers, the first one after the last step contains all costs of before the step. */
  function usageIn(payer: string, range: TimeRange): PayerUsage | undefined {
    const own = usages.filter((usage) => usage.payer === payer && isWithin(usage.at, range));
    return own.reduce<PayerUsage | undefined>(
      (best, usage) => (best && best.steps >= usage.steps ? best : usage),
      undefined,
    );
  }

  function merged(cost: Cost): readonly Cost[] {
    const isNear = ({ payer, steps, time }: Cost) =>
      payer === cost.payer &&
      steps === cost.steps &&
      cost.time.to - time.from < MERGED_MS &&
      !isDivided({ from: time.from, to: cost.time.to });
    const last = costs.findLast(isNear);
    if (!last) return [...costs, cost];
    const sum = {
      ...last,
      credits: decimalSum([last.credits, cost.credits]),
      time: { from: last.time.from, to: Math.max(last.time.to, cost.time.to) },
    };
    return costs.map((each) => (each === last ? sum : each));
  }

  function totalOf(range: TimeRange): number {
    const payers = new Set([...costs, ...usages].map(({ payer }) => payer));
    const bases = new Map([...payers].map((payer) => [payer, usageIn(payer, range)]));
    const isExtra = ({ payer, steps, time }: Cost) =>
      time.from < range.to && time.to >= range.from && steps >= (bases.get(payer)?.steps ?? 0);
    return decimalSum([
      ...[...bases.values()].map((base) => base?.credits ?? 0),
      ...costs.filter(isExtra).map(({ credits }) => credits),
    ]);
  }

  return {
    spent: (cost) => {
      costs = merged(cost).filter(({ time }) => time.to > cost.time.to - KEPT_MS);
      totals.clear();
    },
    used: (usage) => {
      usages = [...usages, usage].filter(({ at }) => at > usage.at - KEPT_MS);
      totals.clear();
    },
    isKnown: (payer, range, steps) => (usageIn(payer, range)?.steps ?? -1) >= steps,
    total: (range) => {
      const name = `${range.from} ${range.to}`;
      const total = totals.get(name) ?? totalOf(range);
      totals.set(name, total);
      return total;
    },
  };
}

/** No entry of before belongs to today. */
const KEPT_MS = 3 * DAY_MS;

function isWithin(at: number, { from, to }: TimeRange): boolean {
  return from <= at && at < to;
}
