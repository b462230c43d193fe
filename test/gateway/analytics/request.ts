import { readFields, readInteger, readList, readOneOf, readText, wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import { type ClassifierDimensions, readClassifierDimensions } from "./classifiers.ts";
import { type DimensionName, dimensionNames } from "./dimensions.ts";
import { type Filter, readFilters } from "./filters.ts";
import { type Metric, metricNames } from "./metrics.ts";
import { type Granularity, granularities, readTimestamp } from "./time.ts";

/** A valid request of contract 2.1. */
export type AnalyticsRequest = {
  readonly metrics: readonly Metric[];
  readonly dimensions: readonly DimensionName[];
  readonly filters: readonly Filter[];
  readonly granularity: Granularity | null;
  readonly timeRange: TimeRange | null;
  readonly limit: number;
  readonly orderBy: OrderBy | null;
  readonly classifierDimensions: ClassifierDimensions | null;
};

/** Half-open. */
export type TimeRange = { readonly start: number; readonly end: number };
export type OrderBy = {
  readonly field: Metric | DimensionName | "date";
  readonly direction: "asc" | "desc";
};

/** Contract section 8, request-shape bounds. */
const MOST_DIMENSIONS = 2;
const DEFAULT_LIMIT = 1000;

const fieldNames = [
  "metrics",
  "dimensions",
  "filters",
  "granularity",
  "time_range",
  "limit",
  "order_by",
  "classifier_dimensions",
] as const;

/** Parses a request body. Every violation of its shape is a 400 that names the field. */
export function parseAnalyticsRequest(text: string): AnalyticsRequest {
  const body = readFields(parseJson(text), "body", fieldNames);
  const metrics = readNames(body["metrics"], "metrics", metricNames, 1, Number.POSITIVE_INFINITY);
  const dimensions = readNames(body["dimensions"] ?? [], "dimensions", dimensionNames, 0, MOST_DIMENSIONS);
  return {
    metrics,
    dimensions,
    filters: readFilters(body["filters"] ?? []),
    granularity: optional(body["granularity"], (value) => readOneOf(value, "granularity", granularities)),
    timeRange: optional(body["time_range"], readTimeRange),
    limit: optional(body["limit"], (value) => readInteger(value, "limit", 1)) ?? DEFAULT_LIMIT,
    orderBy: optional(body["order_by"], (value) => readOrderBy(value, metrics, dimensions)),
    classifierDimensions: optional(body["classifier_dimensions"], readClassifierDimensions),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "Malformed body: expected a JSON object");
  }
}

/** Absent fields are undefined. Null is a value, and an invalid one. */
function optional<Value>(value: unknown, read: (value: unknown) => Value): Value | null {
  return value === undefined ? null : read(value);
}

function readNames<const Name extends string>(
  value: unknown,
  field: string,
  allowed: readonly Name[],
  least: number,
  most: number,
): readonly Name[] {
  const names = readList(value, field, least, most);
  return [...new Set(names.map((name, index) => readOneOf(name, `${field}[${index}]`, allowed)))];
}

function readTimeRange(value: unknown): TimeRange {
  const range = readFields(value, "time_range", ["start", "end"]);
  const start = readTimestamp(range["start"], "time_range.start");
  const end = readTimestamp(range["end"], "time_range.end");
  if (end <= start) throw wrong("time_range.end", range["end"], "a time after time_range.start");
  return { start, end };
}

function readOrderBy(
  value: unknown,
  metrics: readonly Metric[],
  dimensions: readonly DimensionName[],
): OrderBy {
  const order = readFields(value, "order_by", ["field", "direction"]);
  const allowed = [...metrics, "request_count", ...dimensions, "date"] as const;
  readText(order["field"], "order_by.field");
  return {
    field: readOneOf(order["field"], "order_by.field", allowed),
    direction: readOneOf(order["direction"], "order_by.direction", ["asc", "desc"]),
  };
}
