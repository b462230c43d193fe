import { dayNumber, type Reset, windowOf } from "./windows.ts";
import type { Account, Key, Route } from "./entities.ts";

/** The figures of one or more calls. All are integers; money is in micro-credits. */
export type Figures = {
  /** Everything charged to credits. */
  micros: number;
  /** Paid to a provider with the caller's own key, not charged to credits. */
  byokMicros: number;
  /** Part of `micros`: the gateway's fee on BYOK calls. */
  byokFeeMicros: number;
  /** Part of `micros`, usually negative: discounts for cached prompts, and for calls that may be used as data. */
  cacheMicros: number;
  dataMicros: number;
  requests: number;
  /** Part of the requests. */
  byokRequests: number;
  promptTokens: number;
  completionTokens: number;
  /** Part of the completion. */
  reasoningTokens: number;
  /** Part of the prompt. */
  cachedTokens: number;
  /** Summed over the requests. */
  latencyMs: number;
};

export const noFigures: Readonly<Figures> = {
  micros: 0,
  byokMicros: 0,
  byokFeeMicros: 0,
  cacheMicros: 0,
  dataMicros: 0,
  requests: 0,
  byokRequests: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  cachedTokens: 0,
  latencyMs: 0,
};

export type Entry = Readonly<Figures> & { readonly at: number; readonly route: Route };

/** The spend of one key on one UTC day. */
export type KeyDay = {
  micros: number;
  byokMicros: number;
  lastAt: number;
  readonly entries: Entry[];
  /** The day's entries summed per route. */
  readonly sums: Map<Route, Figures>;
};
export type Spent = { readonly micros: number; readonly byokMicros: number };

export type Ledger = ReturnType<typeof createLedger>;

/** The single list of all spend: day → key → entries, with a sum per key and day. All other figures are computed from it. */
export function createLedger() {
  const days = new Map<number, Map<Key, KeyDay>>();
  const totals = new Map<Key, { micros: number; byokMicros: number }>();
  const accountMicros = new Map<Account, number>();
  const freeRequests = new Map<string, number>();
  const meters = new Map<Key, Meter>();
  let newestDay = Number.NEGATIVE_INFINITY;

  function post(entry: Entry): void {
    const { route, micros, byokMicros } = entry;
    const day = dayNumber(entry.at);
    newestDay = Math.max(newestDay, day);
    const keyDay = keyDayOf(days, day, route.key);
    keyDay.entries.push(entry);
    keyDay.micros += micros;
    keyDay.byokMicros += byokMicros;
    keyDay.lastAt = Math.max(keyDay.lastAt, entry.at);
    addToRoute(keyDay.sums, entry);
    const total = totals.get(route.key) ?? { micros: 0, byokMicros: 0 };
    totals.set(route.key, total);
    total.micros += micros;
    total.byokMicros += byokMicros;
    accountMicros.set(route.key.account, (accountMicros.get(route.key.account) ?? 0) + micros);
    meters.get(route.key)?.add(entry);
    if (route.model.free) countFree(route.key.account, day, entry.requests);
  }

  function countFree(account: Account, day: number, requests: number): void {
    const name = `${account.name} ${day}`;
    freeRequests.set(name, (freeRequests.get(name) ?? 0) + requests);
  }

  /** The spend of a key from a midnight (or the beginning) up to and including a time. */
  function spent(key: Key, fromMidnight: number, at: number): Spent {
    const lastDay = dayNumber(at);
    const today = partOf(days.get(lastDay)?.get(key), at);
    if (fromMidnight === Number.NEGATIVE_INFINITY) {
      const later = daysOf(key, lastDay, newestDay + 1);
      return plus(plus(totals.get(key) ?? nothing, later, -1), today);
    }
    return plus(daysOf(key, dayNumber(fromMidnight), lastDay), today);
  }

  /** When a key was used for the last time, up to a time; null: never. */
  function lastUsedAt(key: Key, at: number): number | null {
    const past = [...days].filter(([day, keys]) => day <= dayNumber(at) && keys.has(key));
    const instants = past.flatMap(([, keys]) => {
      const { lastAt, entries: posted } = keys.get(key) ?? { lastAt: Infinity, entries: [] };
      return lastAt <= at ? [lastAt] : posted.map((entry) => entry.at).filter((one) => one <= at);
    });
    return instants.length === 0 ? null : Math.max(...instants);
  }

  /** Whole days, half-open. */
  function daysOf(key: Key, firstDay: number, endDay: number): Spent {
    let sum = nothing;
    for (let day = firstDay; day < endDay; day += 1) sum = plus(sum, days.get(day)?.get(key) ?? nothing);
    return sum;
  }

  /** Everything posted to the limit's current window. Calls are admitted or refused by this figure. */
  function spentOfLimit(key: Key, at: number): Spent {
    let meter = meters.get(key);
    if (meter === undefined || !meter.covers(key.limitReset, at)) {
      const window = windowOf(key.limitReset, at);
      const last = window.end === null ? Number.MAX_SAFE_INTEGER : window.end - 1;
      meter = new Meter(key.limitReset, window.start, window.end, spent(key, window.start, last));
      meters.set(key, meter);
    }
    return meter;
  }

  /** The credits that an account has spent up to and including a time. */
  function accountMicrosAt(account: Account, at: number): number {
    let sum = 0;
    for (const key of totals.keys()) {
      if (key.account === account) sum += spent(key, Number.NEGATIVE_INFINITY, at).micros;
    }
    return sum;
  }

  function* entries(start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY): Generator<Entry> {
    for (const page of pages(start, end)) {
      for (const keyDay of page.keyDays) {
        for (const entry of keyDay.entries) if (entry.at >= start && entry.at < end) yield entry;
      }
    }
  }

  function* pages(start: number, end: number): Generator<Page> {
    const wanted = [...days.keys()].filter((day) => day >= dayNumber(start) && day <= dayNumber(end));
    for (const day of wanted.toSorted((left, right) => left - right)) {
      yield { day, keyDays: [...(days.get(day)?.values() ?? [])] };
    }
  }

  return {
    post,
    spent,
    spentOfLimit,
    entries,
    pages,
    lastUsedAt,
    accountMicrosAt,
    accountMicros: (account: Account): number => accountMicros.get(account) ?? 0,
    freeRequests: (account: Account, at: number): number =>
      freeRequests.get(`${account.name} ${dayNumber(at)}`) ?? 0,
  };
}

export type Page = { readonly day: number; readonly keyDays: readonly Readonly<KeyDay>[] };

const nothing: Spent = { micros: 0, byokMicros: 0 };

function plus(left: Spent, right: Spent, sign = 1): Spent {
  return { micros: left.micros + sign * right.micros, byokMicros: left.byokMicros + sign * right.byokMicros };
}

/** The running sum of a limit's current window, so that admitting a call does not recount a month. */
class Meter {
  readonly #reset: Reset | null;
  readonly #start: number;
  readonly #end: number | null;
  micros: number;
  byokMicros: number;

  constructor(reset: Reset | null, start: number, end: number | null, spent: Spent) {
    this.#reset = reset;
    this.#start = start;
    this.#end = end;
    this.micros = spent.micros;
    this.byokMicros = spent.byokMicros;
  }

  covers(reset: Reset | null, at: number): boolean {
    return this.#reset === reset && at >= this.#start && (this.#end === null || at < this.#end);
  }

  add(entry: Entry): void {
    if (!this.covers(this.#reset, entry.at)) return;
    this.micros += entry.micros;
    this.byokMicros += entry.byokMicros;
  }
}

function keyDayOf(days: Map<number, Map<Key, KeyDay>>, day: number, key: Key): KeyDay {
  let keys = days.get(day);
  if (keys === undefined) days.set(day, (keys = new Map()));
  let keyDay = keys.get(key);
  if (keyDay === undefined) {
    keyDay = { micros: 0, byokMicros: 0, lastAt: Number.NEGATIVE_INFINITY, entries: [], sums: new Map() };
    keys.set(key, keyDay);
  }
  return keyDay;
}

function addToRoute(sums: Map<Route, Figures>, entry: Entry): void {
  const sum = sums.get(entry.route);
  if (sum === undefined) {
    const { at: _at, route, ...figures } = entry;
    sums.set(route, figures);
  } else addFigures(sum, entry);
}

export function addFigures(sum: Figures, figures: Readonly<Figures>): void {
  sum.micros += figures.micros;
  sum.byokMicros += figures.byokMicros;
  sum.byokFeeMicros += figures.byokFeeMicros;
  sum.cacheMicros += figures.cacheMicros;
  sum.dataMicros += figures.dataMicros;
  sum.requests += figures.requests;
  sum.byokRequests += figures.byokRequests;
  sum.promptTokens += figures.promptTokens;
  sum.completionTokens += figures.completionTokens;
  sum.reasoningTokens += figures.reasoningTokens;
  sum.cachedTokens += figures.cachedTokens;
  sum.latencyMs += figures.latencyMs;
}

function partOf(keyDay: KeyDay | undefined, at: number): Spent {
  if (keyDay === undefined) return nothing;
  if (keyDay.lastAt <= at) return keyDay;
  let micros = 0;
  let byokMicros = 0;
  for (const entry of keyDay.entries) {
    if (entry.at > at) continue;
    micros += entry.micros;
    byokMicros += entry.byokMicros;
  }
  return { micros, byokMicros };
}
