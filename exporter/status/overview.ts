import type { BudgetScope } from "../config/config.ts";
import type { Period } from "../time/window.ts";

/** What the status page shows; a value that must not be shown on `/metrics` is not here either. */
export interface Overview {
  readonly version: string;
  readonly nowMs: number;
  readonly startedMs: number;
  /** Base URL of the gateway. */
  readonly gateway: string;
  /** Price of one credit, only if configured. */
  readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
  readonly keys: readonly KeyRow[];
  readonly queries: readonly QueryRow[];
  /** What is asked of the analytics for budgets alone. */
  readonly budgetQueries: readonly TargetRow[];
  readonly budgets: readonly BudgetRow[];
  /** Only if probes are configured. */
  readonly probes?: ProbesOverview | undefined;
}

export interface TargetRow {
  readonly name: string;
  /** Waiting: not polled yet. */
  readonly state: "up" | "down" | "waiting";
  /** Why the last poll failed. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  readonly lastSuccessMs: number | undefined;
}

/** Amounts are credits; undefined is not known. */
export interface KeyRow extends TargetRow {
  /** Empty where nothing is configured. */
  readonly owner: { readonly team: string; readonly project: string; readonly costCenter: string };
  readonly limit: number | "unlimited" | undefined;
  /** 0 or negative when the limit is used up. */
  readonly remaining: number | undefined;
  /** `daily`, `weekly`, `monthly`, `never`, `other`. */
  readonly reset: string | undefined;
  readonly nextResetMs: number | undefined;
  readonly day: number | undefined;
  readonly week: number | undefined;
  readonly month: number | undefined;
  readonly total: number | undefined;
  readonly expiryMs: number | undefined;
}

/** One question to the analytics, by its window. */
export interface QueryRow extends TargetRow {
  readonly windowStartMs: number | undefined;
  /** Until when the data tell. */
  readonly dataMs: number | undefined;
  readonly credits: number | undefined;
  readonly requests: number | undefined;
  /** The dearest pairs, `_other` last. */
  readonly pairs: readonly PairRow[];
  /** Pairs that are known and shown only as part of `_other`. */
  readonly foldedPairs: number | undefined;
  /** Whether the gateway has more pairs than it told. */
  readonly truncated: boolean | undefined;
}

export interface PairRow {
  readonly model: string;
  readonly app: string;
  readonly credits: number;
}

/** How a budget stands in the current window. Amounts are credits. */
export interface BudgetRow {
  readonly name: string;
  /** Empty where nothing is configured. */
  readonly team: string;
  readonly scope: BudgetScope;
  readonly window: Period["kind"];
  readonly windowStartMs: number | undefined;
  /** Undefined: a total has no end. */
  readonly windowEndMs: number | undefined;
  readonly limit: number;
  /** Undefined: nothing is known of the window. */
  readonly spent: number | undefined;
  /** Why spent is only a lower bound, or not known; undefined: it is all. */
  readonly gap: BudgetGap | undefined;
}

/** What became of the keys, or of the query, that a budget adds up. */
export interface BudgetGap {
  readonly sources: number;
  /** How many of them cannot be relied on; if none, an answer tells a part only. */
  readonly faults: Readonly<Record<SourceFault, number>>;
  /** Why the first of the failing ones fails. */
  readonly reason: string | undefined;
}

/** Early: has not told of the current window yet. Old: has not answered for longer than its time to live. */
export type SourceFault = "failing" | "waiting" | "early" | "old";

/** The probes, and what they spend together. */
export interface ProbesOverview {
  readonly rows: readonly ProbeRow[];
  /** With what is set aside for runs under way; undefined: not known yet. */
  readonly spentToday: number | undefined;
  readonly ceiling: number;
}

/** The last run of a probe. */
export interface ProbeRow extends TargetRow {
  readonly model: string;
  /** Name of the key that pays. */
  readonly key: string;
  readonly lastRunMs: number | undefined;
  /** Why the last run that was due was not begun; undefined after a run. */
  readonly skip: string | undefined;
  readonly wordErrorRate: number | undefined;
  readonly wordErrorLimit: number;
  readonly durationSeconds: number | undefined;
  readonly speedFactor: number | undefined;
  readonly cost: number | undefined;
}
