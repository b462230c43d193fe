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
