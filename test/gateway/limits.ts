import type { Ledger } from "./ledger.ts";
import type { Key, Model } from "./entities.ts";

/** A caller's requests and their total cost. */
export type Wanted = {
  readonly key: Key;
  readonly model: Model;
  readonly at: number;
  readonly requests: number;
  readonly micros: number;
  readonly byokMicros: number;
};

/** Contract section 8: free variants have 50 requests a day, or 1000 if at least 10 credits were bought. */
const FREE_REQUESTS_PER_DAY = 50;
const FREE_REQUESTS_PER_DAY_OF_BUYERS = 1000;
const BUYER_MICROS = 10_000_000;

export function isUsable(key: Key, at: number): boolean {
  return !key.disabled && (key.expiresAt === null || at < key.expiresAt);
}

/** What the key may still spend in its window; negative after an overshoot, null if unlimited. */
export function remainingMicros(ledger: Ledger, key: Key, at: number): number | null {
  if (key.limitMicros === null) return null;
  return key.limitMicros - countedMicros(key, ledger.spentOfLimit(key, at));
}

/** BYOK usage counts toward the limit only if the key has include_byok_in_limit (2.7). */
export function countedMicros(key: Key, spent: { micros: number; byokMicros: number }): number {
  return spent.micros + (key.includeByokInLimit ? spent.byokMicros : 0);
}

export function freeRequestsPerDay(key: Key): number {
  const { purchasedMicros } = key.account;
  return purchasedMicros === null || purchasedMicros >= BUYER_MICROS
    ? FREE_REQUESTS_PER_DAY_OF_BUYERS
    : FREE_REQUESTS_PER_DAY;
}

/** Whether no credits are left for any call (section 7, 402). */
export function isExhausted(ledger: Ledger, key: Key, model: Model, at: number): boolean {
  const remaining = remainingMicros(ledger, key, at);
  if (remaining !== null && remaining <= 0) return true;
  if (key.account.purchasedMicros === null) return false;
  const balance = key.account.purchasedMicros - ledger.accountMicros(key.account);
  // A negative balance stops free models as well; an empty one stops only paid models.
  return model.free ? balance < 0 : balance <= 0;
}

/**
 * Returns how many of the requests are admitted. A call is admitted while any credits are left, because its cost is known only
 * afterwards, so the last call may overshoot the limit.
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
