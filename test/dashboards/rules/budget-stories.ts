import { budgetFamilies as families } from "../../../exporter/budgets/families.ts";
import type { Series } from "../../../dashboards/promql.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { type Course, type InputSeries, seriesOf } from "./input-series.ts";
import { type Expectation, firing, lasting, silent, type Story } from "./story.ts";

const HOUR = 60;
const DAY = 24 * HOUR;
const SLOW = "AIGatewayBudgetExhaustionSlow";
const IMMINENT = "AIGatewayBudgetExhaustionImminent";
const PREDICTED = "AIGatewayBudgetExhaustionPredicted";
const SOONER = "AIGatewayBudgetExhaustion(Imminent|Predicted)";

interface Budget {
  readonly window: "day" | "week" | "month" | "total";
  /** Minutes. */
  readonly lasts: number;
  readonly limit: number;
  readonly spent: (minute: number) => number;
  /** When the current window began and ends; an end is absent for the window "total". Minutes. */
  readonly start: (minute: number) => number;
  readonly end?: (minute: number) => number;
  /** The teams, and when the exporter shows each. Default: "ops", always. */
  readonly teams?: Readonly<Record<string, (minute: number) => boolean>>;
  /** The minute at which the budget is removed. Default: never. */
  readonly removed?: number;
}

/** Prepaid balances of 528 credits over days. At 2.2 credits an hour, five days are left from hour 120 on. */
const prepaidStories: readonly Story[] = [
  prepaid("steady", "has five days left at the rate of three days", (minute) => (2.2 * minute) / HOUR, [
    silent("budget=steady", SLOW, 0, 120 * HOUR),
    firing("budget=steady", 122 * HOUR, SLOW, [
      {
        alertname: SLOW,
        job: JOB,
        budget: "steady",
        severity: "warning",
        team: "ops",
        scope: "account",
        window: "total",
      },
    ]),
    silent("budget=steady", SOONER, 0, 6 * DAY - 4),
  ]),
  prepaid(
    "stopped",
    "has stopped spending a day before three days are known",
    (minute) => (6 * Math.min(minute, 47 * HOUR)) / HOUR,
    [silent("budget=stopped", SLOW, 0, 6 * DAY - 4)],
  ),
  prepaid(
    "risen",
    "has a week left at the rate of the last day only",
    (minute) => (0.5 * minute) / HOUR + (6 * Math.max(0, minute - 120 * HOUR)) / HOUR,
    [silent("budget=risen", SLOW, 0, 131 * HOUR)],
  ),
  prepaid(
    "office",
    "is warned once, not again each morning",
    (minute) => 120 * Math.floor(minute / DAY) + 12 * Math.min(Math.max((minute % DAY) / HOUR - 8, 0), 10),
    [
      lasting("budget=office", SLOW, 74 * HOUR, 107 * HOUR),
      silent("budget=office", PREDICTED, DAY, 84 * HOUR),
      lasting("budget=office", PREDICTED, 85 * HOUR, 107 * HOUR),
    ],
  ),
  prepaid(
    "nightly",
    "is not about to run out because of a job that ends",
    (minute) =>
      100 * Math.floor(minute / DAY) +
      (50 * Math.min(Math.max((minute % DAY) - 2 * HOUR, 0), 2 * HOUR)) / HOUR,
    [silent("budget=nightly", IMMINENT, 0, 4 * DAY)],
  ),
  prepaid(
    "falling",
    "is about to run out at the rates of an hour and of six, which leave more than an hour",
    (minute) => (40 * Math.min(minute, 10 * HOUR)) / HOUR,
    [
      silent("budget=falling", IMMINENT, 0, 9 * HOUR),
      firing("budget=falling", 10 * HOUR, IMMINENT, [
        {
          alertname: IMMINENT,
          job: JOB,
          budget: "falling",
          severity: "critical",
          team: "ops",
          scope: "account",
          window: "total",
        },
      ]),
    ],
  ),
  prepaid(
    "runaway",
    "is about to run out when the last hour alone leaves less than an hour",
    (minute) => Math.min((250 * Math.max(0, minute - 100 * HOUR)) / HOUR, 528),
    [
      silent("budget=runaway", IMMINENT, 0, 100 * HOUR),
      firing("budget=runaway", 101 * HOUR + 24, IMMINENT, [
        {
          alertname: IMMINENT,
          job: JOB,
          budget: "runaway",
          severity: "critical",
          team: "ops",
          scope: "account",
          window: "total",
        },
      ]),
    ],
  ),
  prepaid("spent", "is used up at once", (minute) => (minute < 96 * HOUR ? 0 : 528), [
    silent("budget=spent", SLOW, 0, 6 * DAY - 4),
  ]),
];

/** One credit an hour until 20:00 on the first day, then two. */
const risingDays = daily({
  lasts: 5 * DAY,
  spent: (minute) => (minute < DAY ? 1 : 2) * Math.min((minute % DAY) / HOUR, 20),
});

/** What is recorded about windows: the previous one, and the forecast of the current one. */
const windowStories: readonly Story[] = [
  story("rising", "a day is forecast from the day before, after its first tenth", risingDays, [
    valued("rising", recorded.budgetForecast, DAY + 140, undefined),
    valued("rising", recorded.budgetForecast, DAY + 148, 24.392),
    valued("rising", recorded.budgetPrevious, DAY + 12 * HOUR, 20),
    valued("rising", recorded.budgetRestShare, DAY + 12 * HOUR, 0.4),
    valued("rising", recorded.budgetForecast, DAY + 12 * HOUR, 35),
  ]),
  story(
    "windowed",
    "only a prepaid balance has rates",
    risingDays,
    [recorded.budgetBurn1h, recorded.budgetBurn6h, recorded.budgetBurn1d, recorded.budgetBurn3d].map((burn) =>
      valued("windowed", burn, 4 * DAY + 12 * HOUR, undefined),
    ),
  ),
  story(
    "unused",
    "a day without spend has no shape, so the mean rate is the forecast",
    daily({ lasts: 2 * DAY, spent: (minute) => (minute < DAY ? 0 : (minute % DAY) / HOUR) }),
    [
      valued("unused", recorded.budgetPrevious, DAY + 12 * HOUR, 0),
      valued("unused", recorded.budgetRestShare, DAY + 12 * HOUR, undefined),
      valued("unused", recorded.budgetForecast, DAY + 12 * HOUR, 24),
    ],
  ),
  story(
    "removed",
    "the previous day of a removed budget is forgotten",
    { ...risingDays, removed: DAY + 12 * HOUR },
    [
      valued("removed", recorded.budgetPrevious, DAY + 12 * HOUR, 20),
      valued("removed", recorded.budgetPrevious, DAY + 13 * HOUR, undefined),
    ],
  ),
  story(
    "weekly",
    "a week is forecast from the week before",
    {
      window: "week",
      lasts: 10 * DAY,
      limit: 100,
      spent: (minute) => 10 * Math.min((minute % (7 * DAY)) / DAY, 5),
      start: (minute) => minute - (minute % (7 * DAY)),
      end: (minute) => minute - (minute % (7 * DAY)) + 7 * DAY,
    },
    [
      valued("weekly", recorded.budgetPrevious, 9.5 * DAY, 50),
      valued("weekly", recorded.budgetRestShare, 9.5 * DAY, 0.5),
      valued("weekly", recorded.budgetForecast, 9.5 * DAY, 50),
    ],
  ),
  story(
    "monthly",
    "a month is forecast at its mean rate, whatever the month before",
    {
      window: "month",
      lasts: 10 * DAY,
      limit: 500,
      spent: (minute) => (10 * (minute < DAY ? minute + 29 * DAY : minute - DAY)) / DAY,
      start: (minute) => (minute < DAY ? -29 * DAY : DAY),
      end: (minute) => (minute < DAY ? DAY : 31 * DAY),
    },
    [
      valued("monthly", recorded.budgetPrevious, 9 * DAY, 299.972),
      valued("monthly", recorded.budgetRestShare, 9 * DAY, undefined),
      valued("monthly", recorded.budgetForecast, 9 * DAY, 300),
    ],
  ),
];

/**
 * A budget moves to another team and is then removed. Either order of their names occurs, because equal
 * series would be sorted by them.
 */
const ownerStories: readonly Story[] = [
  ["first", "a-team", "b-team"] as const,
  ["second", "b-team", "a-team"] as const,
].map(([budget, before, after]) =>
  story(
    budget,
    `belongs to ${after} as soon as the exporter shows that, and for some minutes after its removal`,
    {
      ...daily({ lasts: 4 * HOUR, spent: () => 1 }),
      teams: { [before]: (minute) => minute < HOUR, [after]: (minute) => minute >= HOUR },
      removed: 2 * HOUR,
    },
    [
      owned(budget, HOUR - 4, before),
      owned(budget, HOUR + 4, after),
      owned(budget, 2 * HOUR + 12, after),
      owned(budget, 3 * HOUR, undefined),
    ],
  ),
);

/** Budgets over days. */
export const budgetStories: readonly Story[] = [...prepaidStories, ...windowStories, ...ownerStories];

function prepaid(
  budget: string,
  title: string,
  spent: (minute: number) => number,
  expect: readonly Expectation[],
): Story {
  const total: Budget = { window: "total", lasts: 6 * DAY, limit: 528, spent, start: () => -DAY };
  return story(budget, title, total, expect);
}

function daily({ lasts, spent }: Pick<Budget, "lasts" | "spent">): Budget {
  return {
    window: "day",
    lasts,
    limit: 100,
    spent,
    start: midnight,
    end: (minute) => midnight(minute) + DAY,
  };
}

function midnight(minute: number): number {
  return minute - (minute % DAY);
}

function story(budget: string, title: string, given: Budget, expect: readonly Expectation[]): Story {
  return {
    title: `${budget}: ${title}`,
    subject: `budget=${budget}`,
    series: seriesOfBudget(budget, given),
    expect,
  };
}

function seriesOfBudget(budget: string, given: Budget): readonly InputSeries[] {
  const { window, limit, spent, start, end, teams = { ops: () => true }, removed = given.lasts } = given;
  const of = (series: Series, value: Course, labels: Readonly<Record<string, string>> = {}) =>
    seriesOf(
      series.name,
      { job: JOB, instance: "a:9853", budget, ...labels },
      Array.from({ length: given.lasts }, (_, minute) => (minute < removed ? value(minute) : null)),
    );
  return [
    ...Object.entries(teams).map(([team, shown]) =>
      of(families.info, (minute) => (shown(minute) ? 1 : null), {
        scope: window === "total" ? "account" : "keys",
        window,
        team,
      }),
    ),
    of(families.limit, () => limit),
    of(families.windowStart, (minute) => start(minute) * 60),
    ...(end === undefined ? [] : [of(families.windowEnd, (minute) => end(minute) * 60)]),
    of(families.spent, spent),
  ];
}

/** Expects the value of a recorded series of the budget, to three decimals; undefined: that the series is absent. */
function valued(budget: string, { name }: Series, at: number, value: number | undefined): Expectation {
  return {
    at,
    expr: `round(${name}{budget="${budget}"}, 0.001)`,
    samples: value === undefined ? [] : [{ labels: `{job="${JOB}",budget="${budget}"}`, value }],
  };
}

/** Expects that exactly one series shows the budget's owner, or none. */
function owned(budget: string, at: number, team: string | undefined): Expectation {
  const { name } = recorded.budgetOwner;
  const labels = `${name}{job="${JOB}",budget="${budget}",scope="keys",window="day",team="${team}"}`;
  return {
    at,
    expr: `${name}{budget="${budget}"}`,
    samples: team === undefined ? [] : [{ labels, value: 1 }],
  };
}
