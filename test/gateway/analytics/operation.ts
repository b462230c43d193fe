import { type Answer, jsonAnswer } from "../answer.ts";
import { requireManagement } from "../auth.ts";
import { staleTime } from "../key-operation.ts";
import type { Call, Context } from "../context.ts";
import { wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { Switches } from "../switches.ts";
import { DAY, dayStart, MINUTE, MONDAY, monthStart, SUNDAY } from "../windows.ts";
import type { Key } from "../entities.ts";
import { refuseUnknownClassifier } from "./classifiers.ts";
import { resolveHashes } from "./filters.ts";
import { orderAndCut } from "./order.ts";
import { runQuery } from "./query.ts";
import { reachableRange } from "./reach.ts";
import { type AnalyticsRequest, parseAnalyticsRequest, type TimeRange } from "./request.ts";
import { renderRows } from "./rows.ts";

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
    firstWeekday: switches.weeksStartOn === "sunday" ? SUNDAY : MONDAY,
  });
  const page = orderAndCut(rows, request);
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
  const { classifierDimensions, classifierFilters } = request;
  if (classifierDimensions !== null) {
    const field = "classifier_dimensions.classifier_id";
    refuseUnknownClassifier(context.world, classifierDimensions.classifierId, field);
  }
  if (classifierFilters !== null) {
    const field = "classifier_filters.classifier_id";
    refuseUnknownClassifier(context.world, classifierFilters.classifierId, field);
  }
}

/** Refuses the names and the long filters that the switches exclude. */
function refuseExcluded(request: AnalyticsRequest, switches: Switches): void {
  const { missingMetrics, missingDimensions, mostFilterValues } = switches;
  for (const name of request.metrics) {
    if (missingMetrics.includes(name)) throw wrong("metrics", name, "a known metric");
  }
  for (const name of [...request.dimensions, ...request.filters.map(({ field }) => field)]) {
    if (missingDimensions.includes(name)) throw wrong("dimensions", name, "a known dimension");
  }
  for (const { values } of request.filters) {
    if (mostFilterValues === null || values.length <= mostFilterValues) continue;
    throw new Refusal(
      400,
      `Invalid "filters": expected at most ${mostFilterValues} values, got ${values.length}`,
    );
  }
}

/** Replaces a window that began at this midnight with the previous one. */
function yesterdaysRange(range: TimeRange, now: number): TimeRange {
  const midnight = dayStart(now);
  if (range.start < midnight || range.start === Number.NEGATIVE_INFINITY) return range;
  const isMonth = midnight === monthStart(now) && range.end - range.start > DAY;
  return { start: isMonth ? monthStart(now, -1) : midnight - DAY, end: midnight };
}
