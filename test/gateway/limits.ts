import type { Ledger } from "./ledger.ts";
import type { Key, Model } from "./entities.ts";

/** What a caller asks for: so many requests that cost so much together. */
export type Wanted = {
  readonly key: Key;
  readonly model: Model;
  readonly at: number;
  readonly requests: number;
  readonly micros: number;
  readonly byokMicros: number;
};

/** Contract section 8: free variants have 50 requests a day, 1000 once 10 credits were bought. */
const FREE_REQUESTS_PER_DAY = 50;
const FREE_REQUESTS_PER_DAY_OF_BUYERS = 1000;
const BUYER_MICROS = 10_000_000;

export function isUsable(key: Key, at: number): boolean {
  return !key.disabled && (key.expiresAt === null || at < key.expiresAt);
}

/** What the key may still spend in its window; negative after an overshoot, null when unlimited. */
export function remainingMicros(ledger: Ledger, key: Key, at: number): number | null {
  if (key.limitMicros === null) return null;
  return key.limitMicros - countedMicros(key, ledger.spentOfLimit(key, at));
}

/** Outside usage counts toward the limit only when the key says so (2.7, include_byok_in_limit). */
export function countedMicros(key: Key, spent: { micros: number; byokMicros: number }): number {
  return spent.micros + (key.includeByokInLimit ? spent.byokMicros : 0);
}

export function freeRequestsPerDay(key: Key): number {
  const { purchasedMicros } = key.account;
  return purchasedMicros === null || purchasedMicros >= BUYER_MICROS
    ? FREE_REQUESTS_PER_DAY_OF_BUYERS
    : FREE_REQUESTS_PER_DAY;
}

/** Credits left are not enough for anything (section 7, 402). */
export function isExhausted(ledger: Ledger, key: Key, model: Model, at: number): boolean {
  const remaining = remainingMicros(ledger, key, at);
  if (remaining !== null && remaining <= 0) return true;
  if (key.account.purchasedMicros === null) return false;
  const balance = key.account.purchasedMicros - ledger.accountMicros(key.account);
  // A negative balance also stops free models; an empty one stops only paid ones.
  return model.free ? balance < 0 : balance <= 0;
}

/**
 * How many of the requests are let through. A call is let through while anything is left, since its cost is known only
 * afterwards, so the last one may overshoot.
 */
export function admittedRequests(ledger: Ledger, wanted: Wanted): number {
  const { key, model, at, requests } = wanted;
  if (!isUsable(key, at) || isExhausted(ledger, key, model, at)) return 0;
  const leftToday = model.free
    ? Math.max(0, freeRequestsPerDay(key) - ledger.freeRequests(key.account, at))
    : requests;
  const counted = countedMicros(key, wanted);
  const remaining = remainingMicros(ledger, key, at);
  if (remaining === null || counted <= 0) return Math.min(requests, leftToday);
  return Math.min(requests, leftToday, Math.ceil((remaining * requests) / counted));
}
