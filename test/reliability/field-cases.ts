import { asRight, type Outcome, shownWith } from "./fault-case.ts";
import { type AnalyticsChange, changing } from "./fault-steps.ts";
import type { Fault } from "./faulty-gateway.ts";
import { type JsonObject, keySeriesName, querySeriesName } from "./right-answers.ts";
import { firstGroupedRow, firstRowInOther } from "./value-cases.ts";

/** A value of a wrong type in one field. */
export interface FieldCase {
  readonly collector: "key" | "analytics";
  readonly field: string;
  readonly outcome: Outcome;
  /** What is shown, for the reader of the table. */
  readonly note: string;
  readonly fault: Fault;
}

type Change = (wrong: unknown) => { key?: (data: JsonObject) => JsonObject; analytics?: AnalyticsChange };

/** Each field with its wrong values: an object, and a scalar of another type. */
function casesOf(about: Omit<FieldCase, "fault">, scalar: unknown, change: Change): readonly FieldCase[] {
  return [{ wrong: true }, scalar].map((wrong) => ({ ...about, fault: changing(change(wrong)) }));
}

const REFUSED = { outcome: { reason: "bad_response" }, note: "kept, then withdrawn" } as const;

function keyField(field: string, scalar: unknown, result: Pick<FieldCase, "outcome" | "note"> = REFUSED) {
  return casesOf({ collector: "key", field, ...result }, scalar, (wrong) => ({
    key: (data) => ({ ...data, [field]: wrong }),
  }));
}

function answerField(field: string, scalar: unknown, result: Pick<FieldCase, "outcome" | "note"> = REFUSED) {
  return casesOf({ collector: "analytics", field, ...result }, scalar, (wrong) => ({
    analytics: (data) => ({ ...data, [field]: wrong }),
  }));
}

function metadataField(field: string, result: Pick<FieldCase, "outcome" | "note"> = REFUSED) {
  return casesOf({ collector: "analytics", field: `metadata.${field}`, ...result }, "soon", (wrong) => ({
    analytics: (data) => ({ ...data, metadata: { ...data.metadata, [field]: wrong } }),
  }));
}

function rowField(field: string) {
  const about = { collector: "analytics", field: `data.${field}`, outcome: firstRowInOther } as const;
  const note = "the row is part of `_other`, and counted";
  return casesOf({ ...about, note }, true, (wrong) => ({
    analytics: firstGroupedRow((row) => ({ ...row, [field]: wrong })),
  }));
}

/** No sample of these series, all others as they should be. */
function without(...names: readonly string[]): Pick<FieldCase, "outcome" | "note"> {
  const outcome = shownWith(Object.fromEntries(names.map((name) => [name, undefined])));
  return { outcome, note: "all except this field, which has no sample" };
}

const IGNORED = { outcome: asRight, note: "all, as if the field were missing" };

const AMOUNTS = ["usage", "byok_usage"].flatMap((usage) => [
  usage,
  ...["daily", "weekly", "monthly"].map((window) => `${usage}_${window}`),
]);

const FREE_REQUESTS = ["limit", "used", "remaining"].map((name) =>
  keySeriesName(`free_requests_day_${name}`),
);

/** Every field of an answer about a key (contract 2.7), and further fields that are read. */
const keyFields: readonly FieldCase[] = [
  ...["limit", "limit_remaining", ...AMOUNTS].flatMap((field) => keyField(field, true)),
  ...["label", "limit_reset"].flatMap((field) => keyField(field, 7)),
  ...["include_byok_in_limit", "is_free_tier"].flatMap((field) => keyField(field, "true")),
  ...keyField("rate_limit", 7, IGNORED),
  ...keyField("expires_at", 7, without(keySeriesName("expiry_timestamp_seconds"))),
  ...keyField("free_model_daily_requests", 7, without(...FREE_REQUESTS)),
];

/** Every field of an answer to a query (contract 2.4). */
const analyticsFields: readonly FieldCase[] = [
  ...answerField("data", "none"),
  ...answerField("metadata", 7),
  ...metadataField("truncated"),
  ...metadataField("query_time_ms", without(querySeriesName("query_duration_seconds"))),
  ...metadataField("row_count", IGNORED),
  ...answerField("cachedAt", true, IGNORED),
  ...answerField("warnings", "many", IGNORED),
  ...[
    "model",
    "app",
    "total_usage",
    "byok_usage",
    "request_count",
    "tokens_total",
    "tokens_prompt",
    "tokens_completion",
    "reasoning_tokens",
  ].flatMap(rowField),
];

/** One field of each side at a time, because the two sides are independent. */
export const fieldCases: readonly (readonly FieldCase[])[] = Array.from(
  { length: Math.max(keyFields.length, analyticsFields.length) },
  (_, index) => [...keyFields.slice(index, index + 1), ...analyticsFields.slice(index, index + 1)],
);
