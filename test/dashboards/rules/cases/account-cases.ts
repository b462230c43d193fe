import { accountFamilies as families } from "../../../../exporter/collectors/account-families.ts";
import { usageFamiliesOf } from "../../../../exporter/collectors/analytics-families.ts";
import { discoveryFamilies } from "../../../../exporter/collectors/discovery-families.ts";
import { unwatchedFamilies } from "../../../../exporter/collectors/unwatched-families.ts";
import { selfFamilies } from "../../../../exporter/metrics/self-families.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";
import { type AlertCase, casesOf, eachMinute, exposed, HOUR } from "./alert-case.ts";

/** Each account belongs to a different job. */
const of = casesOf("AIGatewayAccount", "job", {});
const ofWorkspace = casesOf("AIGatewayDiscovery", "workspace", {});
const ofKeys = casesOf("AIGatewayUnwatched", "job", {});
const [critical, warning, info] = ["critical", "warning", "info"];

/** Alerts on the balance of an account that has bought 100 credits, and on the list of its keys. */
export const accountCases: readonly AlertCase[] = [
  of(
    "Exhausted",
    critical,
    "spent",
    "nothing is left from minute 100 on",
    uses("spent", (minute) => minute),
    105,
  ),
  of(
    "Exhausted",
    critical,
    "stuck",
    "too little for a call is left and nothing is spent",
    uses("stuck", (minute) => (99.6 / 60) * Math.min(minute, 60)),
    95,
  ),
  of(
    "Exhausted",
    critical,
    "resting",
    "spending has stopped and enough is left",
    uses("resting", (minute) => (80 / 60) * Math.min(minute, 60)),
  ),
  of(
    "Exhausted",
    critical,
    "invoiced",
    "it never bought credits",
    uses("invoiced", (minute) => minute, 0),
  ),
  of("Exhausted", critical, "old-account", "nothing is left in figures of an hour ago", [
    ...uses("old-account", (minute) => (minute < 60 ? 0 : 100)).slice(0, -1),
    ...answered("old-account", () => 0),
  ]),
  of(
    "ExhaustionImminent",
    critical,
    "ebbing-account",
    "four hours are left",
    perHour("ebbing-account", 10),
    71,
  ),
  of(
    "ExhaustionImminent",
    critical,
    "flowing-account",
    "five hours are left at the end",
    perHour("flowing-account", 3.8),
  ),
  of(
    "ExhaustionPredicted",
    warning,
    "daylong-account",
    "less than a day is left",
    perHour("daylong-account", 2.2),
    390,
  ),
  of("ExhaustionPredicted", warning, "longer-account", "two days are left", perHour("longer-account", 0.9)),
  of(
    "ExhaustionImminent",
    critical,
    "sixth-hour",
    "four hours are left at the rates of one hour and of six",
    uses("sixth-hour", (minute) => minute / 6),
    371,
  ),
  of(
    "ExhaustionImminent",
    critical,
    "sprint",
    "the last hour alone leaves less than an hour",
    uses("sprint", (minute) => Math.max(0, minute - 400)),
    461,
  ),
  of(
    "ExhaustionImminent",
    critical,
    "burst-account",
    "it is used up within five minutes",
    uses("burst-account", (minute) => 50 + 10 * Math.min(Math.max(minute - 60, 0), 5)),
  ),
  of(
    "ExhaustionPredicted",
    warning,
    "drained-account",
    "it is used up after six hours and a quarter",
    uses("drained-account", (minute) => 50 + 8 * Math.min(minute / HOUR, 6.25)),
  ),
  of(
    "ExhaustionPredicted",
    warning,
    "rising-account",
    "the last hour's rate leaves 14 hours, that of six hours two days",
    uses("rising-account", (minute) => 50 + minute / 120 + Math.max(minute - 390, 0) / 24),
  ),
  of(
    "DataStale",
    warning,
    "stale-account",
    "has had no answer since minute 60",
    answered("stale-account", (minute) => Math.min(minute, 60)),
    131,
  ),
  of(
    "DataStale",
    warning,
    "slow-account",
    "gets an answer every 50 minutes",
    answered("slow-account", (minute) => minute - (minute % 50)),
  ),
  of("DataStale", warning, "seldom-account", "is asked every 20 minutes and answers every 80", [
    ...answered("seldom-account", (minute) => minute - (minute % 80)),
    exposed(selfFamilies.pollInterval, { collector: "analytics" }, () => 1200, "seldom-account"),
  ]),
  ofWorkspace(
    "Failing",
    warning,
    "failing",
    "is not listed from minute 60 on",
    listed("failing", 60, 480),
    90,
  ),
  ofWorkspace("Failing", warning, "failed", "is not listed for 29 minutes", listed("failed", 60, 89)),
  ofWorkspace(
    "Failing",
    warning,
    "never-listed",
    "has never been listed",
    [exposed(discoveryFamilies.up, { workspace: "never-listed" }, () => 0)],
    30,
  ),
  ofWorkspace("Failing", warning, "unlistable", "the listing that never failed has no time yet", [
    exposed(discoveryFamilies.up, { workspace: "unlistable" }, () => 1),
  ]),
  ofKeys("Spend", info, "leaky", "an unknown key spends from minute 60 on", unwatched("leaky", 0.5), 75),
  ofKeys("Spend", info, "watched", "no unknown key spends", unwatched("watched", 0)),
  ofKeys("Spend", info, "nearly-watched", "unknown keys spend a cent", unwatched("nearly-watched", 0.01)),
  ofKeys("Spend", info, "unqueried", "the spend of all keys is not known", [
    seriesOf(
      unwatchedFamilies.day.name,
      { job: "unqueried", instance: "a:9853" },
      eachMinute(() => 5),
    ),
  ]),
  ofKeys("Spend", info, "unspent", "no model has spent anything", [
    exposed(usageFamiliesOf.day.credits, { model: "m", app: "a" }, () => 0, "unspent"),
    seriesOf(
      unwatchedFamilies.day.name,
      { job: "unspent", instance: "a:9853" },
      eachMinute(() => 5),
    ),
  ]),
  ofKeys("Spend", info, "unresolved", "it is not known", unwatched("unresolved", null)),
];

function uses(job: string, used: (minute: number) => number, bought = 100): readonly InputSeries[] {
  return [
    exposed(families.bought, {}, () => bought, job),
    exposed(families.used, {}, used, job),
    exposed(families.balance, {}, (minute) => bought - used(minute), job),
    exposed(families.lastSuccess, {}, (minute) => minute * 60, job),
  ];
}

function perHour(job: string, credits: number): readonly InputSeries[] {
  return uses(job, (minute) => 50 + (credits * minute) / HOUR);
}

function answered(job: string, at: (minute: number) => number): readonly InputSeries[] {
  return [exposed(families.lastSuccess, {}, (minute) => at(minute) * 60, job)];
}

function listed(workspace: string, from: number, to: number): readonly InputSeries[] {
  const isUp = (minute: number) => minute < from || minute >= to;
  return [
    exposed(discoveryFamilies.up, { workspace }, (minute) => Number(isUp(minute))),
    exposed(discoveryFamilies.lastSuccess, { workspace }, (minute) => (isUp(minute) ? minute : from) * 60),
  ];
}

function unwatched(job: string, credits: Value): readonly InputSeries[] {
  const spent = eachMinute((minute) => (minute < 60 ? 0 : credits));
  return [
    exposed(usageFamiliesOf.day.credits, { model: "m", app: "a" }, () => 5, job),
    exposed(usageFamiliesOf.day.credits, { model: "_other", app: "_other" }, () => 5, job),
    seriesOf(unwatchedFamilies.day.name, { job, instance: "a:9853" }, spent),
  ];
}
