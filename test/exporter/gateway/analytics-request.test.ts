import { describe, expect, test } from "vitest";
import { analyticsBody, type AnalyticsRequest } from "../../../exporter/gateway/analytics-request.ts";

const CLASSIFIER = "0b5c1f0a-5b1a-4a52-9d4e-0a1b2c3d4e5f";
const OTHER_CLASSIFIER = "1b5c1f0a-5b1a-4a52-9d4e-0a1b2c3d4e5f";
const METRICS = { metrics: ["total_usage"] };
const FILTER = { field: "model", operator: "eq", value: "acme/one" } as const;
const TAG_FILTER = { field: "team", operator: "eq", value: "search" } as const;
const noon = Date.UTC(2026, 10, 18, 12);

function many<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

/** The body as it is sent. */
function sent(request: AnalyticsRequest): unknown {
  return JSON.parse(JSON.stringify(analyticsBody(request)));
}

function tags(filters: readonly object[], classifierId = CLASSIFIER) {
  return { classifierFilters: { classifierId, filters } };
}

describe("analyticsBody: what is refused before anything is sent (contract 2.1 to 2.3, 8)", () => {
  const list = "must be a list for the operators in and not_in, and a single value for the others";
  test.each<[string, object, string]>([
    ["no metrics", { metrics: [] }, "metrics: needs at least 1 item"],
    ["an unnamed metric", { metrics: [""] }, "metrics.0: Too small: expected string to have >=1 characters"],
    ["three dimensions", { dimensions: ["model", "app", "user"] }, "dimensions: has at most 2 items"],
    ["21 filters", { filters: many(21, FILTER) }, "filters: has at most 20 items"],
    [
      "an unknown operator",
      { filters: [{ ...FILTER, operator: "like" }] },
      'filters.0.operator: Invalid option: expected one of "eq"|"neq"|"gt"|"gte"|"lt"|"lte"|"in"|"not_in"',
    ],
    ["a list for eq", { filters: [{ ...FILTER, value: ["a"] }] }, `filters.0.value: ${list}`],
    ["one value for in", { filters: [{ ...FILTER, operator: "in" }] }, `filters.0.value: ${list}`],
    [
      "one value for not_in",
      { filters: [FILTER, { ...FILTER, operator: "not_in" }] },
      `filters.1.value: ${list}`,
    ],
    ["a value of another type", { filters: [{ ...FILTER, value: true }] }, "filters.0.value: Invalid input"],
    [
      "include_unset for eq",
      { filters: [{ ...FILTER, includeUnset: true }] },
      "filters.0.includeUnset: applies to the operators in and not_in only",
    ],
    [
      "an unknown granularity",
      { granularity: "year" },
      'granularity: Invalid option: expected one of "minute"|"hour"|"day"|"week"|"month"',
    ],
    [
      "a range without an end",
      { timeRange: { startMs: noon } },
      "timeRange.endMs: Invalid input: expected number, received undefined",
    ],
    ["an empty range", { timeRange: { startMs: noon, endMs: noon } }, "timeRange: must end after it starts"],
    [
      "a range that runs back",
      { timeRange: { startMs: noon, endMs: 0 } },
      "timeRange: must end after it starts",
    ],
    [
      "a time that is no instant",
      { timeRange: { startMs: 0.5, endMs: noon } },
      "timeRange.startMs: Invalid input: expected int, received number",
    ],
    [
      "a time before 1970",
      { timeRange: { startMs: -1, endMs: noon } },
      "timeRange.startMs: must be a time from the year 1970 to 9999",
    ],
    [
      "a time with a year of five digits",
      { timeRange: { startMs: noon, endMs: Date.UTC(10_000, 0) } },
      "timeRange.endMs: must be a time from the year 1970 to 9999",
    ],
    ["a limit of 0", { limit: 0 }, "limit: must be 1 or more"],
    ["half a row", { limit: 1.5 }, "limit: Invalid input: expected int, received number"],
    ["a group limit of 0", { groupLimit: 0 }, "groupLimit: must be 1 or more"],
    [
      "an order by a metric that is not asked for",
      { dimensions: ["model"], orderBy: { field: "tokens_total", direction: "desc" } },
      'orderBy.field: must be one of total_usage, request_count, model, date: current value is "tokens_total"',
    ],
    [
      "an order without a direction",
      { orderBy: { field: "date" } },
      'orderBy.direction: Invalid option: expected one of "asc"|"desc"',
    ],
    [
      "a classifier that is no UUID",
      { classifierDimensions: { classifierId: "team" } },
      "classifierDimensions.classifierId: Invalid UUID",
    ],
    [
      "three tags",
      { classifierDimensions: { classifierId: CLASSIFIER, dimensionNames: ["a", "b", "c"] } },
      "classifierDimensions.dimensionNames: has at most 2 items",
    ],
    [
      "a tag that is not snake_case",
      { classifierDimensions: { classifierId: CLASSIFIER, dimensionNames: ["costCenter"] } },
      "classifierDimensions.dimensionNames.0: is not a snake_case identifier",
    ],
    ["no tag filters", tags([]), "classifierFilters.filters: has 1 to 10 items"],
    ["11 tag filters", tags(many(11, TAG_FILTER)), "classifierFilters.filters: has 1 to 10 items"],
    [
      "an operator that tags do not have",
      tags([{ ...TAG_FILTER, operator: "gt" }]),
      'classifierFilters.filters.0.operator: Invalid option: expected one of "eq"|"neq"|"in"|"not_in"',
    ],
    [
      "a tag filter that is not snake_case",
      tags([{ ...TAG_FILTER, field: "Team" }]),
      "classifierFilters.filters.0.field: is not a snake_case identifier",
    ],
    [
      "a list for a tag's eq",
      tags([{ ...TAG_FILTER, value: ["a"] }]),
      `classifierFilters.filters.0.value: ${list}`,
    ],
    [
      "a tag filter without a value",
      tags([{ field: "team", operator: "eq" }]),
      "classifierFilters.filters.0.value: Invalid input",
    ],
    [
      "filters of another classifier",
      { classifierDimensions: { classifierId: OTHER_CLASSIFIER }, ...tags([TAG_FILTER]) },
      "classifierFilters.classifierId: must equal classifierDimensions.classifierId",
    ],
    ["an unknown field", { time_range: {} }, 'the request: Unrecognized key: "time_range"'],
  ])("%s", (_, change, wanted) => {
    const request: AnalyticsRequest = { ...METRICS, ...change };
    expect(() => analyticsBody(request)).toThrow(new RangeError(`Cannot query the analytics: ${wanted}`));
  });

  test("names every problem at once", () => {
    expect(() => analyticsBody({ metrics: [], limit: 0 })).toThrow(
      new RangeError("Cannot query the analytics: metrics: needs at least 1 item; limit: must be 1 or more"),
    );
  });
});

describe("analyticsBody: what is just within the bounds", () => {
  test.each<[string, Partial<AnalyticsRequest>]>([
    ["two dimensions", { dimensions: ["model", "app"] }],
    ["no dimensions", { dimensions: [] }],
    ["20 filters", { filters: many(20, FILTER) }],
    ["a list for in", { filters: [{ field: "model", operator: "in", value: ["a", 1], includeUnset: true }] }],
    ["a millisecond", { timeRange: { startMs: noon, endMs: noon + 1 } }],
    ["a limit of 1", { limit: 1, groupLimit: 1 }],
    ["two tags", { classifierDimensions: { classifierId: CLASSIFIER, dimensionNames: ["a", "b_2"] } }],
    ["one tag filter", { classifierFilters: { classifierId: CLASSIFIER, filters: [TAG_FILTER] } }],
    ["10 tag filters", { classifierFilters: { classifierId: CLASSIFIER, filters: many(10, TAG_FILTER) } }],
    [
      "filters of the same classifier",
      {
        classifierDimensions: { classifierId: CLASSIFIER },
        classifierFilters: { classifierId: CLASSIFIER, filters: [TAG_FILTER] },
      },
    ],
    ["an order by a metric", { orderBy: { field: "total_usage", direction: "asc" } }],
    [
      "an order by request_count, asked for or not",
      { orderBy: { field: "request_count", direction: "desc" } },
    ],
    ["an order by a dimension", { dimensions: ["app"], orderBy: { field: "app", direction: "asc" } }],
    ["an order by date", { orderBy: { field: "date", direction: "asc" } }],
  ])("%s", (_, change) => {
    expect(() => analyticsBody({ ...METRICS, ...change })).not.toThrow();
  });
});

describe("analyticsBody: the body as sent", () => {
  test("has nothing but what was asked for", () => {
    expect(sent(METRICS)).toEqual({ metrics: ["total_usage"] });
  });

  test("has the names of the contract, and times with seconds", () => {
    const request: AnalyticsRequest = {
      metrics: ["total_usage", "request_count"],
      dimensions: ["model", "app"],
      filters: [FILTER, { field: "app", operator: "not_in", value: [5001], includeUnset: true }],
      granularity: "day",
      timeRange: { startMs: Date.UTC(2026, 10, 1), endMs: noon + 1 },
      limit: 1000,
      groupLimit: 31,
      orderBy: { field: "total_usage", direction: "desc" },
      classifierDimensions: { classifierId: CLASSIFIER, dimensionNames: ["team"], includeNulls: true },
      classifierFilters: { classifierId: CLASSIFIER, filters: [TAG_FILTER] },
    };
    expect(sent(request)).toEqual({
      metrics: ["total_usage", "request_count"],
      dimensions: ["model", "app"],
      filters: [FILTER, { field: "app", operator: "not_in", value: [5001], include_unset: true }],
      granularity: "day",
      time_range: { start: "2026-11-01T00:00:00.000Z", end: "2026-11-18T12:00:00.001Z" },
      limit: 1000,
      group_limit: 31,
      order_by: { field: "total_usage", direction: "desc" },
      classifier_dimensions: { classifier_id: CLASSIFIER, dimension_names: ["team"], include_nulls: true },
      classifier_filters: { classifier_id: CLASSIFIER, filters: [TAG_FILTER] },
    });
  });
});
