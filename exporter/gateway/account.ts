import type { GatewayError } from "./errors.ts";

/** One key of the account, as a management key sees it. What a row cannot show is undefined: the free quota. */
export interface AccountKey {
  /** The only identity of a key: the SHA-256 of its secret, 64 lower-case hexadecimal digits, or another text at some services. */
  readonly hash: string;
  /** Two keys may have the same name, and a name may change; empty if the row has none. */
  readonly name: string;
  readonly disabled: boolean | undefined;
  readonly createdAtMs: number | undefined;
  /** Null: not used since the end of 2025. Undefined: the service does not send it. */
  readonly lastUsedAtMs?: number | null | undefined;
  /** Whether the service says so. */
  readonly neverExpires: boolean;
  /** Absent: the list is of one workspace. */
  readonly workspaceName?: string;
  readonly information: KeyInformation;
}

/** The keys of one workspace. Only a complete listing that did not move proves that a missing key is gone. */
export interface AccountKeys {
  readonly keys: readonly AccountKey[];
  /** Number of rows that are no keys or have a value of a wrong type. */
  readonly unreadableRows: number;
  /** Why the first unreadable row was rejected: the column's name, never its value. */
  readonly rowProblem: string | undefined;
  /** Whether keys were created or deleted between two pages, so that keys may be missing. */
  readonly moved: boolean;
  /** Why the rest of the pages is missing; undefined: the listing is complete. */
  readonly failure: GatewayError | undefined;
}

/** Credits that the account has bought and used in all; the balance is the difference and may be negative. */
export interface AccountCredits {
  /** Falls with refunds, transfers and expiries. */
  readonly boughtCredits: number;
  readonly usedCredits: number;
}

/** The names that analytics queries may use, as the service writes them. */
export interface Capabilities {
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly granularities: readonly string[];
}

/**
 * One of the budgets that can refuse a key's calls, its own limit among them (vendor-2026-10, 1). Amounts are credits;
 * undefined: the answer lacks the field, or it cannot be read.
 */
export interface BudgetLayer {
  /** Whose budget it is, as the service names it; the set is open. */
  readonly scope: string;
  readonly limitCredits: number | undefined;
  /** Counted against the layer in its window: of the key, the member or the workspace. */
  readonly spentCredits: number | undefined;
  /** Zero or negative: calls are refused until the reset. */
  readonly remainingCredits: number | undefined;
  readonly reset: LimitReset | undefined;
  /** Epoch milliseconds; undefined: the layer never resets, or the time is not known. */
  readonly resetsAtMs: number | undefined;
  readonly includesByok: boolean | undefined;
  /** Tells the budgets of one scope apart. */
  readonly id: string | undefined;
}

/** The scopes whose budget several keys share. */
export const SHARED_SCOPES: ReadonlySet<string> = new Set([
  "member",
  "workspace",
  "workspace_default_member",
]);

/** When a limit resets; `other` is an unknown text. */
export const LIMIT_RESETS = ["never", "daily", "weekly", "monthly", "other"] as const;
export type LimitReset = (typeof LIMIT_RESETS)[number];

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
  readonly freeRequests: Readonly<Partial<Record<"limit" | "used" | "remaining", number | undefined>>>;
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
