import { Refusal } from "./refusal.ts";
import type { Endpoint } from "./entities.ts";

/** Behaviours of real services that differ from the contract. All are off by default. */
export type Switches = {
  /** Analytics values as JSON numbers, counts as decimal strings, all values as strings, or alternating between answers. */
  numbersAs: "numbers" | "counts_as_strings" | "strings" | "by_turns";
  /** The figures of GET /key as decimal strings. */
  keyNumbersAsStrings: boolean;
  /** Every dimension adds `<dimension>_id`. */
  extraColumns: boolean;
  /** Even uncached answers contain `cachedAt`. */
  cachedAt: boolean;
  /** The analytics endpoint's own rate limit, 64 in the observed case; null for none. */
  analyticsRequestsPerMinute: number | null;
  /** Operations that older deployments lack: 404. */
  missingOperations: readonly Endpoint[];
  /** Metrics that older deployments lack: absent from the meta, and a 400 in a query. */
  missingMetrics: readonly string[];
  /** Analytics reach back 31 or 367 days, depending on metrics and dimensions; hours cover at most 31 days, minutes 3 hours. */
  rangeLimits: boolean;
  /** The limit of a time series by dimensions is not raised to fit it (2.1, rule 2: "may"). */
  keepsRowLimit: boolean;
  /** How far back analytics reach, 31 days in the observed case; an earlier start is a 400. */
  reachDays: number | null;
  /** Some of the simulated traffic is refunded as negative usage. */
  discounts: boolean;
  /** GET /key returns its newest fields, among them is_management_key, expires_at and free_model_daily_requests. */
  extraKeyFields: boolean;
  /** GET /key returns every budget that blocks the key (vendor-2026-10, 1), as services do since October 2026. */
  keyBudgets: boolean;
  /** GET /keys lists expired keys always, only if include_expired is sent, or always and refuses that parameter (400). */
  expiredKeys: "always" | "on_demand" | "parameter_refused";
  /** GET /keys: keys per page, their order, and times with Z or with offset and microseconds. */
  keysPerPage: number;
  keysOrder: "newest_first" | "oldest_first";
  keyTimes: "z" | "offset";
  /** 402 and 403 have `limit_source` and `reason` in error.metadata. */
  refusalSources: boolean;
  /** Fields that GET /key and the rows of GET /keys omit, as in older deployments. */
  missingKeyFields: readonly string[];
  /** Delay before figures become known. */
  lagMs: number;
  /** For this long after midnight, answers still show yesterday's windows. */
  staleAfterMidnightMs: number;
  /** Instead of daily, weekly, monthly. */
  limitResetText: string | null;
  /** GET /key refuses a key without remaining credits with 402 or 403. */
  exhaustedKeyStatus: 402 | 403 | null;
};

export function createSwitches(initial: Partial<Switches> = {}): Switches {
  return {
    numbersAs: "numbers",
    keyNumbersAsStrings: false,
    extraColumns: false,
    cachedAt: false,
    analyticsRequestsPerMinute: null,
    missingOperations: [],
    missingMetrics: [],
    keepsRowLimit: false,
    rangeLimits: false,
    reachDays: null,
    discounts: false,
    extraKeyFields: false,
    keyBudgets: false,
    expiredKeys: "always",
    keysPerPage: 100,
    keysOrder: "newest_first",
    keyTimes: "z",
    refusalSources: false,
    missingKeyFields: [],
    lagMs: 0,
    staleAfterMidnightMs: 0,
    limitResetText: null,
    exhaustedKeyStatus: null,
    ...initial,
  };
}

/** Sets switches by name. */
export function setSwitches(switches: Switches, wanted: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(wanted).find((name) => !Object.hasOwn(switches, name));
  if (unknown !== undefined) throw new Refusal(400, `Unknown switch "${unknown}"`);
  Object.assign(switches, wanted);
}
