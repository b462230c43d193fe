import { budgetFamilies as families } from "../../../../exporter/budgets/families.ts";
import { forecastFamilies } from "../../../../exporter/forecast/families.ts";
import type { Outlook } from "../../../../exporter/forecast/outlook.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import { type InputSeries, seriesOf } from "../input-series.ts";
import {
  type AlertCase,
  casesOf,
  eachMinute,
  exposed,
  forecastOfBudget,
  forecastOfShared,
  since,
} from "./alert-case.ts";

const ofMonth = casesOf("AIGatewayBudget", "budget", { team: "ops", scope: "keys", window: "month" });
const ofPrepaid = casesOf("AIGatewayBudget", "budget", { team: "ops", scope: "account", window: "total" });
const ofThreshold = casesOf("AIGatewayBudget", "budget", {
  team: "ops",
  scope: "keys",
  window: "month",
  at: "80",
});
const ofShared = casesOf("AIGatewaySharedLimit", "id", { source: "workspace" });

/** Alerts on budgets of 100 credits after a third of the month. */
export const budgetCases: readonly AlertCase[] = [
  ofMonth("Exceeded", "warning", "over", "100.01 of 100 credits are spent", month("over", 99, 100.01), 65),
  ofMonth("Exceeded", "warning", "even", "exactly 100 of 100 credits are spent", month("even", 99, 100)),
  ofThreshold("Threshold", "info", "half", "80 of 100 credits are spent", reached("half", 80), 65),
  ofThreshold("Threshold", "info", "less", "79 of 100 credits are spent", reached("less", 79)),
  ofMonth(
    "ForecastExceeded",
    "info",
    "pace",
    "107 credits are forecast after a third of the window",
    month("pace", 36, 36, 107),
    60,
  ),
  ofMonth(
    "ForecastExceeded",
    "info",
    "slower",
    "106 credits are forecast after a third of the window",
    month("slower", 36, 36, 106),
  ),
  ofMonth(
    "ForecastExceeded",
    "info",
    "spent-out",
    "101 of 100 credits are spent",
    month("spent-out", 101, 101, 200),
  ),
  ofMonth("Incomplete", "warning", "partial", "a member is missing", incomplete("partial", 30, 480), 60),
  ofMonth(
    "Incomplete",
    "warning",
    "whole",
    "a member is missing for 29 minutes",
    incomplete("whole", 30, 59),
  ),
  ofMonth("Exceeded", "warning", "split", "two shards spent 60 credits each", split("split", [[60, 60]]), 5),
  ofMonth("Exceeded", "warning", "twofold", "two shards spent 40 each", split("twofold", [[40, 40]])),
  ofMonth(
    "Exceeded",
    "warning",
    "resized",
    "90 credits are spent, by two shards and by three",
    split("resized", [
      [50, 40],
      [30, 30, 30],
    ]),
  ),
  ofMonth("Incomplete", "warning", "lost", "a third part is missing", split("lost", [[1, 1]], 3), 30),
  ofMonth("Incomplete", "warning", "all", "each part is complete", split("all", [[1, 1, 1]])),
  ofMonth("Incomplete", "warning", "weak", "one part is incomplete", split("weak", [[1, 1]], 2, 0), 30),
  ofPrepaid(
    "ExhaustionImminent",
    "critical",
    "ebbing",
    "is about to run out",
    prepaid("ebbing", "imminent"),
    62,
  ),
  ofPrepaid(
    "ExhaustionPredicted",
    "warning",
    "daylong",
    "runs out in a day",
    prepaid("daylong", "predicted"),
    62,
  ),
  ofPrepaid(
    "ExhaustionImminent",
    "critical",
    "daylong",
    "runs out in a day",
    prepaid("daylong", "predicted"),
  ),
  ofPrepaid(
    "ExhaustionPredicted",
    "warning",
    "weeklong",
    "runs out in a week",
    prepaid("weeklong", "slow"),
    62,
  ),
  ofPrepaid("Exhaust.*", "warning", "lasting", "lasts", prepaid("lasting", "lasts")),
  ofShared("ExhaustionImminent", "critical", "b1", "is used up", pool("b1", "exhausted"), 62),
  ofShared("ExhaustionPredicted", "warning", "b1", "was not announced", pool("b1", "exhausted")),
  ofShared("ExhaustionImminent", "critical", "b2", "is about to be used up", pool("b2", "imminent"), 62),
  ofShared("ExhaustionPredicted", "warning", "b3", "lasts for some days", pool("b3", "slow"), 62),
  ofShared("ExhaustionImminent", "critical", "b3", "lasts for some days", pool("b3", "slow")),
  ofShared("Exhaust.*", "warning", "b4", "lasts", pool("b4", "lasts")),
];

/** From minute 60 on, so much is spent of 100, with a threshold at 80. */
function reached(budget: string, spent: number): readonly InputSeries[] {
  const labels = { budget, scope: "keys", window: "month", team: "ops", at: "80" };
  return [...month(budget, 70, spent), exposed(families.threshold, labels, () => 0.8)];
}

function pool(id: string, outlook: Outlook): readonly InputSeries[] {
  return forecastOfShared(id, since(60, outlook));
}

function month(budget: string, spent: number, later = spent, forecast?: number): readonly InputSeries[] {
  return [
    ...described(budget, "month"),
    exposed(families.spent, { budget }, (minute) => (minute < 60 ? spent : later)),
    ...(forecast === undefined ? [] : [exposed(forecastFamilies.budgetForecast, { budget }, () => forecast)]),
    exposed(families.complete, { budget }, () => 1),
    exposed(families.windowEnd, { budget }, () => 20 * 86_400),
  ];
}

function incomplete(budget: string, from: number, to: number): readonly InputSeries[] {
  return [
    ...described(budget, "month"),
    exposed(families.spent, { budget }, () => 1),
    exposed(families.complete, { budget }, (minute) => Number(minute < from || minute >= to)),
    exposed(families.windowEnd, { budget }, () => 20 * 86_400),
  ];
}

/**
 * The parts of shards, each shown by two processes. `totals`: what each shard spent, for each total. The last
 * part may be incomplete.
 */
function split(
  budget: string,
  totals: readonly (readonly number[])[],
  expected?: number,
  last = 1,
): readonly InputSeries[] {
  const processes = totals.flatMap((parts) =>
    parts.flatMap((spent, shard) => ["a", "b"].map((replica) => ({ parts, spent, shard, replica }))),
  );
  const shown = processes.flatMap(({ parts, spent, shard, replica }) => {
    const total = { budget, shards: String(parts.length), instance: `${replica}${shard}`, job: JOB };
    const labels = { ...total, shard: String(shard) };
    const complete = shard === parts.length - 1 ? last : 1;
    return [
      seriesOf(
        families.partSpent.name,
        labels,
        eachMinute(() => spent),
      ),
      seriesOf(
        families.partComplete.name,
        labels,
        eachMinute(() => complete),
      ),
      seriesOf(
        families.parts.name,
        total,
        eachMinute(() => expected ?? parts.length),
      ),
    ];
  });
  return [
    ...described(budget, "month"),
    ...shown,
    exposed(families.windowEnd, { budget }, () => 20 * 86_400),
  ];
}

function prepaid(budget: string, outlook: Outlook): readonly InputSeries[] {
  return [...described(budget, "total", "account"), ...forecastOfBudget(budget, since(60, outlook))];
}

function described(budget: string, window: string, scope = "keys"): readonly InputSeries[] {
  return [
    exposed(families.info, { budget, scope, window, team: "ops" }, () => 1),
    exposed(families.limit, { budget }, () => 100),
    exposed(families.windowStart, { budget }, () => -10 * 86_400),
  ];
}
