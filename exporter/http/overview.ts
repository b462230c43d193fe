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
