import { windowEnd, windowStart } from "../calendar.ts";
import { EXCLUDED } from "../config-text.ts";
import type { Question } from "../questions.ts";
import { type Answered, usageAnswers } from "../shown-usage.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { accountAnswers, lastListing, listedAt, pagesOf } from "../shown-keys.ts";
import { intervalMs } from "../exporter-state.ts";

/**
 * The unwatched spend is what the books have for the keys that are neither configured nor listed. It is not
 * shown once the gateway does not know a watched key.
 */
export function createUnwatched(world: World): Judge {
  let longestMs = 0;
  let listEveryMs = 0;

  function judgeWindow(window: Window, scrape: Scrape): readonly string[] {
    const { exposition, at, atMs } = scrape;
    const shown = exposition.value(`aigateway_unwatched_${window}_credits`);
    if (shown === undefined) return [];
    const since = Math.max(at - 3 * longestMs - SLACK_MS, warnedAt(scrape));
    const answers = answersAbout(window, scrape).filter(
      ({ question: { at: askedAt, asOfMs }, usage }) =>
        askedAt >= since && !usage.isWarned && isOfWindow(window, asOfMs, atMs),
    );
    const isTrue = answers.some(({ usage }) => shown === usage.total.micros / 1e6);
    return isTrue ? [] : [`unwatched ${window} ${shown} is in none of ${answers.length} answers`];
  }

  /** Without any key to exclude there is no filter. */
  function answersAbout(window: Window, { at, atMs }: Scrape): readonly Answered[] {
    const isEmpty = world.settings().keys.length === 0;
    return usageAnswers(world, windowStart(window, atMs), at, isEmpty ? "any" : "filtered");
  }

  /** When the last run began that was answered in full and named unknown keys: older values are gone. */
  function warnedAt(scrape: Scrape): number {
    const { at, atMs } = scrape;
    const [start, month] = WINDOWS.map((window) => windowStart(window, atMs));
    // On the 1st the two windows look alike.
    if (start === month) return 0;
    const [days = [], months = []] = WINDOWS.map((window) =>
      answersAbout(window, scrape).filter(({ question }) => (question.endedAt ?? at) <= at - PUBLISHED_MS),
    );
    const isWarned = (day: Answered) =>
      day.usage.isWarned && months.some((one) => one.usage.isWarned && isOneRun(day, one));
    return days.findLast(isWarned)?.question.at ?? 0;
  }

  function isOneRun({ question: day }: Answered, { question: month }: Answered): boolean {
    const isNext = day.at <= month.at && month.at - (day.endedAt ?? day.at) < LONGEST_RUN_MS;
    return isNext && world.settingsSince() < day.at && world.startedAt() < day.at;
  }

  /** A filter excludes each configured key, each key of the last whole list, and no other one. */
  function judgeFilter(question: Question): readonly string[] {
    const { excluded } = question.usage ?? {};
    const { analytics, keys } = world.settings();
    if (!excluded || !analytics || world.isApplying()) return [];
    const hashesOf = (file: number) => world.files.tokens(file).map(({ token }) => world.files.hashOf(token));
    const forgotten = keys.filter(({ file }) => !hashesOf(file).some((hash) => excluded.has(hash)));
    const pages = pagesOf(accountAnswers(world, question.at));
    const known = new Set(keys.flatMap(({ file }) => hashesOf(file)));
    const listed = analytics.listing ? pages.flatMap(({ page }) => page.rows.map(({ hash }) => hash)) : [];
    const strangers = [...excluded].filter((hash) => !known.has(hash) && !listed.includes(hash));
    return [
      ...forgotten.map(({ name }) => `the query for unwatched spend does not exclude ${name}`),
      ...strangers.map((hash) => `the query for unwatched spend excludes the strange ${hash}`),
      ...overlooked(question, excluded),
    ];
  }

  /** The keys of the last whole list that still exist. */
  function overlooked({ at, atMs }: Question, excluded: ReadonlySet<string>): readonly string[] {
    // By a wrong clock, a key may have expired before the month.
    if (Math.abs(world.time.skewMs()) > 1000) return [];
    const { listing } = world.settings().analytics ?? {};
    const pages = pagesOf(accountAnswers(world, at)).filter(
      // Both queries of a run exclude what was known at its start.
      ({ question }) => (question.endedAt ?? at) <= at - LONGEST_RUN_MS,
    );
    const whole = listing ? lastListing(pages) : [];
    const since = listedAt(whole);
    if (since <= world.settingsSince() || since <= world.disturbedAt()) return [];
    // Lists that are cut do not prolong the time to live of what they lack.
    if (at - since > 3 * listEveryMs - EARLY_MS) return [];
    const existing = new Set(world.keys.stayed(atMs - (at - since), atMs));
    return (
      whole
        .flatMap(({ page }) => page.rows)
        // The secret of a key may have changed since.
        .filter(({ key, hash }) => existing.has(key) && world.files.listedHash(key) === hash)
        .filter(({ title }) => !(listing === "some" && HIDDEN.test(title)))
        .flatMap(({ hash, title }) =>
          excluded.has(hash) ? [] : [`the query for unwatched spend does not exclude the listed ${title}`],
        )
    );
  }

  return {
    asked: judgeFilter,
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "unwatched"));
      listEveryMs = intervalMs(scrape, "discovery");
      if (Math.abs(world.time.skewMs()) > 1000 || world.isApplying()) return [];
      return WINDOWS.flatMap((window) => judgeWindow(window, scrape));
    },
  };
}

const WINDOWS = ["day", "month"] as const;
type Window = (typeof WINDOWS)[number];
const HIDDEN = new RegExp(EXCLUDED);
/** For a run that lasts, and for its publishing. */
const SLACK_MS = 40_000;
const PUBLISHED_MS = 3000;
const LONGEST_RUN_MS = 45_000;
/** Values are withdrawn a few seconds before the end of their time to live. */
const EARLY_MS = 8000;

function isOfWindow(window: Window, asOfMs: number, atMs: number): boolean {
  return windowEnd(window, asOfMs) === windowEnd(window, atMs);
}
