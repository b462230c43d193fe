import { keyFamilies as families } from "../../../exporter/collectors/key-families.ts";
import type { Series } from "../../../dashboards/promql.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { type Course, type InputSeries, seriesOf, type Value } from "./input-series.ts";
import type { Expectation, Story } from "./story.ts";

/** From the most urgent alert to the least. */
export const ALERTS = ["exhausted", "imminent", "predicted", "slow", "low"] as const;
export type Alert = (typeof ALERTS)[number];

type When = (minute: number) => boolean;

/** A key whose conditions are given, as if they were recorded, so that a test needs neither spend nor days. */
export interface GivenKey {
  /** When the condition of an alert is true. A key is exhausted if nothing remains. */
  readonly is?: Partial<Readonly<Record<Alert, When>>>;
  /** Credits. Default 50. */
  readonly remaining?: Course;
  /** Credits. Default 100. */
  readonly limit?: Course;
  /** The minute of the next reset. Default: never. */
  readonly reset?: Course;
  readonly answers?: When;
  /** Whether the exporter shows the values of the last answer. Default: always. */
  readonly shows?: When;
  /**
   * Seconds until the key runs out at the rate of 15 minutes, six hours and three days. Default for three
   * days: a week, otherwise absent.
   */
  readonly quarter?: Course;
  readonly sixHours?: Course;
  readonly threeDays?: Course;
  /** The same at the rate of a day. Default: absent. */
  readonly day?: Course;
  /** What the exporter shows of the kinds of reset. Default: "never" if the limit never resets. */
  readonly resets?: Readonly<Record<string, number>>;
  /** An odd minute until which the slow alert was true for two days. */
  readonly slowUntil?: number;
}

export const TEAM = "payments";
/** Seconds since the epoch. */
export const SLOW_SINCE = -2 * 86_400;

const SINCE: Readonly<Record<Alert, Series>> = {
  exhausted: recorded.exhaustedSince,
  imminent: recorded.imminentSince,
  predicted: recorded.predictedSince,
  slow: recorded.slowSince,
  low: recorded.lowSince,
};

const CONDITIONS = {
  imminent: [recorded.imminent, 600],
  predicted: [recorded.predicted, 50],
  slow: [recorded.slow, 500_000],
  low: [recorded.low, 0.05],
} as const;

/** The story of such a key. */
export function givenStory(
  key: string,
  title: string,
  given: GivenKey,
  minutes: number,
  expect: readonly Expectation[],
): Story {
  return {
    title: `key=${key}: ${title}`,
    subject: `key=${key}`,
    series: giveKey(key, given, minutes),
    expect,
  };
}

/** Expects that the alert is true since a time; undefined for an alert that is not. */
export function since(alert: Alert, key: string, at: number, seconds?: number): Expectation {
  const { name } = SINCE[alert];
  if (seconds === undefined) return none(SINCE[alert], key, at);
  return {
    at,
    expr: `${name}{key="${key}"}`,
    samples: [{ labels: `${name}{job="${JOB}",key="${key}"}`, value: seconds }],
  };
}

/** Expects the value of a series of the key, to three decimals; undefined: that the series is absent. */
export function valued(series: Series, key: string, at: number, value: number | undefined): Expectation {
  if (value === undefined) return none(series, key, at);
  return {
    at,
    expr: `round(${series.name}{key="${key}"}, 0.001)`,
    samples: [{ labels: `{job="${JOB}",key="${key}"}`, value: Math.round(value * 1000) / 1000 }],
  };
}

/** Expects that a series of the key is absent. */
export function none(series: Series, key: string, at: number): Expectation {
  return { at, expr: `${series.name}{key="${key}"}`, samples: [] };
}

export function between(from: number, to: number): When {
  return (minute) => minute >= from && minute < to;
}

function giveKey(key: string, given: GivenKey, minutes: number): readonly InputSeries[] {
  const { is = {}, limit = () => 100, remaining = () => 50, reset, shows = () => true } = given;
  const { quarter = absent, sixHours = absent, day = absent, threeDays = () => 604_800, slowUntil } = given;
  const { resets = reset === undefined ? { never: 1 } : {} } = given;
  const of = (series: Series, value: Course, labels: Readonly<Record<string, string>> = {}) =>
    seriesOf(
      series.name,
      { job: JOB, key, ...labels },
      Array.from({ length: minutes }, (_, minute) => value(minute)),
    );
  const scraped = (series: Series, value: Course, labels = {}) =>
    of(series, value, { instance: "a:9853", ...labels });
  const shown = (series: Series, value: Course, labels = {}) =>
    scraped(series, (minute) => (shows(minute) ? value(minute) : null), labels);
  return [
    scraped(families.ownerInfo, () => 1, { team: TEAM, project: "", cost_center: "" }),
    scraped(families.lastSuccess, (minute) => lastAnswer(given, minute) * 60),
    shown(families.limit, limit),
    shown(families.remaining, (minute) => (is.exhausted?.(minute) ? 0 : remaining(minute))),
    ...Object.entries(resets).map(([kind, value]) =>
      shown(families.limitReset, () => value, { aigateway_key_limit_reset: kind }),
    ),
    ...(reset === undefined ? [] : [shown(families.nextReset, (minute) => Number(reset(minute)) * 60)]),
    ...Object.entries(CONDITIONS).map(([alert, [series, value]]) =>
      of(series, (minute) => (isAlert(alert) && is[alert]?.(minute) ? value : null)),
    ),
    of(recorded.exhaustion15m, quarter),
    of(recorded.exhaustion6h, sixHours),
    of(recorded.exhaustion1d, day),
    of(recorded.exhaustion3d, threeDays),
    ...(slowUntil === undefined ? [] : [slowBefore(key, slowUntil)]),
  ];
}

/** One sample; what follows is recorded. */
function slowBefore(key: string, minute: number): InputSeries {
  const { series } = seriesOf(recorded.slowSince.name, { job: JOB, key }, []);
  return { series, values: `_x${minute} ${SLOW_SINCE}` };
}

function lastAnswer({ answers = () => true }: GivenKey, minute: number): number {
  let asked = minute;
  while (asked > 0 && !answers(asked)) asked -= 1;
  return asked;
}

function isAlert(text: string): text is Alert {
  return ALERTS.some((alert) => alert === text);
}

function absent(): Value {
  return null;
}
