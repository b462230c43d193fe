import { boughtMicros, purchasedMicros } from "./account/movements.ts";
import type { Ledger } from "./ledger.ts";
import type { Budget, Key, Model } from "./entities.ts";
import { windowOf } from "./windows.ts";

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
  return !key.disabled && key.deletedAt === null && (key.expiresAt === null || at < key.expiresAt);
}

/** What the key may still spend in its window; negative after an overshoot, null if unlimited. */
function remainingMicros(ledger: Ledger, key: Key, at: number): number | null {
  if (key.limitMicros === null) return null;
  return key.limitMicros - countedMicros(key, ledger.spentOfLimit(key, at));
}

/** BYOK usage counts toward the limit only if the key has include_byok_in_limit (2.7). */
export function countedMicros(key: Key, spent: { micros: number; byokMicros: number }): number {
  return spent.micros + (key.includeByokInLimit ? spent.byokMicros : 0);
}

export function freeRequestsPerDay({ account }: Key, at: number): number {
  const isBuyer = account.purchasedMicros === null || purchasedMicros(account, at) >= BUYER_MICROS;
  return isBuyer ? FREE_REQUESTS_PER_DAY_OF_BUYERS : FREE_REQUESTS_PER_DAY;
}

/** What stops a call. The first two are values of `limit_source`; a budget is answered with 403 instead of 402. */
export type Shortage = "openrouter_credits" | "openrouter_key_limit" | "budget";

/** Why no call is admitted (section 7, 402 and 403); null if it is. */
export function shortageOf(ledger: Ledger, key: Key, model: Model, at: number): Shortage | null {
  const remaining = remainingMicros(ledger, key, at);
  if (remaining !== null && remaining <= 0) return "openrouter_key_limit";
  if (isAccountEmpty(ledger, key, model, at)) return "openrouter_credits";
  return exhaustedBudget(ledger, key, at) ? "budget" : null;
}

/** The first budget that refuses the key's calls; undefined if none does. */
export function exhaustedBudget(ledger: Ledger, key: Key, at: number): Budget | undefined {
  return key.budgets.find((budget) => budgetSpentMicros(ledger, budget, at, at) >= budget.micros);
}

/** `windowAt` selects the window; `at` is the time up to which spend is known. */
export function budgetSpentMicros(ledger: Ledger, budget: Budget, at: number, windowAt: number): number {
  const { start } = windowOf(budget.reset, windowAt);
  const spends = budget.keys.map((key) => (at < start ? undefined : ledger.spent(key, start, at)));
  return spends.reduce(
    (sum, spent) => sum + (spent ? spent.micros + (budget.includeByok ? spent.byokMicros : 0) : 0),
    0,
  );
}

function isAccountEmpty(ledger: Ledger, { account }: Key, model: Model, at: number): boolean {
  if (account.purchasedMicros === null) return false;
  const balance = boughtMicros(account, at) - ledger.accountMicros(account);
  // A negative balance stops free models as well; an empty one stops only paid models.
  return model.free ? balance < 0 : balance <= 0;
}

/**
 * Returns how many of the requests are admitted. A call is admitted while any credits are left, because its cost is known only
 * afterwards, so the last call may overshoot the limit.
 */
export function admittedRequests(ledger: Ledger, wanted: Wanted): number {
  const { key, model, at, requests } = wanted;
  if (!isUsable(key, at) || shortageOf(ledger, key, model, at) !== null) return 0;
  const leftToday = model.free
    ? Math.max(0, freeRequestsPerDay(key, at) - ledger.freeRequests(key.account, at))
    : requests;
  const counted = countedMicros(key, wanted);
  const remaining = remainingMicros(ledger, key, at);
  if (remaining === null || counted <= 0) return Math.min(requests, leftToday);
  return Math.min(requests, leftToday, Math.ceil((remaining * requests) / counted));
}
