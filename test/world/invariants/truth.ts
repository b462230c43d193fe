import type { Question } from "../questions.ts";
import {
  figuresOf,
  isRunning,
  KEY_VALUE_FAMILIES,
  keyValues,
  questionsAbout,
  accountAnswers,
  pagesOf,
} from "../shown-keys.ts";
import type { KeySettings } from "../story.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { createLongestInterval, intervalMs } from "../exporter-state.ts";

/**
 * A shown value is what the books had between the question and the age of its data, belongs to the running window,
 * and to the gateway, key and secret that are configured now.
 */
export function createTruth(world: World): Judge {
  const longest = createLongestInterval();
  let longestListingMs = 0;

  /** A suspended process notices only after it resumes that its interval is longer. */
  function intervalMsAt(at: number, last: Question | undefined): number {
    const isResumed = at - world.disturbedAt() < PUBLISHED_MS;
    return Math.max(longest.ms, isResumed && last ? at - last.at : 0);
  }

  function judgeKey(key: KeySettings, { exposition, at, atMs }: Scrape): readonly string[] {
    const labels = { key: key.name };
    const shown = KEY_VALUE_FAMILIES.flatMap((family) => {
      const value = exposition.value(family, labels);
      return value === undefined ? [] : [{ family, value }];
    });
    const questions = questionsAbout(world, key);
    const oldest = at - 3 * intervalMsAt(at, questions.at(-1)) - PUBLISHED_MS;
    const answers = questions.filter((question) => isGood(question, at) && question.at >= oldest);
    const told = [
      ...answers.map((answer) => ({ answer, values: valuesOf(answer) })).toReversed(),
      ...listedValues(key, at),
    ];
    return shown.flatMap(({ family, value }) => {
      const isTrue = told.some(({ values }) =>
        values.some(
          (one) => one.family === family && one.value === value && isRunning(world, one.windowEndMs, atMs),
        ),
      );
      return isTrue
        ? []
        : [`${family} of ${key.name} is ${value}: no answer of the last ${(at - oldest) / 1000} s`];
    });
  }

  function valuesOf(answer: Question): ReturnType<typeof keyValues> {
    const figures = figuresOf(world, answer);
    return figures ? keyValues(figures, answer.asOfMs) : [];
  }

  /** A list of keys contains the figures of a configured key as well, which are shown while its poll has none. */
  function listedValues({ file }: KeySettings, at: number) {
    if (!world.settings().analytics?.listing) return [];
    const oldest = at - 3 * longestListingMs - LISTED_SLACK_MS;
    const accounts = new Set(world.files.tokens(file).map(({ account }) => account));
    return pagesOf(accountAnswers(world, at, oldest)).flatMap(({ question, page }) =>
      page.rows.flatMap(({ key }) => {
        const { gateway, asOfMs } = question;
        if (!accounts.has(key)) return [];
        return { values: keyValues(world.books.key({ gateway, number: key }, asOfMs), asOfMs) };
      }),
    );
  }

  function judgeLabels({ exposition, at }: Scrape): readonly string[] {
    const settings = world.settings();
    const { keys } = settings;
    const names = new Set(settings.keys.map(({ name }) => name));
    const listed = exposition.samples("aigateway_key_discovery_info").map(({ labels }) => labels["key"]);
    const strangers = [...exposition.valuesOf("key")].filter(
      (key) => !names.has(key) && !listed.includes(key),
    );
    const isFresh = at - world.settingsSince() < PUBLISHED_MS;
    return [
      ...strangers.map((key) => `key ${key} is not configured`),
      ...(isFresh ? [] : keys.flatMap((key) => ownerFaults(key, exposition))),
    ];
  }

  return {
    asked: (question) => {
      longest.asked(question);
      return [];
    },
    scraped: (scrape) => {
      longest.scraped(scrape);
      longestListingMs = Math.max(longestListingMs, intervalMs(scrape, "discovery"));
      return [...judgeLabels(scrape), ...world.settings().keys.flatMap((key) => judgeKey(key, scrape))];
    },
  };
}

function ownerFaults(
  { name, team = "", label = false }: KeySettings,
  exposition: Scrape["exposition"],
): readonly string[] {
  const owners = exposition
    .samples("aigateway_key_owner_info")
    .filter(({ labels }) => labels["key"] === name);
  const fragments = exposition.samples("aigateway_key_info").filter(({ labels }) => labels["key"] === name);
  return [
    ...(owners.length === 1 && owners[0]?.labels["team"] === team
      ? []
      : [`${name} has not its owner ${team}`]),
    ...(fragments.length > (label ? 1 : 0) && !label && fragments.some(({ labels }) => labels["label"] !== "")
      ? [`${name} shows a fragment`]
      : []),
    ...(fragments.length > 1 ? [`${name} has ${fragments.length} fragments`] : []),
  ];
}

/** A change of a label is published within this time; a change of identity at once. */
const PUBLISHED_MS = 2000;
/** A list may take this long. */
const LISTED_SLACK_MS = 40_000;

function isGood({ end, endedAt }: Question, at: number): boolean {
  return end === "good" && endedAt !== undefined && endedAt <= at;
}
