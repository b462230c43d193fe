import { chance } from "../gateway/random.ts";
import { type WindowName, windowEnd, windowStart } from "./calendar.ts";
import type { GatewayName } from "./story.ts";

/**
 * What is true of every account at every instant. Spend grows in fixed steps, so each figure is computed from the time
 * alone, and no two accounts have the same figures.
 */
export interface Books {
  /** The figures of a key as `GET /key` reports them, and as `/metrics` must show them. */
  key(account: AccountId, atMs: number): KeyFigures;
  /** The amounts of every pair with usage in a time range. */
  pairs(gateway: GatewayName, startMs: number, endMs: number): readonly PairFigures[];
  /** Records credits that a transcription cost. */
  charge(account: AccountId, atMs: number, micros: number): void;
}

export interface AccountId {
  readonly gateway: GatewayName;
  readonly number: number;
}

/** Credits are in millionths. */
export interface KeyFigures {
  readonly label: string;
  readonly usage: Spend;
  readonly byok: Spend;
  /** Null: unlimited. */
  readonly limit: number | null;
  readonly reset: "daily" | "monthly" | null;
  readonly remaining: number | null;
}

export type Spend = Readonly<Record<WindowName | "total", number>>;

/** Credits are in millionths. */
export interface PairFigures {
  readonly model: string;
  readonly app: string | null;
  readonly micros: number;
  readonly requests: number;
  readonly prompt: number;
  readonly completion: number;
  readonly reasoning: number;
}

/** Before every story. */
const BEGINNING = Date.UTC(2026, 0, 1);

/** From this number on accounts spend little, so that probes may use them all day. */
const FIRST_THRIFTY = 5;

/** Number of pairs of model and app. */
const PAIRS = 6;

export function createBooks(scale: number): Books {
  const charges: { readonly account: string; readonly atMs: number; readonly micros: number }[] = [];

  function chargedMicros(account: string, fromMs: number, toMs: number): number {
    let sum = 0;
    for (const charge of charges) {
      // Not at the same instant: what was asked first must get the same figures later.
      if (charge.account === account && charge.atMs >= fromMs && charge.atMs < toMs) sum += charge.micros;
    }
    return sum;
  }

  function spendOf(growth: Growth, account: string | undefined, atMs: number): Spend {
    const since = (startMs: number) =>
      grown(growth, startMs, atMs) + (account === undefined ? 0 : chargedMicros(account, startMs, atMs));
    return {
      total: since(BEGINNING),
      day: since(windowStart("day", atMs)),
      week: since(windowStart("week", atMs)),
      month: since(windowStart("month", atMs)),
    };
  }

  return {
    key: (account, atMs) => {
      const seed = seedOf(account);
      const growth = growthOf(seed, 1);
      const amount = account.number < FIRST_THRIFTY ? growth.amount : 1 + (growth.amount % 100);
      const usage = spendOf({ ...growth, amount }, `${account.gateway}${account.number}`, atMs);
      const limit = seed % 3 === 0 ? null : 5_000_000_000 + seed;
      const reset = [null, "daily", "monthly"] as const;
      const resets = limit === null ? null : (reset[seed % 4] ?? null);
      const used = resets === null ? usage.total : resets === "daily" ? usage.day : usage.month;
      return {
        label: `sk-...${account.gateway}${account.number}`,
        usage,
        byok: spendOf(growthOf(seed, 2), undefined, atMs),
        limit,
        reset: resets,
        remaining: limit === null ? null : limit - used,
      };
    },
    pairs: (gateway, startMs, endMs) =>
      Array.from({ length: PAIRS }, (_, index) => pairOf(gateway, index, startMs, endMs, scale)).filter(
        ({ requests }) => requests > 0,
      ),
    charge: ({ gateway, number }, atMs, micros) =>
      void charges.push({ account: `${gateway}${number}`, atMs, micros }),
  };
}

/** The end of the window that the remaining credits belong to; undefined: they never reset. */
export function resetEnd({ reset }: KeyFigures, atMs: number): number | undefined {
  return reset === null ? undefined : windowEnd(reset === "daily" ? "day" : "month", atMs);
}

function pairOf(
  gateway: GatewayName,
  index: number,
  startMs: number,
  endMs: number,
  scale: number,
): PairFigures {
  const seed = seedOf({ gateway, number: 1000 + index });
  const growth = growthOf(seed, 3);
  const calls = steps(growth, startMs, endMs);
  return {
    model: `acme/model-${index % 3}`,
    app: index === 4 ? null : `App ${Math.floor(index / 2)}`,
    micros: calls * growth.amount,
    requests: calls,
    prompt: calls * scale * (seed % 97),
    completion: calls * scale * (seed % 89),
    reasoning: calls * (seed % 7),
  };
}

interface Growth {
  readonly periodMs: number;
  readonly amount: number;
}

function growthOf(seed: number, purpose: number): Growth {
  return {
    periodMs: 5000 + Math.floor(chance(seed, purpose, 1) * 50_000),
    amount: 1 + Math.floor(chance(seed, purpose, 2) * 900_000),
  };
}

/** Number of calls in a time range. */
function steps({ periodMs }: Growth, startMs: number, endMs: number): number {
  const until = (atMs: number) => Math.floor((Math.max(atMs, BEGINNING) - BEGINNING) / periodMs);
  return Math.max(0, until(endMs) - until(startMs));
}

function grown(growth: Growth, startMs: number, endMs: number): number {
  return steps(growth, startMs, endMs) * growth.amount;
}

function seedOf({ gateway, number }: AccountId): number {
  return (gateway === "a" ? 10_000 : 20_000) + number;
}
