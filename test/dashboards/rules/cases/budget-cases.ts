import { budgetFamilies as families } from "../../../../exporter/budgets/families.ts";
import type { InputSeries } from "../input-series.ts";
import { type AlertCase, casesOf, exposed, HOUR } from "./alert-case.ts";

const ofMonth = casesOf("AIGatewayBudget", "budget", { team: "ops", window: "month" });
const ofPrepaid = casesOf("AIGatewayBudget", "budget", { team: "ops", window: "total" });

/** Alerts on budgets of 100 credits after a third of the month. */
export const budgetCases: readonly AlertCase[] = [
  ofMonth("Exceeded", "warning", "over", "100.01 of 100 credits are spent", month("over", 99, 100.01), 65),
  ofMonth("Exceeded", "warning", "even", "exactly 100 of 100 credits are spent", month("even", 99, 100)),
  ofMonth(
    "ForecastExceeded",
    "info",
    "pace",
    "34 of 100 credits are spent in a third of the window",
    month("pace", 34),
    60,
  ),
  ofMonth(
    "ForecastExceeded",
    "info",
    "slower",
    "32 of 100 credits are spent in a third of the window",
    month("slower", 32),
  ),
  ofMonth("Incomplete", "warning", "partial", "a member is missing", incomplete("partial", 30, 480), 60),
  ofMonth(
    "Incomplete",
    "warning",
    "whole",
    "a member is missing for 29 minutes",
    incomplete("whole", 30, 59),
  ),
  ofPrepaid("ExhaustionImminent", "critical", "ebbing", "four hours are left", prepaid("ebbing", 10), 71),
  ofPrepaid(
    "ExhaustionImminent",
    "critical",
    "flowing",
    "five hours are left at the end",
    prepaid("flowing", 3.8),
  ),
  ofPrepaid(
    "ExhaustionPredicted",
    "warning",
    "daylong",
    "less than a day is left",
    prepaid("daylong", 2.2),
    390,
  ),
  ofPrepaid("ExhaustionPredicted", "warning", "longer", "two days are left", prepaid("longer", 0.9)),
];

function month(budget: string, spent: number, later = spent): readonly InputSeries[] {
  return [
    ...described(budget, "month"),
    exposed(families.spent, { budget }, (minute) => (minute < 60 ? spent : later)),
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

function prepaid(budget: string, creditsPerHour: number): readonly InputSeries[] {
  const spent = (minute: number) => 50 + (creditsPerHour * minute) / HOUR;
  return [...described(budget, "total"), exposed(families.spent, { budget }, spent)];
}

function described(budget: string, window: string): readonly InputSeries[] {
  return [
    exposed(families.info, { budget, scope: "keys", window, team: "ops" }, () => 1),
    exposed(families.limit, { budget }, () => 100),
    exposed(families.windowStart, { budget }, () => -10 * 86_400),
  ];
}
