import type { Series } from "../../../dashboards/promql.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { valued } from "./given-key.ts";
import { type InputSeries, seriesOf } from "./input-series.ts";
import type { Story } from "./story.ts";

const MINUTES = 65;
const AT = 60;
const HOURS = 3600;
/** What is left, in most stories. */
const CREDITS = 50;

/** What is recorded of a key, as if its usage had been watched for days. Times are in seconds. */
interface Recorded {
  /** Credits. */
  readonly remaining: number;
  readonly reset: number;
  /** When the key runs out, at the rates of 15 minutes, an hour, six hours, a day and three days. */
  readonly quarter?: number;
  readonly hour?: number;
  readonly sixHours?: number;
  readonly day?: number;
  readonly threeDays?: number;
  /** The minute around which the rate of 15 minutes is less than a third. */
  readonly quiet?: number;
  /** The peaks of three days, as multiples of the present rates of 15 minutes and of an hour. */
  readonly peak15m?: number;
  readonly peak1h?: number;
  /** The rates that are usual now and in an hour, as multiples of the rate of the last hour. */
  readonly usual?: number;
  readonly usualNext?: number;
  /** Credits per second. */
  readonly burn1d?: number;
  readonly burn3d?: number;
  /** Credits that a typical day still needs. */
  readonly rest?: number | undefined;
  readonly needed?: number;
}

/** Runs out in half an hour at a steady rate, which is usual for the key, and resets in 20 hours. */
const PAGES: Recorded = {
  remaining: CREDITS,
  reset: 20 * HOURS,
  quarter: 1800,
  hour: 1800,
  sixHours: 1800,
  peak15m: 1,
  peak1h: 1,
  usual: 1,
  usualNext: 1,
};
/** Spends nothing now. */
const CALM: Recorded = { remaining: CREDITS, reset: 20 * HOURS };
/** Pages because a typical day needs four times what is left; the rates alone would not. */
const TYPICAL: Recorded = { ...PAGES, quarter: 3000, hour: 3000, rest: 200 };
/** Warns: the credits last for hours at each rate, but not until the reset. */
const HOURS_LEFT: Recorded = { ...PAGES, quarter: 9000, hour: 9000, sixHours: 20_000 };
/** Has spent for too short a time, but as usual: the usual next hour needs the rest within two hours. */
const YOUNG: Recorded = { ...PAGES, quarter: 7000, hour: 20_000, sixHours: 30_000, usualNext: 3 };
/** Resets in more than a week. */
const MONTHLY: Recorded = { remaining: CREDITS, reset: 700_000 };

/** The clauses of the page and the warning on a key's credits, and of the series that they read. Evaluated every two minutes. */
export const conditionStories: readonly Story[] = [
  ...table(recorded.exhaustionSoon, {
    "runs out soon": [PAGES, 1800],
    "resets before": [{ ...PAGES, quarter: 5000, reset: 4000 }],
  }),
  ...table(recorded.restRatio, {
    "as usual": [{ ...PAGES, rest: 75 }, 1.5],
    "nothing is left": [{ ...PAGES, rest: 75, remaining: 0 }],
    "not soon": [{ ...PAGES, rest: 75, quarter: 12_000 }],
    "resets after a day": [{ ...PAGES, rest: 75, reset: 100_000 }],
    "an unusual hour": [{ ...PAGES, rest: 75, quarter: 6000, usual: 0.2 }],
    "an unusual quarter": [{ ...PAGES, rest: 75, hour: 8000 }],
  }),
  ...table(recorded.exhaustionLasting, {
    "in each quarter": [PAGES, 1800],
    "not soon": [{ ...PAGES, quarter: 12_000, hour: 9000 }],
    "not now": [{ ...PAGES, quiet: 60 }],
    "not 15 minutes ago": [{ ...PAGES, quiet: 45 }],
    "not 30 minutes ago": [{ ...PAGES, quiet: 30 }],
    "not 45 minutes ago": [{ ...PAGES, quiet: 15 }],
  }),
  ...table(recorded.needed, {
    "a typical day needs more": [{ ...CALM, rest: 80, day: 50_000 }, 80 / (1 + (0.5 * 20 * HOURS) / 86_400)],
    "a typical day needs less": [{ ...CALM, rest: 60, day: 50_000 }],
    "the last day contradicts": [{ ...CALM, rest: 80, day: 120_000 }],
    "no last day": [{ ...CALM, rest: 80 }],
    "a typical day, but no reset within a day": [{ ...CALM, rest: 120, day: 50_000, reset: 100_000 }],
    "the last day's rate": [{ ...CALM, burn1d: 0.001, reset: 100_000 }, 57.6],
    "the last day's rate, but a reset within a day": [{ ...CALM, burn1d: 0.001 }],
  }),
  ...table(recorded.runsOutByRates, {
    "longer at the last day's rate": [{ ...MONTHLY, day: 200_000, threeDays: 100_000 }, 200_000],
    "longer at the rate of three days": [{ ...MONTHLY, day: 100_000, threeDays: 200_000 }, 200_000],
    "a young key": [{ ...MONTHLY, day: 100_000 }, 100_000],
    "idle for three days": [{ ...MONTHLY, day: 100_000, burn3d: 0 }],
    "idle for a day": [{ ...MONTHLY, threeDays: 100_000 }],
    "after the reset": [{ ...MONTHLY, day: 800_000, threeDays: 800_000 }],
    "a reset within a day": [{ ...MONTHLY, day: 50_000, threeDays: 50_000, reset: 80_000 }],
  }),
  ...table(recorded.imminent, {
    "the rate has lasted": [PAGES, 1800],
    "not yet": [{ ...PAGES, quarter: 2500 }],
    "not at the hour's rate": [{ ...PAGES, hour: 4600 }],
    "six hours like the last ones last": [{ ...PAGES, sixHours: 80_000 }],
    "six hours last, but the hour is unusual": [{ ...PAGES, sixHours: 80_000, peak1h: 0.7 }, 1800],
    "never so fast": [{ ...PAGES, hour: 4600, peak15m: 0.2 }, 1800],
    "the office closes": [{ ...PAGES, hour: 1900, usualNext: 0.4 }],
    "the office closes, but little is left": [{ ...PAGES, hour: 1900, usualNext: 0.4, quarter: 1300 }, 1300],
    "the office closes too late": [{ ...PAGES, usualNext: 0.4 }, 1800],
    "the office closes, but the hour is unusual": [
      { ...PAGES, hour: 1900, usualNext: 0.4, peak1h: 0.7 },
      1800,
    ],
    "a typical day needs far more": [TYPICAL, 3000],
    "a typical day needs far more, later": [{ ...TYPICAL, quarter: 3700 }],
    "a typical day needs twice as much": [{ ...TYPICAL, rest: 100 }],
    "a typical day, but an unusual hour": [{ ...TYPICAL, usual: 0.2 }],
    "a typical day, but a quiet quarter": [{ ...TYPICAL, quiet: 30 }],
    "no typical day": [{ ...TYPICAL, rest: undefined }],
    "a day like the last one": [{ ...PAGES, hour: 5000, day: 1000 }, 1800],
    "a day like the last one, later": [{ ...PAGES, hour: 5000, day: 1000, quarter: 2500 }],
    "a day like the last one, but slower": [{ ...PAGES, hour: 5000, day: 4000 }],
    "a typical day needs less": [{ ...PAGES, rest: 40, quarter: 1100 }],
    "a typical day needs more": [{ ...PAGES, rest: 75 }, 1800],
    "a typical day needs about as much": [{ ...PAGES, rest: 52, quarter: 1100 }],
    "a typical day needs little more": [{ ...PAGES, rest: 60 }],
    "a typical day needs little more, and little is left": [{ ...PAGES, rest: 60, quarter: 1100 }, 1100],
  }),
  ...table(recorded.predicted, {
    "nothing is left": [{ ...PAGES, remaining: 0 }],
    "an unusual quarter": [{ ...HOURS_LEFT, sixHours: 30_000, peak15m: 0.3 }, 50],
    "usual rates": [{ ...HOURS_LEFT, sixHours: 30_000 }],
    "less than an hour": [{ ...YOUNG, quarter: 3000, hour: 3000, usualNext: 0.4 }, 50],
    "less than an hour only now": [{ ...YOUNG, quarter: 3000, hour: 4000, usualNext: 0.5 }],
    "less than an hour only before": [{ ...YOUNG, quarter: 4000, hour: 3000, usualNext: 0.4 }],
    "the next hour is usual": [YOUNG, 50],
    "the next hour is usual, but the rate leaves more": [{ ...YOUNG, quarter: 7500 }],
    "the usual next hour leaves more": [{ ...YOUNG, usualNext: 2 }],
    "the rate has lasted": [HOURS_LEFT, 50],
    "the hour's rate leaves more": [{ ...HOURS_LEFT, hour: 12_000 }],
    "a typical day needs less": [{ ...HOURS_LEFT, rest: 40 }],
    "a typical day needs less, but the rate is high": [
      { ...HOURS_LEFT, rest: 40, quarter: 5000, hour: 5000 },
      50,
    ],
    "a typical day needs far less": [{ ...HOURS_LEFT, rest: 30, quarter: 5000, hour: 5000 }],
    "a typical day needs more than a fast hour": [{ ...HOURS_LEFT, rest: 75 }, 50],
    "a typical day needs more": [{ ...CALM, rest: 80, day: 50_000 }, 50],
    "more was needed before": [{ ...CALM, needed: 56, remaining: 60 }],
  }),
];

/** A story for each row: what is recorded of a key, and the value that the series must have; none if it must be absent. */
function table(
  series: Series,
  rows: Readonly<Record<string, readonly [Recorded, number?]>>,
): readonly Story[] {
  return Object.entries(rows).map(([title, [given, value]]) => {
    const key = `${series.name.replace(/^key:aigateway_/, "")} ${title}`;
    return {
      title: `key=${key}`,
      subject: `key=${key}`,
      series: seriesGiven(key, given),
      expect: [valued(series, key, AT, value)],
    };
  });
}

function seriesGiven(key: string, given: Recorded): readonly InputSeries[] {
  const { quarter, hour, quiet = Infinity } = given;
  // The rates, because the times follow from them.
  const [burn15m, burn1h] = [quarter, hour].map((time) => (time === undefined ? undefined : CREDITS / time));
  const of = (series: Series, value: number | undefined, course = (_minute: number) => 1) =>
    value === undefined || Number.isNaN(value)
      ? []
      : [
          seriesOf(
            series.name,
            { job: JOB, key },
            Array.from({ length: MINUTES }, (_, minute) => value * course(minute)),
          ),
        ];
  return [
    ...of(recorded.remaining, given.remaining),
    ...of(recorded.resetSeconds, given.reset),
    ...of(recorded.burn15m, burn15m, (minute) => (Math.abs(minute - quiet) <= 4 ? 0.3 : 1)),
    ...of(recorded.burn1h, burn1h),
    ...of(recorded.burn1d, given.burn1d),
    ...of(recorded.burn3d, given.burn3d),
    ...of(recorded.exhaustion6h, given.sixHours),
    ...of(recorded.exhaustion1d, given.day),
    ...of(recorded.exhaustion3d, given.threeDays),
    ...of(recorded.burn15mPeak, times(burn15m, given.peak15m)),
    ...of(recorded.burn1hPeak, times(burn1h, given.peak1h)),
    ...of(recorded.burn1hUsual, times(burn1h, given.usual)),
    ...of(recorded.burn1hUsualNext, times(burn1h, given.usualNext)),
    ...of(recorded.restOfDay, given.rest),
    ...of(recorded.needed, given.needed),
  ];
}

/** Not a number if either is missing. */
function times(rate = NaN, multiple = NaN): number {
  return rate * multiple;
}
