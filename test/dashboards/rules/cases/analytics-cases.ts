import { queryFamilies as families } from "../../../../exporter/collectors/analytics-families.ts";
import type { InputSeries } from "../input-series.ts";
import { type AlertCase, casesOf, exposed } from "./alert-case.ts";

const of = casesOf("AIGatewayAnalytics", "query", {});

/** Alerts on the analytics. */
export const analyticsCases: readonly AlertCase[] = [
  of(
    "Stale",
    "warning",
    "day",
    "has had no answer since minute 60",
    answered("day", (minute) => Math.min(minute, 60)),
    131,
  ),
  of(
    "Stale",
    "warning",
    "month",
    "gets an answer every hour",
    answered("month", (minute) => minute - (minute % 60)),
  ),
  of(
    "Stale",
    "warning",
    "last_month",
    "gets an answer every two hours",
    answered("last_month", (minute) => minute - (minute % 120)),
  ),
  of(
    "Stale",
    "warning",
    "last_day",
    "never gets an answer",
    [exposed(families.up, { query: "last_day" }, () => 0)],
    10,
  ),
  of("Truncated", "info", "day", "is truncated", truncated("day", 10, 480), 40),
  of("Truncated", "info", "month", "is truncated for 29 minutes", truncated("month", 10, 39)),
];

function answered(query: string, at: (minute: number) => number): readonly InputSeries[] {
  return [exposed(families.lastSuccess, { query }, (minute) => at(minute) * 60)];
}

function truncated(query: string, from: number, to: number): readonly InputSeries[] {
  return [exposed(families.truncated, { query }, (minute) => Number(minute >= from && minute < to))];
}
