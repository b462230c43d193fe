import type { Question } from "../questions.ts";
import { type KeyValue, figuresOf, keyValues, questionsAbout } from "../shown-keys.ts";
import { endOf, type FaultKind, type KeySettings, type StoryEvent } from "../story.ts";
import { SETTLE_MS, keyRoundSeconds } from "../troubles.ts";
import { DAY_MS } from "../calendar.ts";
import type { Judge, Scrape, World } from "../world.ts";

/**
 * A key whose own answers are good is shown at all times, but for the settling after midnight, whatever other keys,
 * faults or the pace do.
 */
export function createPresence(world: World): Judge {
  /** Whether anything happens to the key, or to everything, between two elapsed times. */
  function isTroubled({ file }: KeySettings, from: number, to: number): boolean {
    const number = world.files.tokens(file).at(-1)?.account ?? file;
    return world.story.events.some((event) => {
      const isThen = event.at * 1000 <= to && endOf(event) * 1000 + LINGERING_MS >= from;
      return isThen && concerns(event, file, number);
    });
  }

  function missingOf(key: KeySettings, scrape: Scrape): readonly string[] {
    const { exposition, at, atMs } = scrape;
    const asked = questionsAbout(world, key);
    const last = asked.findLast(
      ({ end, endedAt }) => end === "good" && endedAt !== undefined && endedAt <= at - PUBLISHED_MS,
    );
    if (!last)
      return asked.length === 0 && isOverdue(key, at) ? [`${key.name} has never been asked about`] : [];
    if (last.at < world.maskedAt(key.name) || isTroubled(key, last.at, at) || wasStepped(last.at)) return [];
    if (
      asked.some((question) => question.at > last.at && question.end !== undefined && question.end !== "good")
    )
      return [];
    const figures = figuresOf(world, last);
    if (!figures) return [];
    const newer = asked
      .filter(({ end, endedAt = -1 }) => end === "good" && endedAt > at - PUBLISHED_MS && endedAt <= at)
      .flatMap((answer) => {
        const newerFigures = figuresOf(world, answer);
        return newerFigures
          ? [new Set(keyValues(newerFigures, answer.asOfMs).map(({ family }) => family))]
          : [];
      });
    const age = `; last answered ${Math.round((at - last.at) / 1000)} s ago`;
    const begunMs = last.asOfMs - (last.at - firstAttempt(asked, last));
    return keyValues(figures, last.asOfMs)
      .filter(({ family }) => newer.every((families) => families.has(family)))
      .filter((value) => mustBeShown(value, begunMs, key, { at, atMs }))
      .filter(({ family }) => exposition.value(family, { key: key.name }) === undefined)
      .map(({ family }) => `${family} of ${key.name} is missing${age}`);
  }

  function mustBeShown(
    { windowEndMs }: KeyValue,
    asOfMs: number,
    key: KeySettings,
    { at, atMs }: Pick<Scrape, "at" | "atMs">,
  ): boolean {
    if (windowEndMs === undefined) return true;
    if (Math.abs(world.time.skewMs()) > 0) return false;
    const sinceMidnightMs = atMs % DAY_MS;
    const isSettled = asOfMs >= atMs - sinceMidnightMs + SETTLE_MS;
    if (isSettled && windowEndMs > atMs) return true;
    // Everything is polled again after the settling.
    const midnight = at - sinceMidnightMs;
    return (
      sinceMidnightMs > SETTLE_MS + roundMs() && !isTroubled(key, midnight, at) && !isHeldUp(midnight, at)
    );
  }

  /** Requests that hang occupy the connections of a configuration that has few, so that a round takes longer. */
  function isHeldUp(from: number, to: number): boolean {
    return world.story.events.some(
      (event) =>
        event.do === "fault" &&
        OCCUPYING.has(event.what) &&
        world.settings().connections <= FEW_CONNECTIONS &&
        event.at * 1000 <= to &&
        endOf(event) * 1000 + DEADLINE_MS >= from,
    );
  }

  function roundMs(): number {
    return Math.max(120_000, 2 * keyRoundSeconds(world.settings()) * 1000);
  }

  /** A run whose first attempt was before the step of the clock is as old as the step. */
  function wasStepped(at: number): boolean {
    const agesMs = world.story.events.flatMap((event) => (event.do === "step" ? at - event.at * 1000 : []));
    return agesMs.some((ageMs) => ageMs >= 0 && ageMs < DEADLINE_MS);
  }

  function isOverdue(key: KeySettings, at: number): boolean {
    const since = Math.max(world.configuredSince(key.name), world.startedAt());
    return at - since > roundMs() + PUBLISHED_MS && !isTroubled(key, since, at) && !isHeldUp(since, at);
  }

  return { scraped: (scrape) => world.settings().keys.flatMap((key) => missingOf(key, scrape)) };
}

/** When the run began whose last attempt is the question: a run is as old as its first one. */
function firstAttempt(asked: readonly Question[], last: Question): number {
  const before = asked.filter(({ at, end }) => at < last.at && at > last.at - DEADLINE_MS && end !== "good");
  return before[0]?.at ?? last.at;
}

const RARE = 10;
const OCCUPYING: ReadonlySet<FaultKind> = new Set(["hang", "late", "slow"]);
const FEW_CONNECTIONS = 4;
/** Of a run. */
const DEADLINE_MS = 35_000;
const PUBLISHED_MS = 2500;
const LINGERING_MS = 1000;

function concerns(event: StoryEvent, file: number, account: number): boolean {
  switch (event.do) {
    case "fault":
      // A rare fault does not hide keys that it does not meet.
      if (event.endpoint !== "key" || (event.oneIn ?? 1) > RARE) return false;
      return event.accounts === undefined || event.accounts.includes(account);
    case "reload":
    case "key":
    case "limit":
    case "metric":
      return false;
    case "file":
    case "rotate":
      return event.file === file;
    case "restart":
    case "step":
    case "suspend":
      return true;
  }
}
