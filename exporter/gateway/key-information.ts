import type { BudgetLayer, LimitReset } from "./budget-layer.ts";

/**
 * What the gateway reports about one key (contract 2.7). Amounts are credits. Undefined: the answer lacks the field
 * (as in older deployments, observed-behaviour 13); null: the contract's own null.
 */
export interface KeyInformation {
  /** A masked fragment of the key (observed-behaviour 11). */
  readonly label: string | undefined;
  /** Null: unlimited. */
  readonly limitCredits: number | null | undefined;
  readonly limitReset: LimitReset | undefined;
  /** Of the current reset window; may be negative. Null: unlimited. */
  readonly remainingCredits: number | null | undefined;
  readonly byokInLimit: boolean | undefined;
  readonly usage: Spend;
  readonly byokUsage: Spend;
  readonly freeTier: boolean | undefined;
  /** Whether it may read, and change, the whole account; absent: the service does not report it. */
  readonly isManagementKey?: boolean | undefined;
  readonly expiresAtMs: number | undefined;
  /** The daily quota of `:free` models. */
  readonly freeRequests: {
    readonly limit: number | undefined;
    readonly used: number | undefined;
    readonly remaining: number | undefined;
  };
  /** Every budget that can refuse the key's calls, in the order of checking; undefined: the service does not send them. */
  readonly layers?: readonly BudgetLayer[] | undefined;
}

/** Credits used: all time, current UTC day, week (from Monday) and month. */
export interface Spend {
  readonly total: number | undefined;
  readonly day: number | undefined;
  readonly week: number | undefined;
  readonly month: number | undefined;
}
