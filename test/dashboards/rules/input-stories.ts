import { discoveryFamilies } from "../../../exporter/collectors/discovery-families.ts";
import { keyFamilies as families } from "../../../exporter/collectors/key-families.ts";
import type { Series } from "../../../dashboards/promql.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";
import { none, valued } from "./given-key.ts";
import { answeredUntil, type Course, type InputSeries, seriesOf } from "./input-series.ts";
import type { Expectation, Story } from "./story.ts";

const MINUTES = 130;
/** Most expectations are about this minute. */
const AT = 100;
/** Seconds from then until midnight. */
const UNTIL_MIDNIGHT = 86_400 - AT * 60;

/** What one process shows of a key, minute by minute. Two processes have different labels. */
interface Shown {
  readonly instance?: string;
  readonly team?: Course & { readonly label: string };
  readonly answered?: Course;
  readonly usage?: Course;
  readonly byok?: Course;
  readonly byokInLimit?: Course;
  readonly limit?: Course;
  readonly remaining?: Course;
  /** The minute of the next reset. */
  readonly reset?: Course;
  readonly neverResets?: Course;
  readonly disabled?: Course;
}

/** The current values and rates of keys, evaluated every two minutes: all alerts and dashboards on keys depend on them. */
export const inputStories: readonly Story[] = [
  story(
    "byok-counts",
    "own provider keys count if the limit counts them",
    [{ usage: () => 10, byok: () => 5, byokInLimit: () => 1 }],
    [is(recorded.usage, "byok-counts", 15)],
  ),
  story(
    "byok-apart",
    "own provider keys do not count otherwise",
    [{ usage: () => 10, byok: () => 5, byokInLimit: () => 0 }],
    [is(recorded.usage, "byok-apart", 10)],
  ),
  story(
    "byok-never",
    "a gateway without own provider keys",
    [{ usage: () => 10 }],
    [is(recorded.usage, "byok-never", 10)],
  ),
  story(
    "two",
    "only the process with the newest answer counts",
    [
      { usage: () => 20, limit: () => 200, remaining: () => 180, reset: () => 200, disabled: () => 0 },
      {
        instance: "b:9853",
        answered: () => 1,
        usage: () => 30,
        limit: () => 300,
        remaining: () => 270,
        reset: () => 900,
        disabled: () => 1,
      },
      // Its older answer alone keeps this process out: the second one also reports the key as disabled.
      { instance: "c:9853", answered: () => 2, limit: () => 300, remaining: () => 280, disabled: () => 0 },
    ],
    [
      is(recorded.usage, "two", 20),
      is(recorded.limit, "two", 200),
      is(recorded.remaining, "two", 180),
      is(recorded.resetSeconds, "two", 6000),
    ],
  ),
  story(
    "two-resets",
    "an older answer does not decide whether a limit resets",
    [{ limit: () => 200 }, { instance: "b:9853", answered: () => 1, limit: () => 200, neverResets: () => 1 }],
    [is(recorded.resetSeconds, "two-resets", UNTIL_MIDNIGHT)],
  ),
  story(
    "unheard",
    "the usage is kept while the gateway does not answer",
    [{ answered: answeredUntil(40), usage: shownUntil(40, () => 20) }],
    [is(recorded.usage, "unheard", 20)],
  ),
  story(
    "no-usage",
    "the usage is not kept if newer answers do not have it",
    [{ usage: shownUntil(40, () => 20) }],
    [none(recorded.usage, "no-usage", AT)],
  ),
  story(
    "never",
    "a limit that never resets",
    [{ limit: () => 100, neverResets: () => 1 }],
    [is(recorded.resetSeconds, "never", Infinity)],
  ),
  story(
    "some-time",
    "a limit that resets at an unknown time is assumed to reset at midnight",
    [{ limit: () => 100, neverResets: () => 0 }],
    [is(recorded.resetSeconds, "some-time", UNTIL_MIDNIGHT)],
  ),
  story(
    "was-reset",
    "what was left before a reset is not what is left",
    [{ limit: () => 100, remaining: () => 10, reset: () => 60 }],
    [is(recorded.remaining, "was-reset", 10, 40), none(recorded.remaining, "was-reset", AT)],
  ),
  story(
    "old",
    "an old answer does not show what is left",
    [{ answered: answeredUntil(40), limit: () => 100, remaining: () => 10 }],
    [is(recorded.remaining, "old", 10, 64), none(recorded.remaining, "old", AT)],
  ),
  story(
    "disabled",
    "a disabled key has nothing left to spend",
    [{ limit: () => 100, remaining: () => 10, disabled: (minute) => Number(minute > 50) }],
    [is(recorded.remaining, "disabled", 10, 40), none(recorded.remaining, "disabled", AT)],
  ),
  story(
    "moved",
    "the team of a process that is scraped now, not a remembered one",
    [
      { team: team("before", (minute) => (minute < 90 ? 1 : null)) },
      { instance: "b:9853", team: team("now", (minute) => (minute < 90 ? null : 1)) },
    ],
    [owner("moved", "now")],
  ),
  story(
    "unscraped",
    "the team of a key that is not scraped for some time",
    [{ team: team("before", (minute) => (minute < 90 ? 1 : null)) }],
    [owner("unscraped", "before")],
  ),
  story(
    "steady",
    "the rate is what was spent between two answers",
    [{ usage: (minute) => 6 * minute, limit: () => 1000, remaining: (minute) => 1000 - 6 * minute }],
    [
      is(recorded.burn15m, "steady", 0.1),
      is(recorded.burn1h, "steady", 0.1),
      is(recorded.exhaustion15m, "steady", 4000),
      is(recorded.exhaustion1h, "steady", 4000),
    ],
  ),
  story(
    "idle",
    "a key that spends nothing never runs out",
    [{ usage: () => 10, limit: () => 100, remaining: () => 90 }],
    [
      is(recorded.burn15m, "idle", 0),
      none(recorded.exhaustion15m, "idle", AT),
      none(recorded.exhaustion1h, "idle", AT),
    ],
  ),
  story(
    "brief-quarter",
    "answers over less than five minutes show no rate of 15 minutes",
    [{ answered: answeredUntil(60, 62), usage: (minute) => minute }],
    [none(recorded.burn15m, "brief-quarter", 76)],
  ),
  story(
    "brief-hour",
    "answers over less than ten minutes show no rate of an hour",
    [{ answered: answeredUntil(60, 66), usage: (minute) => minute }],
    [none(recorded.burn1h, "brief-hour", 124)],
  ),
];

function story(key: string, title: string, shown: readonly Shown[], expect: readonly Expectation[]): Story {
  return {
    title: `key=${key}: ${title}`,
    subject: `key=${key}`,
    series: shown.flatMap((one) => seriesShown(key, one)),
    expect,
  };
}

function seriesShown(key: string, shown: Shown): readonly InputSeries[] {
  const { instance = "a:9853", answered = (minute: number) => minute, team: owned } = shown;
  const courses: readonly (readonly [Series, Course | undefined, Readonly<Record<string, string>>?])[] = [
    [families.ownerInfo, owned, { team: owned?.label ?? "" }],
    [families.lastSuccess, seconds(answered)],
    [families.usage, shown.usage],
    [families.byokUsage, shown.byok],
    [families.byokInLimit, shown.byokInLimit],
    [families.limit, shown.limit],
    [families.remaining, shown.remaining],
    [families.nextReset, shown.reset && seconds(shown.reset)],
    [families.limitReset, shown.neverResets, { aigateway_key_limit_reset: "never" }],
    [discoveryFamilies.disabled, shown.disabled],
  ];
  return courses.flatMap(([{ name }, course, labels]) =>
    course === undefined
      ? []
      : [
          seriesOf(
            name,
            { job: JOB, instance, key, ...labels },
            Array.from({ length: MINUTES }, (_, at) => course(at)),
          ),
        ],
  );
}

function is(series: Series, key: string, value: number, at = AT): Expectation {
  return valued(series, key, at, value);
}

function owner(key: string, label: string): Expectation {
  const { name } = recorded.keyOwner;
  const labels = `${name}{job="${JOB}",key="${key}",team="${label}"}`;
  return { at: AT, expr: `${name}{key="${key}"}`, samples: [{ labels, value: 1 }] };
}

function team(label: string, course: Course): Course & { readonly label: string } {
  return Object.assign((minute: number) => course(minute), { label });
}

function shownUntil(last: number, course: Course): Course {
  return (minute) => (minute <= last ? course(minute) : null);
}

function seconds(minutes: Course): Course {
  return (minute) => {
    const value = minutes(minute);
    return value === null ? null : value * 60;
  };
}
