import { budgetFamilies as families } from "../../../../exporter/budgets/families.ts";
import { JOB } from "../../../../dashboards/rules/settings.ts";
import { type InputSeries, seriesOf } from "../input-series.ts";
import { type AlertCase, casesOf, eachMinute, exposed, HOUR } from "./alert-case.ts";

const ofMonth = casesOf("AIGatewayBudget", "budget", { team: "ops", scope: "keys", window: "month" });
const ofPrepaid = casesOf("AIGatewayBudget", "budget", { team: "ops", scope: "account", window: "total" });

/** Alerts on budgets of 100 credits after a third of the month. */
export const budgetCases: readonly AlertCase[] = [
  ofMonth("Exceeded", "warning", "over", "100.01 of 100 credits are spent", month("over", 99, 100.01), 65),
  ofMonth("Exceeded", "warning", "even", "exactly 100 of 100 credits are spent", month("even", 99, 100)),
  ofMonth(
    "ForecastExceeded",
    "info",
    "pace",
    "36 of 100 credits are spent in a third of the window",
    month("pace", 36),
    60,
  ),
  ofMonth(
    "ForecastExceeded",
    "info",
    "slower",
    "35 of 100 credits are spent in a third of the window",
    month("slower", 35),
  ),
  ofMonth("ForecastExceeded", "info", "spent-out", "101 of 100 credits are spent", month("spent-out", 101)),
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
  ofPrepaid(
    "ExhaustionImminent",
    "critical",
    "model",
    "a model since a date, which is no balance: the gateway refuses nothing",
    [
      ...described("model", "total", "model"),
      exposed(families.spent, { budget: "model" }, (minute) => 50 + (10 * minute) / HOUR),
    ],
  ),
  ofPrepaid(
    "ExhaustionImminent",
    "critical",
    "burst",
    "it is used up within five minutes",
    prepaidBy("burst", (minute) => 50 + 10 * Math.min(Math.max(minute - 60, 0), 5)),
  ),
  ofPrepaid(
    "ExhaustionPredicted",
    "warning",
    "drained",
    "it is used up after six hours and a quarter",
    prepaidBy("drained", (minute) => 50 + 8 * Math.min(minute / HOUR, 6.25)),
  ),
  ofPrepaid(
    "ExhaustionPredicted",
    "warning",
    "rising",
    "the last hour's rate leaves 14 hours, that of six hours two days",
    prepaidBy("rising", (minute) => 50 + minute / 120 + Math.max(minute - 390, 0) / 24),
  ),
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

function prepaid(budget: string, creditsPerHour: number): readonly InputSeries[] {
  return prepaidBy(budget, (minute) => 50 + (creditsPerHour * minute) / HOUR);
}

function prepaidBy(budget: string, spent: (minute: number) => number): readonly InputSeries[] {
  return [...described(budget, "total", "account"), exposed(families.spent, { budget }, spent)];
}

function described(budget: string, window: string, scope = "keys"): readonly InputSeries[] {
  return [
    exposed(families.info, { budget, scope, window, team: "ops" }, () => 1),
    exposed(families.limit, { budget }, () => 100),
    exposed(families.windowStart, { budget }, () => -10 * 86_400),
  ];
}
