import { keyFamilies as families } from "../../../exporter/collectors/key-families.ts";
import type { Series } from "../../../dashboards/promql.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { none, valued } from "./given-key.ts";
import { answeredUntil, type Course, type InputSeries, seriesOf } from "./input-series.ts";
import type { Expectation, Story } from "./story.ts";

const DAY = 1440;
/** Three days and 80 minutes after the start. */
const AT = 3 * DAY + 80;
const MINUTES = AT + 5;

/** What the exporter shows of a key, and what is recorded of it. */
interface Past {
  readonly answered?: Course;
  readonly usage?: Course;
  readonly usageDay?: Course;
  readonly byokDay?: Course;
  readonly byokInLimit?: Course;
  readonly limit?: Course;
  readonly remaining?: Course;
  /** Shown by a process with an older answer. */
  readonly older?: Past;
  readonly burn15m?: Course;
  readonly burn1h?: Course;
  readonly recordedLimit?: Course;
  readonly recordedRemaining?: Course;
}

/** What earlier hours and days show, evaluated every four minutes. */
export const pastStories: readonly Story[] = [
  story("steady", { usage: (minute) => 6 * minute, limit: () => 1e6, remaining: () => 8640 }, [
    is(recorded.burn6h, "steady", 0.1),
    is(recorded.burn1d, "steady", 0.1),
    is(recorded.exhaustion6h, "steady", 86_400),
    is(recorded.exhaustion1d, "steady", 86_400),
  ]),
  story("idle", { usage: () => 6, usageDay: () => 0, limit: () => 10_000, remaining: () => 8640 }, [
    is(recorded.burn6h, "idle", 0),
    none(recorded.exhaustion6h, "idle", AT),
    none(recorded.exhaustion1d, "idle", AT),
    none(recorded.exhaustion3d, "idle", AT),
    none(recorded.restShareYesterday, "idle", AT),
  ]),
  story(
    "answers over less than an hour",
    { usage: (minute) => minute, answered: answeredUntil(AT - 370, AT - 320) },
    [none(recorded.burn6h, "answers over less than an hour", AT)],
  ),
  story(
    "answers over less than six hours",
    { usage: (minute) => minute, answered: answeredUntil(AT - 1450, AT - 1100) },
    [none(recorded.burn1d, "answers over less than six hours", AT)],
  ),
  story(
    "answers over less than a day",
    { usage: (minute) => minute, answered: answeredUntil(AT - 4330, AT - 2930) },
    [none(recorded.burn3d, "answers over less than a day", AT)],
  ),
  story("younger than four days", { usage: (minute) => (minute < 1000 ? null : minute) }, [
    is(recorded.burn1d, "younger than four days", 1 / 60),
    none(recorded.burn1dMax7d, "younger than four days", AT),
  ]),
  story("a limit of zero", { limit: () => 0, remaining: () => 0 }, [
    none(recorded.remainingRatioMin2h, "a limit of zero", AT),
  ]),
  ...[[recorded.burn1hUsual, DAY] as const, [recorded.burn1hUsualNext, DAY - 60] as const].flatMap(
    ([series, before]) => usualHour(series, before),
  ),
  story("was fast", { burn15m: fastAt(2 * DAY), burn1h: fastAt(2 * DAY), recordedLimit: () => 100 }, [
    is(recorded.burn15mPeak, "was fast", 9),
    is(recorded.burn1hPeak, "was fast", 9),
  ]),
  story("never fast", { recordedLimit: () => 100 }, [
    is(recorded.burn1hPeak, "never fast", 0),
    is(recorded.burn15mPeak, "never fast", 0),
  ]),
  story("today", { usageDay: () => 36, older: { answered: () => 0, usageDay: () => 90 } }, [
    none(recorded.usageDay, "today", 3 * DAY + 20),
    is(recorded.usageDay, "today", 36),
  ]),
  story("today, own provider keys count", { usageDay: () => 36, byokDay: () => 4, byokInLimit: () => 1 }, [
    is(recorded.usageDay, "today, own provider keys count", 40),
  ]),
  story(
    "today, own provider keys do not count",
    { usageDay: () => 36, byokDay: () => 4, byokInLimit: () => 0 },
    [is(recorded.usageDay, "today, own provider keys do not count", 36)],
  ),
  story("days", spendOf([100, 200, 50], [0.5, 0.8, 0.2]), [
    is(recorded.spentYesterday, "days", 50),
    is(recorded.restShareYesterday, "days", 0.2),
    is(recorded.restShare, "days", 0.5 * 0.2 + 0.5 * (0.5 * 0.8 + 0.5 * 0.5)),
    is(recorded.spentTypicalDay, "days", 0.5 * 50 + 0.5 * (0.5 * 200 + 0.5 * 100)),
  ]),
  story("dry yesterday", { ...spendOf([100, 200, 20], [0.5, 0.8, 0.2]), remaining: dryAt(2 * DAY + 700) }, [
    none(recorded.restShareYesterday, "dry yesterday", AT),
    is(recorded.restShare, "dry yesterday", 0.65),
    is(recorded.spentTypicalDay, "dry yesterday", 150),
  ]),
  story("dry and dear", { ...spendOf([100, 200, 500], [0.5, 0.8, 0.2]), remaining: dryAt(2 * DAY + 700) }, [
    is(recorded.spentTypicalDay, "dry and dear", 500),
  ]),
];

/** The rate of an hour that is usual at a time of day. */
function usualHour(series: Series, before: number): readonly Story[] {
  const name = series.name.replace(/^.*:/, "");
  const yesterday = (minute: number) => minute > AT - before - 200;
  const of = (title: string, burn: Course, remaining: Course, value?: number) =>
    story(`${name} ${title}`, { burn1h: burn, recordedLimit: () => 100, recordedRemaining: remaining }, [
      valued(series, `${name} ${title}`, AT, value),
    ]);
  return [
    of(
      "yesterday",
      (minute) => (yesterday(minute) ? 0.2 : 0.7),
      () => 50,
      0.2,
    ),
    of(
      "before a day without credits",
      (minute) => (yesterday(minute) ? 0.2 : 0.7),
      (minute) => (yesterday(minute) ? 1 : 50),
      0.7,
    ),
    of(
      "without credits",
      () => 0.2,
      () => 1,
    ),
  ];
}

/** A key that spends these credits on each day, and these shares of them after 01:20. */
function spendOf(days: readonly number[], shares: readonly number[]): Past {
  const onDay = (day: number, minute: number) => {
    const [credits, share] = [days[day] ?? 0, shares[day] ?? 0];
    return credits * (minute >= 81 ? 1 : (1 - share) * (minute > 1 ? 1 : 0));
  };
  const before = (day: number) => days.slice(0, day).reduce((sum, credits) => sum + credits, 0);
  const usageDay = (minute: number) => onDay(Math.floor(minute / DAY), minute % DAY);
  return {
    usage: (minute) => 1000 + before(Math.floor(minute / DAY)) + usageDay(minute),
    usageDay,
    limit: () => 1000,
    remaining: () => 500,
  };
}

function fastAt(fast: number): Course {
  return (minute) => (minute === fast ? 9 : 1);
}

function dryAt(dry: number): Course {
  return (minute) => (minute >= dry && minute < dry + 30 ? 0 : 500);
}

function story(key: string, past: Past, expect: readonly Expectation[]): Story {
  return { title: `key=${key}`, subject: `key=${key}`, series: seriesOfPast(key, past), expect };
}

function is(series: Series, key: string, value: number): Expectation {
  return valued(series, key, AT, value);
}

function seriesOfPast(key: string, past: Past, instance = "a:9853"): readonly InputSeries[] {
  const { answered = (minute: number) => minute, older } = past;
  const courses: readonly (readonly [Series, Course | undefined, Readonly<Record<string, string>>])[] = [
    [families.lastSuccess, (minute) => Number(answered(minute)) * 60, { instance }],
    [families.usage, past.usage, { instance }],
    [families.usageDay, past.usageDay, { instance }],
    [families.byokUsageDay, past.byokDay, { instance }],
    [families.byokInLimit, past.byokInLimit, { instance }],
    [families.limit, past.limit, { instance }],
    [families.remaining, past.remaining, { instance }],
    [recorded.burn15m, past.burn15m, {}],
    [recorded.burn1h, past.burn1h, {}],
    [recorded.limit, past.recordedLimit, {}],
    [recorded.remaining, past.recordedRemaining, {}],
  ];
  const shown = courses.flatMap(([{ name }, course, labels]) =>
    course === undefined
      ? []
      : [
          seriesOf(
            name,
            { job: JOB, key, ...labels },
            Array.from({ length: MINUTES }, (_, at) => course(at)),
          ),
        ],
  );
  return older === undefined ? shown : [...shown, ...seriesOfPast(key, older, "b:9853")];
}
