import { additiveInteger, isRate, metricNames, rateValue } from "./metrics.ts";
import type { Row } from "./query.ts";
import type { AnalyticsRequest, OrderBy } from "./request.ts";

export type Page = { readonly rows: readonly Row[]; readonly truncated: boolean };

/** Orders the rows, then truncates them: first per group, then overall. */
export function orderAndCut(rows: readonly Row[], request: AnalyticsRequest): Page {
  const ordered = rows.toSorted(request.orderBy === null ? newestFirst : byOrder(request.orderBy));
  const isGrouped = request.dimensions.length > 0 || request.classifierDimensions !== null;
  const kept = isGrouped && request.groupLimit !== null ? cutGroups(ordered, request.groupLimit) : ordered;
  const isTimeSeries = request.granularity !== null && isGrouped;
  // A time series without an explicit group_limit is never truncated: the limit is raised to fit it (2.1 rules 2 and 3).
  const limit = isTimeSeries && request.groupLimit === null ? Number.POSITIVE_INFINITY : request.limit;
  return { rows: kept.slice(0, limit), truncated: kept.length < rows.length || kept.length > limit };
}

function cutGroups(rows: readonly Row[], groupLimit: number): readonly Row[] {
  const counts = new Map<string, number>();
  return rows.filter(({ group }) => {
    const count = (counts.get(group.name) ?? 0) + 1;
    counts.set(group.name, count);
    return count <= groupLimit;
  });
}

/** The default order: newest first, then by identifier. Deliberately not by a metric. */
function newestFirst(left: Row, right: Row): number {
  return compare(right.bucket, left.bucket) || compare(left.group.name, right.group.name);
}

function byOrder(order: OrderBy): (left: Row, right: Row) => number {
  const sign = order.direction === "asc" ? 1 : -1;
  const valueOf = createReader(order.field);
  return (left, right) => {
    const [a, b] = [valueOf(left), valueOf(right)];
    if (a === null || b === null) {
      // Null comes last in both directions.
      if (a !== b) return a === null ? 1 : -1;
      return newestFirst(left, right);
    }
    return sign * compare(a, b) || newestFirst(left, right);
  };
}

function createReader(field: OrderBy["field"]): (row: Row) => string | number | null {
  if (field === "date") return (row) => row.bucket;
  const metric = metricNames.find((name) => name === field);
  if (metric === undefined) {
    return ({ group }) => [...group.members].find(([name]) => name === field)?.[1]?.label ?? null;
  }
  if (isRate(metric)) return (row) => rateValue(metric, row.sums);
  return (row) => additiveInteger(metric, row.sums);
}

function compare(left: string | number | null, right: string | number | null): number {
  if (left === right || left === null || right === null) return 0;
  return left < right ? -1 : 1;
}
