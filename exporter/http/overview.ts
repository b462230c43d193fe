/** What the status page shows; a value that must not be shown on `/metrics` is not here either. */
export interface Overview {
  readonly version: string;
  readonly nowMs: number;
  readonly startedMs: number;
  /** Base URL of the gateway. */
  readonly gateway: string;
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
  readonly team: string;
  readonly limit: number | "unlimited" | undefined;
  readonly remaining: number | undefined;
  /** `daily`, `weekly`, `monthly`, `never`, `other`. */
  readonly reset: string | undefined;
  readonly nextResetMs: number | undefined;
  readonly day: number | undefined;
  readonly week: number | undefined;
  readonly month: number | undefined;
  readonly total: number | undefined;
}

export interface QueryRow extends TargetRow {
  /** Until when the data tell. */
  readonly dataMs: number | undefined;
  readonly credits: number | undefined;
  readonly requests: number | undefined;
  /** The dearest pairs, `_other` last. */
  readonly pairs: readonly { readonly model: string; readonly app: string; readonly credits: number }[];
  readonly truncated: boolean | undefined;
}
