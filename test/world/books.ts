import { chance } from "../gateway/random.ts";
import { ACCOUNT_KEYS, type AccountKeys } from "./account-keys.ts";
import { type WindowName, windowEnd, windowStart } from "./calendar.ts";
import type { Amounts } from "./questions.ts";
import type { GatewayName } from "./story.ts";

/**
 * What is true of every account at every instant. Spend grows in fixed steps, so each figure is computed from the time
 * alone, and no two accounts have the same figures.
 */
export interface Books {
  /** The figures of a key as `GET /key` reports them, and as `/metrics` must show them. */
  key(account: AccountId, atMs: number): KeyFigures;
  /** The amounts of every pair of model and app with usage in a time range. */
  pairs(gateway: GatewayName, startMs: number, endMs: number): readonly PairFigures[];
  /** The same for every key of the account and model. */
  ofKeys(gateway: GatewayName, startMs: number, endMs: number): readonly KeyModelFigures[];
  /** Credits that the account has bought until a time, millionths. */
  bought(gateway: GatewayName, atMs: number): number;
  /** Credits that the account has spent until a time, millionths. */
  spent(gateway: GatewayName, atMs: number): number;
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

export interface PairFigures extends Amounts {
  readonly model: string;
  readonly app: string | null;
}

/** What a key spent on a model; undefined: use without a key. */
export interface KeyModelFigures extends Amounts {
  readonly key: number | undefined;
  readonly model: string;
}

/** Before every story. */
export const BEGINNING = Date.UTC(2026, 0, 1);

/** From this number on accounts spend little, so that probes may use them all day. */
const FIRST_THRIFTY = 5;

/** Number of pairs of model and app. */
const PAIRS = 6;

export function createBooks(scale: number, accountKeys: Pick<AccountKeys, "lifetime">): Books {
  const charges = new Map<string, { readonly atMs: number; readonly micros: number }[]>();

  function chargesOf(account: string, fromMs: number, toMs: number): { micros: number; count: number } {
    const sum = { micros: 0, count: 0 };
    for (const { atMs, micros } of charges.get(account) ?? []) {
      // Not at the same instant: what was asked first must get the same figures later.
      if (atMs < fromMs || atMs >= toMs) continue;
      sum.micros += micros;
      sum.count++;
    }
    return sum;
  }

  /** The part of a time range in which a key exists. */
  function lived(number: number, fromMs: number, toMs: number): readonly [number, number] {
    const life = accountKeys.lifetime(number);
    return life ? [Math.max(fromMs, life.fromMs), Math.min(toMs, life.toMs)] : [fromMs, toMs];
  }

  function spendOf(growth: Growth, { gateway, number }: AccountId, isCharged: boolean, atMs: number): Spend {
    const since = (startMs: number) =>
      grown(growth, ...lived(number, startMs, atMs)) +
      (isCharged ? chargesOf(`${gateway}${number}`, startMs, atMs).micros : 0);
    return {
      total: since(BEGINNING),
      day: since(windowStart("day", atMs)),
      week: since(windowStart("week", atMs)),
      month: since(windowStart("month", atMs)),
    };
  }

  function ofKey(account: AccountId, startMs: number, endMs: number): KeyModelFigures & { index: number } {
    const { gateway, number } = account;
    const seed = seedOf(account);
    const range = lived(number, startMs, endMs);
    const growth = growthOfKey(account);
    const charged = chargesOf(`${gateway}${number}`, startMs, endMs);
    const calls = steps(growth, ...range);
    const index = number % PAIRS;
    return {
      key: number,
      index,
      model: modelOf(index),
      micros: calls * growth.amount + charged.micros,
      byok: grown(growthOf(seed, 2), ...range),
      requests: calls + charged.count,
      ...tokensOf(seed, calls, scale),
    };
  }

  function ofKeys(gateway: GatewayName, startMs: number, endMs: number) {
    const keys = ACCOUNT_KEYS.map((number) => ofKey({ gateway, number }, startMs, endMs));
    const others = Array.from({ length: PAIRS }, (_, index) =>
      withoutKey(gateway, index, startMs, endMs, scale),
    );
    return [...others, ...keys].filter(({ requests, byok }) => requests + byok > 0);
  }

  return {
    key: (account, atMs) => {
      const seed = seedOf(account);
      const usage = spendOf(growthOfKey(account), account, true, atMs);
      const limit = seed % 3 === 0 ? null : 5_000_000_000 + seed;
      const reset = [null, "daily", "monthly"] as const;
      const resets = limit === null ? null : (reset[seed % 4] ?? null);
      const used = resets === null ? usage.total : resets === "daily" ? usage.day : usage.month;
      return {
        label: `sk-...${account.gateway}${account.number}`,
        usage,
        byok: spendOf(growthOf(seed, 2), account, false, atMs),
        limit,
        reset: resets,
        remaining: limit === null ? null : limit - used,
      };
    },
    pairs: (gateway, startMs, endMs) => {
      const byIndex = Map.groupBy(ofKeys(gateway, startMs, endMs), ({ index }) => index);
      return [...byIndex].map(([index, parts]) => ({
        model: modelOf(index),
        app: index === 4 ? null : `App ${Math.floor(index / 2)}`,
        ...sumOf(parts),
      }));
    },
    ofKeys,
    bought: (gateway, atMs) => BOUGHT + seedOf({ gateway, number: Math.floor(atMs / PURCHASE_MS) }),
    spent: (gateway, atMs) => sumOf(ofKeys(gateway, BEGINNING, atMs)).micros,
    charge: ({ gateway, number }, atMs, micros) => {
      const account = `${gateway}${number}`;
      charges.set(account, [...(charges.get(account) ?? []), { atMs, micros }]);
    },
  };
}

/** The sum of each amount. */
export function sumOf(parts: readonly Amounts[]): Amounts {
  const sum = { micros: 0, byok: 0, requests: 0, prompt: 0, completion: 0, reasoning: 0 };
  for (const part of parts) {
    sum.micros += part.micros;
    sum.byok += part.byok;
    sum.requests += part.requests;
    sum.prompt += part.prompt;
    sum.completion += part.completion;
    sum.reasoning += part.reasoning;
  }
  return sum;
}

const BOUGHT = 900_000_000_000_000;
/** The account buys something each time that this has passed. */
const PURCHASE_MS = 420_000;

/** The end of the window that the remaining credits belong to; undefined: they never reset. */
export function resetEnd({ reset }: KeyFigures, atMs: number): number | undefined {
  return reset === null ? undefined : windowEnd(reset === "daily" ? "day" : "month", atMs);
}

function withoutKey(
  gateway: GatewayName,
  index: number,
  startMs: number,
  endMs: number,
  scale: number,
): KeyModelFigures & { readonly index: number } {
  const seed = seedOf({ gateway, number: 1000 + index });
  const growth = growthOf(seed, 3);
  const calls = steps(growth, startMs, endMs);
  return {
    key: undefined,
    index,
    model: modelOf(index),
    micros: calls * growth.amount,
    byok: 0,
    requests: calls,
    ...tokensOf(seed, calls, scale),
  };
}

function modelOf(index: number): string {
  return `acme/model-${index % 3}`;
}

function tokensOf(seed: number, calls: number, scale: number) {
  return {
    prompt: calls * scale * (seed % 97),
    completion: calls * scale * (seed % 89),
    reasoning: calls * (seed % 7),
  };
}

interface Growth {
  readonly periodMs: number;
  readonly amount: number;
}

function growthOfKey(account: AccountId): Growth {
  const growth = growthOf(seedOf(account), 1);
  const amount = account.number < FIRST_THRIFTY ? growth.amount : 1 + (growth.amount % 100);
  return { ...growth, amount };
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
