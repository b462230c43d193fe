import { z } from "zod";

const scalar = z.union([z.string(), z.number()]);
const snakeCase = z.string().regex(/^[a-z][a-z0-9_]*$/, "is not a snake_case identifier");
/** Years of four digits: what ISO 8601 can write without an agreement. */
const instant = z
  .int()
  .refine((ms) => ms >= 0 && ms < Date.UTC(10_000, 0), "must be a time from the year 1970 to 9999");
const isList = (operator: string) => operator === "in" || operator === "not_in";

const Filter = z
  .strictObject({
    /** A dimension; the value is its underlying identifier, not the label that answers show (contract 2.1). */
    field: z.string().min(1),
    operator: z.enum(["eq", "neq", "gt", "gte", "lt", "lte", "in", "not_in"]),
    value: z.union([scalar, z.array(scalar)]),
    includeUnset: z.boolean().optional(),
  })
  .refine((filter) => isList(filter.operator) === Array.isArray(filter.value), {
    path: ["value"],
    message: "must be a list for the operators in and not_in, and a single value for the others",
  })
  .refine((filter) => filter.includeUnset === undefined || isList(filter.operator), {
    path: ["includeUnset"],
    message: "applies to the operators in and not_in only",
  });

const ClassifierFilter = z
  .strictObject({
    field: snakeCase,
    operator: z.enum(["eq", "neq", "in", "not_in"]),
    value: z.union([scalar, z.array(scalar)]),
  })
  .refine((filter) => isList(filter.operator) === Array.isArray(filter.value), {
    path: ["value"],
    message: "must be a list for the operators in and not_in, and a single value for the others",
  });

/** The question of `POST /analytics/query` with the bounds of the contract (2.1 to 2.3, 8). Times are epoch milliseconds. */
const Request = z
  .strictObject({
    metrics: z.array(z.string().min(1)).min(1, "needs at least 1 item"),
    dimensions: z.array(z.string().min(1)).max(2, "has at most 2 items").optional(),
    filters: z.array(Filter).max(20, "has at most 20 items").optional(),
    granularity: z.enum(["minute", "hour", "day", "week", "month"]).optional(),
    timeRange: z
      .strictObject({ startMs: instant, endMs: instant })
      .refine((range) => range.startMs < range.endMs, "must end after it starts")
      .optional(),
    limit: z.int().min(1, "must be 1 or more").optional(),
    groupLimit: z.int().min(1, "must be 1 or more").optional(),
    orderBy: z.strictObject({ field: z.string(), direction: z.enum(["asc", "desc"]) }).optional(),
    classifierDimensions: z
      .strictObject({
        classifierId: z.uuid(),
        dimensionNames: z.array(snakeCase).max(2, "has at most 2 items").optional(),
        includeNulls: z.boolean().optional(),
      })
      .optional(),
    classifierFilters: z
      .strictObject({
        classifierId: z.uuid(),
        filters: z.array(ClassifierFilter).min(1, "has 1 to 10 items").max(10, "has 1 to 10 items"),
      })
      .optional(),
  })
  .superRefine((request, context) => {
    const orderable = [...request.metrics, "request_count", ...(request.dimensions ?? []), "date"];
    if (request.orderBy && !orderable.includes(request.orderBy.field)) {
      context.addIssue({
        code: "custom",
        path: ["orderBy", "field"],
        message: `must be one of ${orderable.join(", ")}: current value is "${request.orderBy.field}"`,
      });
    }
    const [grouped, filtered] = [request.classifierDimensions, request.classifierFilters];
    if (grouped && filtered && grouped.classifierId !== filtered.classifierId) {
      context.addIssue({
        code: "custom",
        path: ["classifierFilters", "classifierId"],
        message: "must equal classifierDimensions.classifierId",
      });
    }
  });

export type AnalyticsRequest = z.input<typeof Request>;

/**
 * The JSON body of a request.
 * @throws RangeError that names every field outside the contract's bounds, before anything is sent.
 */
export function analyticsBody(request: AnalyticsRequest): object {
  const checked = Request.safeParse(request);
  if (!checked.success) {
    const problems = checked.error.issues.map(
      (issue) => `${issue.path.map(String).join(".") || "the request"}: ${issue.message}`,
    );
    throw new RangeError(`Cannot query the analytics: ${problems.join("; ")}`);
  }
  const { timeRange, classifierDimensions, classifierFilters, ...rest } = checked.data;
  return {
    metrics: rest.metrics,
    dimensions: rest.dimensions,
    filters: rest.filters?.map(({ includeUnset, ...filter }) => ({ ...filter, include_unset: includeUnset })),
    granularity: rest.granularity,
    // ISO 8601 with seconds and milliseconds: minute precision is refused (contract 2.1, rule 1).
    time_range: timeRange && {
      start: new Date(timeRange.startMs).toISOString(),
      end: new Date(timeRange.endMs).toISOString(),
    },
    limit: rest.limit,
    group_limit: rest.groupLimit,
    order_by: rest.orderBy,
    classifier_dimensions: classifierDimensions && {
      classifier_id: classifierDimensions.classifierId,
      dimension_names: classifierDimensions.dimensionNames,
      include_nulls: classifierDimensions.includeNulls,
    },
    classifier_filters: classifierFilters && {
      classifier_id: classifierFilters.classifierId,
      filters: classifierFilters.filters,
    },
  };
}
