import { type Answer, jsonAnswer } from "../answer.ts";
import { staleTime } from "../key-operation.ts";
import { type Call, type Context, requireManagement } from "../context.ts";
import { wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { Switches } from "../switches.ts";
import { DAY, HOUR, MINUTE, dayStart, monthStart } from "../windows.ts";
import type { Key } from "../entities.ts";
import { refuseUnknownClassifier } from "./classifiers.ts";
import { resolveHashes } from "./filters.ts";
import { type Row, runQuery } from "./query.ts";
import { type AnalyticsRequest, type OrderBy, type TimeRange, parseAnalyticsRequest } from "./request.ts";
import { type DimensionName, type Member, dimensionTable } from "./dimensions.ts";
import {
  type Metric,
  type Sums,
  additiveInteger,
  isMoney,
  isRate,
  metricNames,
  metricTable,
  rateValue,
} from "./metrics.ts";

/** POST /analytics/query (2.1 to 2.4). */
export function answerAnalytics(context: Context, call: Call): Answer {
  const { switches, clock, ledger, world } = context;
  const now = clock.now();
  countCall(context, call.key, now);
  requireManagement(call.key);
  if (call.contentType?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new Refusal(
      400,
      `Invalid "Content-Type": expected application/json, got "${call.contentType ?? ""}"`,
    );
  }
  const request = parseAnalyticsRequest(call.body);
  refuseUnknownClassifiers(context, request);
  refuseExcluded(request, switches);
  const range = reachableRange(request, switches, now);
  const { filters, warnings } = resolveHashes(request.filters, world, call.key.account);
  const isStale = staleTime(now, switches.staleAfterMidnightMs) !== now;
  const rows = runQuery(ledger, {
    request,
    filters,
    account: call.key.account,
    range: isStale ? yesterdaysRange(range, now) : range,
    knownAt: now - switches.lagMs,
  });
  const page = orderAndCut(rows, request, switches);
  context.counters.analyticsAnswers += 1;
  const data = renderRows(page.rows, request, switches, context.counters.analyticsAnswers % 2 === 0);
  return jsonAnswer({
    data: {
      data,
      metadata: { query_time_ms: 1, row_count: data.length, truncated: page.truncated },
      ...(switches.cachedAt ? { cachedAt: now } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
}

/** The endpoint's own rate limit: valid and invalid calls per key and minute of the gateway's clock. */
function countCall(context: Context, key: Key, now: number): void {
  const { switches, counters } = context;
  const limit = switches.analyticsRequestsPerMinute;
  const minute = Math.floor(now / MINUTE);
  const name = `${key.id} ${minute}`;
  const used = counters.callsPerMinute.get(name) ?? 0;
  if (limit !== null && used >= limit) {
    throw new Refusal(429, `Rate limit exceeded: ${limit} analytics requests per minute`, {
      metadata: { error_type: "rate_limit_exceeded" },
      hitLimit: { limit, remaining: 0, resetAt: (minute + 1) * MINUTE },
    });
  }
  if (used === 0) counters.callsPerMinute.clear();
  counters.callsPerMinute.set(name, used + 1);
}

function refuseUnknownClassifiers(context: Context, request: AnalyticsRequest): void {
  const { classifierDimensions } = request;
  if (classifierDimensions === null) return;
  const field = "classifier_dimensions.classifier_id";
  refuseUnknownClassifier(context.world, classifierDimensions.classifierId, field);
}

/** Refuses the names that the switches exclude. */
function refuseExcluded(request: AnalyticsRequest, { missingMetrics }: Switches): void {
  for (const name of request.metrics) {
    if (missingMetrics.includes(name)) throw wrong("metrics", name, "a known metric");
  }
}

/** Replaces a window that began at this midnight with the previous one. */
function yesterdaysRange(range: TimeRange, now: number): TimeRange {
  const midnight = dayStart(now);
  if (range.start < midnight || range.start === Number.NEGATIVE_INFINITY) return range;
  const isMonth = midnight === monthStart(now) && range.end - range.start > DAY;
  return { start: isMonth ? monthStart(now, -1) : midnight - DAY, end: midnight };
}

const SHORT_REACH_DAYS = 31;
const LONG_REACH_DAYS = 367;
/** The longest ranges of the fine granularities. */
const MOST_HOURS_MS = 31 * DAY;
const MOST_MINUTES_MS = 3 * HOUR;

/** The request's range, by default all that the service reaches. A range beyond its reach is a 400, never a truncation. */
function reachableRange(request: AnalyticsRequest, switches: Switches, now: number): TimeRange {
  const { timeRange, granularity } = request;
  const limits = [switches.reachDays, switches.rangeLimits ? reachDaysOf(request) : null];
  const reachDays = Math.min(...limits.map((days) => days ?? Number.POSITIVE_INFINITY));
  const earliest = now - reachDays * DAY;
  const range = timeRange ?? { start: earliest, end: Number.POSITIVE_INFINITY };
  if (range.start < earliest) {
    throw new Refusal(400, `Invalid "time_range.start": expected at most ${reachDays} days ago`);
  }
  if (!switches.rangeLimits) return range;
  const length = Math.min(range.end, now) - range.start;
  if (granularity === "hour" && length > MOST_HOURS_MS) {
    throw wrong("granularity", granularity, "a range of at most 31 days");
  }
  if (granularity === "minute" && length > MOST_MINUTES_MS) {
    throw wrong("granularity", granularity, "a range of at most 3 hours");
  }
  return range;
}

function reachDaysOf({ metrics, dimensions, filters }: AnalyticsRequest): number {
  const isShort =
    metrics.some((name) => metricTable[name].isShort) ||
    [...dimensions, ...filters.map(({ field }) => field)].some((name) => dimensionTable[name].isShort);
  return isShort ? SHORT_REACH_DAYS : LONG_REACH_DAYS;
}

type Page = { readonly rows: readonly Row[]; readonly truncated: boolean };

/** Orders the rows, then truncates them. */
function orderAndCut(rows: readonly Row[], request: AnalyticsRequest, { keepsRowLimit }: Switches): Page {
  const ordered = rows.toSorted(request.orderBy === null ? newestFirst : byOrder(request.orderBy));
  const isGrouped = request.dimensions.length > 0 || request.classifierDimensions !== null;
  // The limit is raised to fit a time series by dimensions (2.1 rules 2 and 3).
  const isRaised = request.granularity !== null && isGrouped && !keepsRowLimit;
  const limit = isRaised ? Number.POSITIVE_INFINITY : request.limit;
  return { rows: ordered.slice(0, limit), truncated: ordered.length > limit };
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

type WireRow = Record<string, string | number | null>;

/** Converts rows to wire format (2.4), as configured by the switches. */
function renderRows(
  rows: readonly Row[],
  request: AnalyticsRequest,
  switches: Switches,
  isOtherTurn: boolean,
): WireRow[] {
  const countsAsStrings =
    switches.numbersAs === "counts_as_strings" || (switches.numbersAs === "by_turns" && isOtherTurn);
  return rows.map(({ bucket, group, sums }) => {
    const row: WireRow = {};
    if (request.granularity !== null && bucket !== null) {
      row[`date__${request.granularity}`] = new Date(bucket).toISOString();
    }
    for (const [name, member] of group.members) {
      row[name] = renderMember(name, member);
      // The service adds this column unasked.
      if (name === "user") row["user_email"] = member === null ? null : emailOf(member);
      if (switches.extraColumns) row[`${name}_id`] = member?.id ?? null;
    }
    Object.assign(row, group.tags);
    for (const metric of request.metrics) {
      const value = renderMetric(metric, sums);
      const isCount = !isRate(metric) && !isMoney(metric);
      const asString = switches.numbersAs === "strings" || (countsAsStrings && isCount);
      row[metric] = asString && value !== null ? String(value) : value;
    }
    return row;
  });
}

function renderMember(name: DimensionName, member: Member): string | null {
  if (member !== null) return member.label;
  return name === "api_key_id" ? "Chatroom" : null;
}

function emailOf({ label }: NonNullable<Member>): string {
  return `${label.toLowerCase()}@people.example`;
}

function renderMetric(metric: Metric, sums: Sums): number | null {
  if (isRate(metric)) return rateValue(metric, sums);
  const integer = additiveInteger(metric, sums);
  return isMoney(metric) ? integer / 1e6 : integer;
}
