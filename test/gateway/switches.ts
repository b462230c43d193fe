import { type Endpoint, endpoints } from "./endpoint.ts";
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
  /** Operations that older deployments lack: 404. */
  missingOperations: readonly Endpoint[];
  /** Metrics and dimensions that older deployments lack: absent from the meta, and a 400 in a query. */
  missingMetrics: readonly string[];
  missingDimensions: readonly string[];
  /** Analytics reach back 31 or 367 days, depending on metrics and dimensions; hours cover at most 31 days, minutes 3 hours. */
  rangeLimits: boolean;
  /** More values in one filter are a 400; null for any number. */
  mostFilterValues: number | null;
  /** Calls without an app are labelled "Unknown" instead of null. */
  placeholders: boolean;
  /** How far back analytics reach, 31 days in the observed case; an earlier start is a 400. */
  reachDays: number | null;
  /** Some of the simulated traffic is refunded as negative usage. */
  discounts: boolean;
  /** Simulated BYOK traffic pays a fee of 5 % in credits. */
  byokFees: boolean;
  /** First day of the analytics' weeks. The weeks of GET /key always start on Monday. */
  weeksStartOn: "sunday" | "monday";
  /** GET /key returns its newest fields, among them is_management_key, expires_at and free_model_daily_requests. */
  extraKeyFields: boolean;
  /** GET /keys: keys per page, their order, and times with Z or with offset and microseconds. */
  keysPerPage: number;
  keysOrder: "newest_first" | "oldest_first";
  keyTimes: "z" | "offset";
  /** GET /credits shows two zeros to an ordinary key, or refuses it with 403. */
  ordinaryCredits: "zeros" | "forbidden";
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
    missingOperations: [],
    missingMetrics: [],
    missingDimensions: [],
    rangeLimits: false,
    mostFilterValues: null,
    placeholders: false,
    reachDays: null,
    discounts: false,
    byokFees: false,
    weeksStartOn: "sunday",
    extraKeyFields: false,
    keysPerPage: 100,
    keysOrder: "newest_first",
    keyTimes: "z",
    ordinaryCredits: "zeros",
    refusalSources: false,
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
const listOf =
  <Item>(read: (value: unknown, name: string) => Item) =>
  (value: unknown, name: string): readonly Item[] =>
    readList(value, name, 0, Number.POSITIVE_INFINITY).map((item) => read(item, name));
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
  missingOperations: listOf((item, name) => readOneOf(item, name, endpoints)),
  missingMetrics: listOf(readText),
  missingDimensions: listOf(readText),
  rangeLimits: readBoolean,
  mostFilterValues: orNull(readCount),
  placeholders: readBoolean,
  reachDays: orNull(readCount),
  discounts: readBoolean,
  byokFees: readBoolean,
  weeksStartOn: oneOf("sunday", "monday"),
  extraKeyFields: readBoolean,
  keysPerPage: (value, name) => readInteger(value, name, 1),
  keysOrder: oneOf("newest_first", "oldest_first"),
  keyTimes: oneOf("z", "offset"),
  ordinaryCredits: oneOf("zeros", "forbidden"),
  refusalSources: readBoolean,
  missingKeyFields: listOf(readText),
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
