import type { AnalyticsRequest } from "../gateway/analytics-request.ts";
import type { Window } from "../time/window.ts";
import { USAGE_METRICS } from "./analytics-families.ts";

/** Asks for the dearest pairs of model and app; `rates` are metrics that cannot be added up. */
export function groupedQuestion(range: Window, rates: readonly string[] = []): AnalyticsRequest {
  return {
    metrics: [...USAGE_METRICS, ...rates],
    dimensions: ["model", "app"],
    timeRange: range,
    orderBy: { field: "total_usage", direction: "desc" },
    limit: ROW_LIMIT,
  };
}

/** Asks for the sum over all. */
export function totalQuestion(range: Window): AnalyticsRequest {
  return { metrics: [...USAGE_METRICS], timeRange: range };
}

/** The time range of a window that still runs: it ends now. */
export function runningRange({ startMs }: Window, askedAtMs: number): Window {
  // An empty range is refused, and a whole second is the least that every service can tell apart.
  return { startMs, endMs: Math.max(askedAtMs, startMs + 1000) };
}

/** The service's cap of one answer (contract 8): the top N is cut here and not by the service, so that twins can be summed. */
const ROW_LIMIT = 1000;
