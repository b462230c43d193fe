import { keyFamilies as families } from "../../../exporter/collectors/key-families.ts";
import type { Series } from "../../../dashboards/promql.ts";
import { DAY } from "../../../dashboards/thresholds.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { valued } from "./given-key.ts";
import { type InputSeries, seriesOf } from "./input-series.ts";
import type { Story } from "./story.ts";

const MINUTES = 65;
/** An hour after the start of a day and a month, three days and an hour after the start of a week. */
const AT = 60;
/** What is left. */
const CREDITS = 50;

/** What is known of a key. Times are in seconds from the minute of the expectation on. */
interface Known {
  readonly limit?: number;
  /** Default: never. */
  readonly reset?: number;
  /**
   * When the key runs out, at the rates of 15 minutes, an hour, six hours, a day, three days and in the
   * gateway's figures. Infinity: nothing is spent.
   */
  readonly quarter?: number;
  readonly hour?: number;
  readonly sixHours?: number;
  readonly day?: number;
  readonly threeDays?: number;
  readonly gateway?: number;
  /** Credits that a typical day still needs. */
  readonly rest?: number;
  /** The alert of which the condition is true. */
  readonly alert?: Series;
}

/** Resets within a day. Its rate of six hours is known. */
const TODAY: Known = { reset: 20_000, sixHours: 15_000 };
/** Resets in more than a week. */
const LATER: Known = { reset: 700_000, hour: 1000, sixHours: 40_000 };

/** What the gateway reports of a key: credits of the current UTC day, week and month. */
type Figures = Readonly<Partial<Record<keyof typeof FIGURES, number>>>;

const FIGURES = {
  day: families.usageDay,
  week: families.usageWeek,
  month: families.usageMonth,
  byokDay: families.byokUsageDay,
  byokWeek: families.byokUsageWeek,
  byokMonth: families.byokUsageMonth,
  byokInLimit: families.byokInLimit,
} as const;

/** When keys run out, as the dashboards show it, evaluated every two minutes. */
export const lastsStories: readonly Story[] = [
  ...table(recorded.runsOut, {
    "is exhausted": [{ alert: recorded.exhaustedSince }, 0],
    "a limit of zero": [{ alert: recorded.exhaustedSince, limit: 0 }],
    "a page": [{ alert: recorded.imminentSince, reset: 30_000, quarter: 5000 }, 5000],
    "a warning": [{ reset: 30_000, quarter: 5000 }, 30_000],
    "a page, at no rate": [{ alert: recorded.imminentSince, reset: 30_000 }, 30_000],
    "a page, at the hour's rate": [{ alert: recorded.imminentSince, reset: 30_000, hour: 20_000 }, 20_000],
    "a page, at the rate of six hours": [
      { alert: recorded.imminentSince, reset: 30_000, sixHours: 20_000 },
      20_000,
    ],
    "a warning, within a day": [{ alert: recorded.predictedSince, reset: 100_000 }, DAY],
    "a warning, at the hour's rate": [
      { alert: recorded.predictedSince, reset: 30_000, hour: 20_000 },
      20_000,
    ],
    "a warning, at the rate of six hours": [
      { alert: recorded.predictedSince, reset: 30_000, sixHours: 20_000 },
      20_000,
    ],
    "the hour's rate alone": [{ reset: 30_000, hour: 20_000 }],
    "the rate of six hours alone": [{ reset: 30_000, sixHours: 20_000 }],
    "a reserve of a week": [{ alert: recorded.slowSince, reset: 700_000 }, 604_800],
    "a reserve, at the rate of a day": [
      { alert: recorded.slowSince, reset: 700_000, day: 400_000, threeDays: Infinity },
      400_000,
    ],
    "a reserve, at the rate of three days": [
      { alert: recorded.slowSince, reset: 700_000, threeDays: 300_000 },
      300_000,
    ],
    "the rate of a day alone": [{ reset: 700_000, day: 400_000, threeDays: Infinity }],
    "the rate of three days alone": [{ reset: 700_000, threeDays: 300_000 }],
    "longer at the rate of six hours": [{ reset: 30_000, hour: 10_000, sixHours: 20_000 }, 20_000],
    "longer at the hour's rate": [{ reset: 30_000, hour: 20_000, sixHours: 10_000 }, 20_000],
    "after the reset": [{ reset: 30_000, hour: 40_000, sixHours: 40_000 }],
    "after a day": [{ reset: 200_000, hour: 100_000, sixHours: 100_000 }],
    "a typical day needs less": [{ reset: 30_000, hour: 20_000, sixHours: 20_000, rest: 40 }],
    "a typical day needs more": [{ reset: 30_000, hour: 20_000, sixHours: 20_000, rest: 60 }, 20_000],
    "a typical day needs less, but no reset follows it": [
      { reset: 100_000, hour: 50_000, sixHours: 50_000, rest: 40 },
      50_000,
    ],
    "by days": [{ reset: 700_000, day: 200_000 }, 200_000],
  }),
  ...table(recorded.mayRunOut, {
    "without history, in the gateway's figures": [{ reset: 20_000, gateway: 10_000 }, 10_000],
    "without history, at the hour's rate": [{ reset: 20_000, gateway: 10_000, hour: 8000 }, 8000],
    "without history, at a slower hour's rate": [{ reset: 20_000, gateway: 10_000, hour: 12_000 }, 10_000],
    "without history, at the rate of 15 minutes": [{ reset: 20_000, quarter: 7000 }, 7000],
    "without history, at the hour's rather than that of 15 minutes": [
      { reset: 20_000, quarter: 7000, hour: 9000 },
      9000,
    ],
    "without history, after the reset": [{ reset: 20_000, hour: 30_000 }],
    "without history, after a later reset": [{ reset: 700_000, gateway: 800_000 }],
    "without history, before a later reset": [{ reset: 1_500_000, gateway: 1_000_000 }, 1_000_000],
    "without history, no reset, within a week": [{ gateway: 500_000 }, 500_000],
    "without history, no reset, later": [{ gateway: 700_000 }],
    "today, by a typical day": [{ ...TODAY, rest: 100 }, 10_000],
    "today, a typical day needs less": [{ ...TODAY, rest: 40, hour: 5000 }, 25_000],
    "today, at the hour's rate": [{ ...TODAY, rest: 100, hour: 5000 }, 5000],
    "today, at the rate of six hours": [{ ...TODAY, rest: 100, hour: 15_000, sixHours: 5000 }, 5000],
    "today, at the rate of a day": [{ ...TODAY, day: 7000 }, 7000],
    "today, by a typical day rather than the last one": [{ ...TODAY, rest: 100, day: 3000 }, 10_000],
    "today, spends nothing": [{ ...TODAY, sixHours: Infinity, gateway: 30_000 }],
    "later, in the gateway's figures": [{ ...LATER, gateway: 30_000 }, 30_000],
    "later, at the rate of six hours": [{ ...LATER, gateway: 30_000, sixHours: 20_000 }, 20_000],
    "later, at the rate of a day": [{ ...LATER, gateway: 30_000, sixHours: 20_000, day: 25_000 }, 25_000],
    "later, at the rate of three days": [{ ...LATER, threeDays: 15_000 }, 15_000],
    "later, idle for three days": [{ ...LATER, day: 45_000, threeDays: Infinity }, 45_000],
    "later, spends nothing": [{ ...LATER, sixHours: Infinity, gateway: Infinity }],
    "a limit of zero": [{ reset: 20_000, gateway: 10_000, limit: 0 }],
  }),
  ...gatewayRates(),
];

/** Credits per second in the gateway's own figures. */
function gatewayRates(): readonly Story[] {
  return [
    rate("of the day", { day: 36 }, 0.01),
    rate("of the week", { day: 36, week: 5256 }, 0.02),
    rate("of the month", { day: 36, month: 72 }, 0.02),
    rate("of a day that began", { day: 36 }, undefined, 20),
    rate("of a month that began", { month: 36 }, undefined, 20),
    rate("of a day that is shorter than an hour", { day: 36 }, 0.01, 40),
    ...[{ day: 36 }, { week: 2628 }, { month: 36 }].flatMap((figures) => [
      withRates("with the rate of six hours", figures, [recorded.burn6h], 0.01),
      withRates("with the rate of three days", figures, [recorded.burn3d], 0.01),
      withRates("with both rates", figures, [recorded.burn6h, recorded.burn3d], undefined),
    ]),
    ...[0, 1].flatMap((byokInLimit) => [
      rate(`of the day, ${byokInLimit}`, { day: 36, byokDay: 36, byokInLimit }, 0.01 + 0.01 * byokInLimit),
      rate(
        `of the week, ${byokInLimit}`,
        { week: 2628, byokWeek: 2628, byokInLimit },
        0.01 + 0.01 * byokInLimit,
      ),
      rate(
        `of the month, ${byokInLimit}`,
        { month: 36, byokMonth: 36, byokInLimit },
        0.01 + 0.01 * byokInLimit,
      ),
    ]),
  ];
}

function rate(title: string, figures: Figures, value: number | undefined, at?: number): Story {
  const key = `burn_gateway ${title}`;
  return storyOf(recorded.burnGateway, key, shownFigures(key, figures), value, at);
}

/** The gateway's figures do not count once both rates are known, even if these are 0. */
function withRates(
  title: string,
  figures: Figures,
  rates: readonly Series[],
  value: number | undefined,
): Story {
  const key = `burn_gateway of the ${Object.keys(figures).join()}, ${title}`;
  const known = rates.map(({ name }) => constant(name, { job: JOB, key }, () => 0));
  return storyOf(recorded.burnGateway, key, [...shownFigures(key, figures), ...known], value);
}

function shownFigures(key: string, figures: Figures): readonly InputSeries[] {
  const shown = (instance: string, answered: (minute: number) => number, factor: number) => [
    constant(families.lastSuccess.name, { job: JOB, instance, key }, (minute) => answered(minute) * 60),
    ...Object.entries(FIGURES).flatMap(([name, family]) => {
      const figure = new Map(Object.entries(figures)).get(name);
      return figure === undefined
        ? []
        : [constant(family.name, { job: JOB, instance, key }, () => factor * figure)];
    }),
  ];
  // The older answer of another process does not count.
  return [...shown("a:9853", (minute) => minute, 1), ...shown("b:9853", () => 0, 9)];
}

/** A story for each row: what is known of a key, and when it runs out; none if the series must be absent. */
function table(series: Series, rows: Readonly<Record<string, readonly [Known, number?]>>): readonly Story[] {
  return Object.entries(rows).map(([title, [known, value]]) => {
    const key = `${series.name.replace(/^.*:/, "")} ${title}`;
    return storyOf(series, key, seriesKnown(key, known), value);
  });
}

function storyOf(
  series: Series,
  key: string,
  known: readonly InputSeries[],
  value: number | undefined,
  at = AT,
): Story {
  return {
    title: `key=${key}`,
    subject: `key=${key}`,
    series: known,
    expect: [valued(series, key, at, value)],
  };
}

function seriesKnown(key: string, known: Known): readonly InputSeries[] {
  const { limit = 100, reset, rest, alert } = known;
  const scraped = { job: JOB, instance: "a:9853", key };
  const shown: readonly (readonly [Series, number, Readonly<Record<string, string>>?])[] = [
    [families.limit, limit],
    [families.remaining, CREDITS],
    reset === undefined
      ? [families.limitReset, 1, { aigateway_key_limit_reset: "never" }]
      : [families.nextReset, AT * 60 + reset],
  ];
  const rates: readonly (readonly [Series, number | undefined])[] = [
    [recorded.burn15m, known.quarter],
    [recorded.burn1h, known.hour],
    [recorded.burn6h, known.sixHours],
    [recorded.burn1d, known.day],
    [recorded.burn3d, known.threeDays],
    [recorded.burnGateway, known.gateway],
  ];
  return [
    constant(families.lastSuccess.name, scraped, (minute) => minute * 60),
    ...shown.map(([{ name }, value, labels]) => constant(name, { ...scraped, ...labels }, () => value)),
    ...rates.flatMap(([{ name }, time]) =>
      time === undefined ? [] : [constant(name, { job: JOB, key }, () => CREDITS / time)],
    ),
    ...(rest === undefined ? [] : [constant(recorded.restOfDay.name, { job: JOB, key }, () => rest)]),
    ...(alert === undefined ? [] : [constant(alert.name, { job: JOB, key }, () => 0)]),
  ];
}

function constant(
  name: string,
  labels: Readonly<Record<string, string>>,
  value: (minute: number) => number,
): InputSeries {
  return seriesOf(
    name,
    labels,
    Array.from({ length: MINUTES }, (_, minute) => value(minute)),
  );
}
