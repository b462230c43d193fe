import {
  accountFamilies as families,
  unwatchedFamilies,
} from "../../../../exporter/collectors/account-families.ts";
import { usageFamiliesOf } from "../../../../exporter/collectors/analytics-families.ts";
import { discoveryFamilies } from "../../../../exporter/collectors/discovery-families.ts";
import type { Outlook } from "../../../../exporter/forecast/outlook.ts";
import { selfFamilies } from "../../../../exporter/metrics/self-families.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";
import { type AlertCase, casesOf, eachMinute, exposed, forecastOfAccount, since } from "./alert-case.ts";

/** Each account belongs to a different job. */
const of = casesOf("AIGatewayAccount", "job", {});
const ofWorkspace = casesOf("AIGatewayDiscovery", "workspace", {});
const ofKeys = casesOf("AIGatewayUnwatched", "job", {});
const ofFinding = casesOf("AIGatewayRisky", "finding", {});
const [critical, warning, info] = ["critical", "warning", "info"];

/** Alerts on the balance of an account, and on the list of its keys. */
export const accountCases: readonly AlertCase[] = [
  of("Exhausted", critical, "spent", "nothing announced it", account("spent", "exhausted"), 62),
  of("ExhaustionImminent", critical, "ebbing", "it is about to run out", account("ebbing", "imminent"), 62),
  of(
    "ExhaustionPredicted",
    warning,
    "ebbing",
    "the warning goes with the page",
    account("ebbing", "imminent"),
    62,
  ),
  of(
    "ExhaustionPredicted",
    warning,
    "flowing",
    "it runs out within a day",
    account("flowing", "predicted"),
    62,
  ),
  of("ExhaustionImminent", critical, "flowing", "it runs out within a day", account("flowing", "predicted")),
  of("ExhaustionSlow", warning, "steady", "it runs out within a week", account("steady", "slow"), 62),
  of("Exhaust.*", critical, "invoiced", "it never bought credits", account("invoiced", "unknown")),
  of("Exhaust.*", critical, "rich", "it lasts", account("rich", "lasts")),
  of("BalanceLow", warning, "low-account", "is at 9 of 10 from minute 60 on", balance("low-account", 9), 70),
  of("BalanceLow", warning, "at-threshold", "is exactly at the threshold", balance("at-threshold", 10)),
  of("BalanceLow", warning, "no-threshold", "no threshold is configured", balance("no-threshold", 9, null)),
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
  of(
    "DataStale",
    warning,
    "seldom-account",
    "is asked every 20 minutes and answers every 80",
    answered("seldom-account", (minute) => minute - (minute % 80), 1200),
  ),
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
  ofFinding("Keys", info, "no_limit", "a key has it from minute 60 on", found("no_limit", 1), 120),
  ofFinding("Keys", info, "unused", "no key has it", found("unused", null)),
  ofKeys("Spend", info, "leaky", "an unknown key spends from minute 60 on", unwatched("leaky", 0.5), 75),
  ofKeys("Spend", info, "watched", "no unknown key spends", unwatched("watched", 0)),
  ofKeys("Spend", info, "nearly-watched", "unknown keys spend a cent", unwatched("nearly-watched", 0.01)),
  ofKeys("Spend", info, "unresolved", "it is not known", unwatched("unresolved", null)),
];

function account(job: string, outlook: Outlook): readonly InputSeries[] {
  return forecastOfAccount(job, since(60, outlook));
}

/** A balance of 20, and another one from minute 60 on. */
function balance(job: string, left: number, threshold: Value = 10): readonly InputSeries[] {
  return [
    exposed(families.balance, {}, (minute) => (minute < 60 ? 20 : left), { job }),
    exposed(families.lowBalance, {}, () => threshold, { job }),
  ];
}

/** The account is asked every five minutes, or more rarely. */
function answered(job: string, at: (minute: number) => number, interval = 300): readonly InputSeries[] {
  return [
    exposed(families.lastSuccess, {}, (minute) => at(minute) * 60, { job }),
    exposed(selfFamilies.pollInterval, { collector: "analytics" }, () => interval, { job }),
  ];
}

function listed(workspace: string, from: number, to: number): readonly InputSeries[] {
  const isUp = (minute: number) => minute < from || minute >= to;
  return [
    exposed(discoveryFamilies.up, { workspace }, (minute) => Number(isUp(minute))),
    exposed(discoveryFamilies.lastSuccess, { workspace }, (minute) => (isUp(minute) ? minute : from) * 60),
  ];
}

function found(finding: string, value: Value): readonly InputSeries[] {
  return [
    exposed(discoveryFamilies.finding, { key: "docs", finding }, (minute) => (minute < 60 ? null : value)),
  ];
}

function unwatched(job: string, credits: Value): readonly InputSeries[] {
  const spent = eachMinute((minute) => (minute < 60 ? 0 : credits));
  return [
    exposed(usageFamiliesOf.day.credits, { model: "m", app: "a" }, () => 5, { job }),
    exposed(usageFamiliesOf.day.credits, { model: "_other", app: "_other" }, () => 5, { job }),
    seriesOf(unwatchedFamilies.day.name, { job, instance: "a:9853" }, spent),
  ];
}
