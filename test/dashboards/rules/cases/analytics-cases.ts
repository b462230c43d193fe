import { queryFamilies as families } from "../../../../exporter/collectors/analytics-families.ts";
import { selfFamilies } from "../../../../exporter/metrics/self-families.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import type { InputSeries } from "../input-series.ts";
import { type AlertCase, casesOf, exposed } from "./alert-case.ts";

const of = casesOf("AIGatewayAnalytics", "query", {});
const ofJob = casesOf("AIGatewayAnalytics", "job", { query: "last_month" });
const SELDOM = "queries-seldom";
const ofSeldom = casesOf("AIGatewayAnalytics", "query", { job: SELDOM });

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
  ofJob(
    "Stale",
    "warning",
    "slow-last-month",
    "the query last_month gets an answer every two hours",
    answered("last_month", (minute) => minute - (minute % 120), "slow-last-month"),
  ),
  ofJob(
    "Stale",
    "warning",
    "no-last-month",
    "the query last_month has had no answer since minute 60",
    answered("last_month", (minute) => Math.min(minute, 60), "no-last-month"),
    311,
  ),
  of(
    "Stale",
    "warning",
    "users-yesterday",
    "a configured query of the last day misses one of its hourly answers",
    yesterday("users-yesterday", (minute) => minute - (minute % 120)),
  ),
  of(
    "Stale",
    "warning",
    "gone-yesterday",
    "a configured query of the last day has had no answer since minute 60, and shows none since minute 240",
    yesterday("gone-yesterday", (minute) => Math.min(minute, 60)),
    275,
  ),
  of(
    "Stale",
    "warning",
    "often",
    "ends at the present, and gets an answer every two hours",
    [
      ...answered("often", (minute) => minute - (minute % 120)),
      exposed(families.windowEnd, { query: "often" }, (minute) => (minute - (minute % 120)) * 60 + 1),
    ],
    71,
  ),
  ofSeldom("Stale", "warning", "week", "runs every half an hour and gets every fourth answer", [
    ...answered("week", (minute) => minute - (minute % 120), SELDOM),
    exposed(selfFamilies.pollInterval, { collector: "analytics" }, () => 1800, SELDOM),
  ]),
  of("Stale", "warning", "last_week", "every query fails for twenty minutes", [
    ...answered("last_week", (minute) => (minute > 60 && minute < 80 ? 60 : minute)),
    exposed(families.up, { query: "last_week" }, (minute) => Number(minute <= 60 || minute >= 80)),
  ]),
  of("Stale", "warning", "today", "the first query succeeded, and no series has its time yet", [
    exposed(families.up, { query: "today" }, () => 1),
  ]),
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

function answered(query: string, at: (minute: number) => number, job = JOB): readonly InputSeries[] {
  return [exposed(families.lastSuccess, { query }, (minute) => at(minute) * 60, job)];
}

/** A query of the last day, whose answers are shown for three hours. */
function yesterday(query: string, at: (minute: number) => number): readonly InputSeries[] {
  const shown = (minute: number) => (minute - at(minute) < 180 ? 0 : null);
  return [...answered(query, at), exposed(families.windowEnd, { query }, shown)];
}

function truncated(query: string, from: number, to: number): readonly InputSeries[] {
  return [exposed(families.truncated, { query }, (minute) => Number(minute >= from && minute < to))];
}
