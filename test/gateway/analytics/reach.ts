import { wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { Switches } from "../switches.ts";
import { DAY, HOUR } from "../windows.ts";
import { dimensionTable } from "./dimensions.ts";
import { metricTable } from "./metrics.ts";
import type { AnalyticsRequest, TimeRange } from "./request.ts";

const SHORT_REACH_DAYS = 31;
const LONG_REACH_DAYS = 367;
/** The longest ranges of the fine granularities. */
const MOST_HOURS_MS = 31 * DAY;
const MOST_MINUTES_MS = 3 * HOUR;

/** The request's range, by default all that the service reaches. A range beyond its reach is a 400, never a truncation. */
export function reachableRange(request: AnalyticsRequest, switches: Switches, now: number): TimeRange {
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
