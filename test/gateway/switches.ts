import { isFields, readBoolean, readInteger, readList, readOneOf, readText, wrong } from "./fields.ts";

/** Behaviours of real services that differ from the contract. All are off by default. */
export type Switches = {
  /** Analytics values as JSON numbers, counts as decimal strings, all values as strings, or alternating between answers. */
  numbersAs: "numbers" | "counts_as_strings" | "strings" | "by_turns";
  /** The figures of GET /key as decimal strings. */
  keyNumbersAsStrings: boolean;
  /** Null instead of 0 for components that do not apply (reasoning, cached tokens, byok). */
  nullComponents: boolean;
  /** The time column is `<prefix>__<granularity>`. */
  timeColumnPrefix: string;
  /** 2026-11-21T00:00:00.000Z, 2026-11-21T00:00:00, 2026-11-21 00:00:00, or 2026-11-21 (buckets of a day or longer). */
  timeFormat: "iso" | "no_offset" | "space" | "date";
  /** All keys are labelled "Production" and models by their family, so that different rows share one label. */
  duplicateLabels: boolean;
  /** Every dimension adds `<dimension>_id`. */
  extraColumns: boolean;
  /** Even uncached answers contain `cachedAt`. */
  cachedAt: boolean;
  /** The analytics endpoint's own rate limit, 64 in the observed case; null for none. */
  analyticsRequestsPerMinute: number | null;
  /** How far back analytics reach, 31 days in the observed case; an earlier start is a 400. */
  reachDays: number | null;
  /** Some of the simulated traffic is refunded as negative usage. */
  discounts: boolean;
  /** First day of the analytics' weeks. The weeks of GET /key always start on Monday. */
  weeksStartOn: "sunday" | "monday";
  /** GET /key returns is_management_key, expires_at and free_model_daily_requests. */
  extraKeyFields: boolean;
  /** Fields that GET /key omits, as in older deployments. */
  missingKeyFields: readonly string[];
  /** Delay before figures become known. */
  lagMs: number;
  /** For this long after midnight, answers still show yesterday's windows. */
  staleAfterMidnightMs: number;
  /** Instead of daily, weekly, monthly. */
  limitResetText: string | null;
  errorBody: "envelope" | "without_code" | "success_false" | "html" | "empty";
  /** X-RateLimit-Reset in ms or seconds, or the three headers only in error.metadata.headers. */
  rateLimitReset: "milliseconds" | "seconds" | "metadata";
  retryAfter: "seconds" | "http_date" | "absent";
  /** GET /key refuses a key without remaining credits with 402 or 403. */
  exhaustedKeyStatus: 402 | 403 | null;
  /** A larger request for a transcription is a 413. */
  transcriptionBytes: number;
};

export function createSwitches(initial: Partial<Switches> = {}): Switches {
  return {
    numbersAs: "numbers",
    keyNumbersAsStrings: false,
    nullComponents: false,
    timeColumnPrefix: "date",
    timeFormat: "iso",
    duplicateLabels: false,
    extraColumns: false,
    cachedAt: false,
    analyticsRequestsPerMinute: null,
    reachDays: null,
    discounts: false,
    weeksStartOn: "sunday",
    extraKeyFields: false,
    missingKeyFields: [],
    lagMs: 0,
    staleAfterMidnightMs: 0,
    limitResetText: null,
    errorBody: "envelope",
    rateLimitReset: "milliseconds",
    retryAfter: "seconds",
    exhaustedKeyStatus: null,
    transcriptionBytes: 25_000_000,
    ...initial,
  };
}

/** Sets switches by name from JSON. Sets none of them if one is invalid. */
export function setSwitches(switches: Switches, wanted: unknown): void {
  if (!isFields(wanted)) throw wrong("switches", wanted, "an object");
  const next = { ...switches };
  for (const [field, value] of Object.entries(wanted)) {
    const name = readOneOf(field, "switches", switchNames);
    Object.assign(next, { [name]: readers[name](value, `switches.${name}`) });
  }
  Object.assign(switches, next);
}

type Readers = { readonly [Name in keyof Switches]: (value: unknown, name: string) => Switches[Name] };

const orNull =
  <Value>(read: (value: unknown, name: string) => Value) =>
  (value: unknown, name: string): Value | null =>
    value === null ? null : read(value, name);
const readCount = (value: unknown, name: string): number => readInteger(value, name, 0);
const oneOf =
  <const Choice extends string>(...choices: Choice[]) =>
  (value: unknown, name: string): Choice =>
    readOneOf(value, name, choices);

const readers: Readers = {
  numbersAs: oneOf("numbers", "counts_as_strings", "strings", "by_turns"),
  keyNumbersAsStrings: readBoolean,
  nullComponents: readBoolean,
  timeColumnPrefix: readText,
  timeFormat: oneOf("iso", "no_offset", "space", "date"),
  duplicateLabels: readBoolean,
  extraColumns: readBoolean,
  cachedAt: readBoolean,
  analyticsRequestsPerMinute: orNull(readCount),
  reachDays: orNull(readCount),
  discounts: readBoolean,
  weeksStartOn: oneOf("sunday", "monday"),
  extraKeyFields: readBoolean,
  missingKeyFields: (value, name) =>
    readList(value, name, 0, Number.POSITIVE_INFINITY).map((item) => readText(item, name)),
  lagMs: readCount,
  staleAfterMidnightMs: readCount,
  limitResetText: orNull(readText),
  errorBody: oneOf("envelope", "without_code", "success_false", "html", "empty"),
  rateLimitReset: oneOf("milliseconds", "seconds", "metadata"),
  retryAfter: oneOf("seconds", "http_date", "absent"),
  exhaustedKeyStatus: orNull((value, name) => {
    if (value === 402 || value === 403) return value;
    throw wrong(name, value, "402, 403 or null");
  }),
  transcriptionBytes: readCount,
};

const switchNames = Object.keys(readers).filter((name): name is keyof Switches => name in readers);
