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
    "fails from minute 60 on",
    up("day", (minute) => minute < 60),
    130,
  ),
  of(
    "Stale",
    "warning",
    "last_day",
    "never gets an answer",
    up("last_day", () => false),
    70,
  ),
  of(
    "Stale",
    "warning",
    "last_month",
    "runs hourly, and fails once",
    up("last_month", (minute) => minute % 120 < 60),
  ),
  of("Truncated", "info", "day", "is truncated", truncated("day", 10, 480), 40),
  of("Truncated", "info", "month", "is truncated for 29 minutes", truncated("month", 10, 39)),
];

function up(query: string, isUp: (minute: number) => boolean): readonly InputSeries[] {
  return [exposed(families.up, { query }, (minute) => Number(isUp(minute)))];
}

function truncated(query: string, from: number, to: number): readonly InputSeries[] {
  return [exposed(families.truncated, { query }, (minute) => Number(minute >= from && minute < to))];
}
