import { chance } from "../gateway/random.ts";
import { ACCOUNT_KEYS, type AccountKeys } from "./account-keys.ts";
import { type WindowName, windowEnd, windowStart } from "./calendar.ts";
import type { Amounts } from "./questions.ts";
import type { GatewayName, KeyLimit, Story } from "./story.ts";

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
  readonly reset: KeyLimit["reset"];
  readonly countsByok: boolean;
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

export function createBooks(
  story: Pick<Story, "scale" | "start" | "events">,
  accountKeys: Pick<AccountKeys, "lifetime">,
): Books {
  const { scale } = story;
  const changesOf = limitChanges(story);
  const charges = createCharges();

  /** The part of a time range in which a key exists. */
  function lived(number: number, fromMs: number, toMs: number): readonly [number, number] {
    const life = accountKeys.lifetime(number);
    if (!life) return [fromMs, toMs];
    return [Math.max(fromMs, life.fromMs), Math.min(toMs, life.toMs, life.expiresMs)];
  }

  function spendOf(growth: Growth, { gateway, number }: AccountId, isCharged: boolean, atMs: number): Spend {
    const since = (startMs: number) =>
      grown(growth, ...lived(number, startMs, atMs)) +
      (isCharged ? charges.of({ gateway, number }, startMs, atMs).micros : 0);
    return {
      total: since(BEGINNING),
      day: since(windowStart("day", atMs)),
      week: since(windowStart("week", atMs)),
      month: since(windowStart("month", atMs)),
    };
  }

  function spendsOf(account: AccountId, atMs: number) {
    return {
      usage: spendOf(growthOfKey(account), account, true, atMs),
      byok: spendOf(growthOf(seedOf(account), 2), account, false, atMs),
    };
  }

  /** What counts against a limit, millionths. */
  function used(
    account: AccountId,
    { reset, byok: countsByok }: Omit<KeyLimit, "left">,
    atMs: number,
  ): number {
    const { usage, byok } = spendsOf(account, atMs);
    const window = reset === null ? "total" : WINDOW_OF[reset];
    return usage[window] + (countsByok ? byok[window] : 0);
  }

  function limitOf(account: AccountId, atMs: number): Limit {
    return changesOf(account.number, atMs).reduce(
      (limit, change) => {
        const { left, ...rest } = change.limit;
        const next = { ...limit, ...rest };
        if (left === undefined) return next;
        return { ...next, limit: left === null ? null : left * 1e6 + used(account, next, change.atMs) };
      },
      firstLimit(seedOf(account)),
    );
  }

  function ofKey(account: AccountId, startMs: number, endMs: number): KeyModelFigures & { index: number } {
    const { number } = account;
    const seed = seedOf(account);
    const range = lived(number, startMs, endMs);
    const growth = growthOfKey(account);
    const charged = charges.of(account, startMs, endMs);
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
      const { limit, reset, byok: countsByok } = limitOf(account, atMs);
      return {
        label: `sk-...${account.gateway}${account.number}`,
        ...spendsOf(account, atMs),
        limit,
        reset,
        countsByok,
        remaining: limit === null ? null : limit - used(account, { reset, byok: countsByok }, atMs),
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
    charge: charges.add,
  };
}

/** What transcriptions cost. */
function createCharges() {
  const all = new Map<string, { readonly atMs: number; readonly micros: number }[]>();
  return {
    add: (account: AccountId, atMs: number, micros: number): void => {
      const name = nameOf(account);
      all.set(name, [...(all.get(name) ?? []), { atMs, micros }]);
    },
    of: (account: AccountId, fromMs: number, toMs: number): { micros: number; count: number } => {
      const sum = { micros: 0, count: 0 };
      for (const { atMs, micros } of all.get(nameOf(account)) ?? []) {
        // Not at the same instant: what was asked first must get the same figures later.
        if (atMs < fromMs || atMs >= toMs) continue;
        sum.micros += micros;
        sum.count++;
      }
      return sum;
    },
  };
}

function nameOf({ gateway, number }: AccountId): string {
  return `${gateway}${number}`;
}

type Limit = Pick<KeyFigures, "limit"> & Omit<KeyLimit, "left">;

/** The limit of a key that no story has changed. */
function firstLimit(seed: number): Limit {
  if (seed % 3 === 0) return { limit: null, reset: null, byok: false };
  const resets = [null, "daily", "monthly"] as const;
  return { limit: 5_000_000_000 + seed, reset: resets[seed % 4] ?? null, byok: false };
}

/** The changes of a key's limit until a time. */
function limitChanges({ start, events }: Pick<Story, "start" | "events">) {
  const changes = events
    .filter((event) => event.do === "limit")
    .map(({ at, key, limit }) => ({ key, limit, atMs: Date.parse(start) + at * 1000 }));
  return (key: number, atMs: number) => changes.filter((one) => one.key === key && one.atMs <= atMs);
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
  return reset === null ? undefined : windowEnd(WINDOW_OF[reset], atMs);
}

export const WINDOW_OF = { daily: "day", weekly: "week", monthly: "month" } as const;

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
