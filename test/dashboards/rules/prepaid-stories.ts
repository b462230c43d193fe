import { budgetFamilies as families } from "../../../exporter/budgets/families.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { type InputSeries, seriesOf } from "./input-series.ts";
import { firing, silent, type Story } from "./story.ts";

const HOUR = 60;
const DAYS = 6;
const MINUTES = DAYS * 24 * HOUR;
const SLOW = "AIGatewayBudgetExhaustionSlow";
const SOONER = "AIGatewayBudgetExhaustion(Imminent|Predicted)";

/** Prepaid balances of 528 credits over days. At 2 credits an hour, a week is left from hour 96 on. */
export const prepaidStories: readonly Story[] = [
  {
    ...prepaid("steady", "has a week left at the rate of three days", (minute) => (2 * minute) / HOUR),
    expect: [
      silent("budget=steady", SLOW, 0, 96 * HOUR),
      firing("budget=steady", 98 * HOUR, SLOW, [alertOf("steady")]),
      silent("budget=steady", SOONER, 0, MINUTES - 4),
    ],
  },
  never(
    "stopped",
    "has stopped spending when three days are known",
    (minute) => (6 * Math.min(minute, 62 * HOUR)) / HOUR,
  ),
  never(
    "risen",
    "has a week left at the rate of six hours only",
    (minute) => (0.5 * minute) / HOUR + (3 * Math.max(0, minute - 120 * HOUR)) / HOUR,
    131 * HOUR,
  ),
  never("spent", "is used up at once", (minute) => (minute < 96 * HOUR ? 0 : 528)),
];

/** No such alert fires until this minute. */
function never(budget: string, title: string, spent: (minute: number) => number, to = MINUTES - 4): Story {
  return { ...prepaid(budget, title, spent), expect: [silent(`budget=${budget}`, SLOW, 0, to)] };
}

function prepaid(budget: string, title: string, spent: (minute: number) => number): Omit<Story, "expect"> {
  const values: readonly (readonly [string, Readonly<Record<string, string>>, (minute: number) => number])[] =
    [
      [families.info.name, { scope: "keys", window: "total", team: "ops" }, () => 1],
      [families.limit.name, {}, () => 528],
      [families.windowStart.name, {}, () => -86_400],
      [families.spent.name, {}, spent],
    ];
  const series: readonly InputSeries[] = values.map(([name, labels, value]) =>
    seriesOf(
      name,
      { job: JOB, instance: "a:9853", budget, ...labels },
      Array.from({ length: MINUTES }, (_, minute) => value(minute)),
    ),
  );
  return { title: `${budget}: ${title}`, subject: `budget=${budget}`, series };
}

function alertOf(budget: string): Readonly<Record<string, string>> {
  return { alertname: SLOW, job: JOB, budget, severity: "warning", team: "ops", window: "total" };
}
