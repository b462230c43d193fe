import type { Series } from "../../../dashboards/promql.ts";
import { recorded } from "../../../dashboards/rules/series.ts";
import { type GivenKey, givenStory } from "./given-key.ts";
import type { Story } from "./story.ts";

const AT = 30;
/** Five days in seconds, and two weeks. */
const DAYS = 432_000;
const WEEKS = 1_209_600;
/** Minutes. */
const MONTH = 44_640;

const five: GivenKey = { day: () => DAYS, threeDays: () => DAYS };
const few: GivenKey = { remaining: () => 5, day: () => 50_000, reset: () => 1440 };

/** When the conditions of the alerts that leave time to act are true, for a key whose rates are given. */
export const reserveStories: readonly Story[] = [
  story("slow", recorded.slow, "five days are left", five, DAYS),
  story("slow-monthly", recorded.slow, "five days are left of a month", { ...five, ...monthly(MONTH) }, DAYS),
  story("slow-weeks", recorded.slow, "two weeks are left", { ...five, threeDays: () => WEEKS }),
  story("slow-pause", recorded.slow, "the last day leaves two weeks", { ...five, day: () => WEEKS }),
  story("slow-reset", recorded.slow, "the limit resets before", { ...five, ...monthly(4 * 1440) }),
  story("slow-out", recorded.slow, "nothing is left", {
    day: () => 0,
    threeDays: () => 0,
    remaining: () => 0,
  }),
  story("slow-daily", recorded.slow, "the limit resets every day", {
    day: () => 5000,
    threeDays: () => 5000,
    reset: () => 1440,
    resets: { daily: 1, monthly: 0, never: 0 },
  }),
  story("low", recorded.low, "a twentieth is left", few, 0.05),
  story("low-enough", recorded.low, "a tenth is left", { ...few, remaining: () => 10 }),
  story("low-out", recorded.low, "nothing is left", { ...few, remaining: () => 0 }),
  story("low-lasts", recorded.low, "it lasts until the reset", { ...few, day: () => 100_000 }),
  story("low-idle", recorded.low, "nothing was spent in a day", { remaining: () => 5, reset: () => 1440 }),
];

function monthly(reset: number): GivenKey {
  return { reset: () => reset, resets: { daily: 0, monthly: 1, never: 0 } };
}

function story(key: string, series: Series, title: string, given: GivenKey, value?: number): Story {
  const samples = value === undefined ? [] : [{ labels: "{}", value }];
  return givenStory(key, title, given, AT + 1, [
    { at: AT, expr: `sum(${series.name}{key="${key}"})`, samples },
  ]);
}
