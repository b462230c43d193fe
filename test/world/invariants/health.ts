import { parseOpenMetrics, parseTextFormat } from "../../support/openmetrics.ts";
import type { Question } from "../questions.ts";
import { questionsAbout } from "../shown-keys.ts";
import { endOf, type KeySettings } from "../story.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { keyRoundSeconds } from "../troubles.ts";
import { createLongestInterval, intervalMs } from "../exporter-state.ts";

/** Every scrape is answered, in time and valid for an independent reader; up, ready, lag and interval are true. */
export function createHealth(world: World): Judge {
  let count = 0;
  const longest = createLongestInterval();

  const intervals: { readonly at: number; readonly ms: number }[] = [];

  function isFileWrong(file: number, since: number): boolean {
    return world.story.events.some(
      (event) => event.do === "file" && event.file === file && endOf(event) * 1000 > since,
    );
  }

  /** A reload aborts what is under way, also between two attempts, which is no failure. */
  function wasAborted({ at, endedAt = Infinity }: Question): boolean {
    const reloadedAt = world.settingsSince();
    return at <= reloadedAt && reloadedAt <= endedAt + LONGEST_RUN_MS;
  }

  function judgeUp(key: KeySettings, { exposition, at }: Scrape): readonly string[] {
    const { name, file } = key;
    const up = exposition.value("aigateway_key_up", { key: name });
    const questions = questionsAbout(world, key);
    const last = questions.findLast(({ end, endedAt = Infinity }) => end === "good" && endedAt <= at);
    if (!last) return up === 1 ? [`${name} is up without an answer`] : [];
    // A step of the clock is no time.
    const ageMs = world.time.clock.monotonic() - last.monotonic;
    // A suspended process notices only after it resumes that its interval is longer.
    const isResumed = at - world.disturbedAt() < PUBLISHED_MS;
    if (up === 1 && !isResumed && ageMs > 3 * longest.ms + PUBLISHED_MS)
      return [`${name} is up, answered ${ageMs / 1000} s ago`];
    if (isFileWrong(file, Math.max(last.at, world.startedAt()))) return [];
    const later = questions.filter((question) => question.at > last.at && !wasAborted(question));
    // The process has not processed yet what ended while it was suspended.
    if (up === 1) return at - world.disturbedAt() < LONGEST_RUN_MS ? [] : failingFaults(name, later, at);
    // A reload may change the interval, but a value that had lapsed before stays away until its key is polled.
    return last.at < Math.max(world.disturbedAt(), world.settingsSince())
      ? []
      : downFaults(name, { ...last, at: runBeganAt(questions, last) }, later, {
          at,
          intervalMs: shortestSince(last.at),
        });
  }

  /** A value that has lapsed by a short interval stays away when the interval turns out to be longer. */
  function shortestSince(since: number): number {
    const shown = intervals.filter((_, index) => (intervals[index + 1]?.at ?? Infinity) >= since);
    return Math.min(...shown.map(({ ms }) => ms));
  }

  function judgeReady({ isReady, isHealthy }: Scrape): readonly string[] {
    const isOld = world.time.clock.monotonic() - world.startedMonotonic() > 31_000;
    return [
      ...(isHealthy ? [] : ["not healthy"]),
      ...(isOld && !isReady ? ["not ready after half a minute"] : []),
    ];
  }

  function judgeInterval(scrape: Scrape): readonly string[] {
    const { keys } = world.settings();
    const shown = intervalMs(scrape, "key");
    if (keys.length === 0) return [];
    const round = keyRoundSeconds(world.settings()) * 1000;
    if (scrape.at - world.settingsSince() > PUBLISHED_MS && shown < round - 1)
      return [`the interval is ${shown} ms, less than a round of ${round} ms`];
    return [];
  }

  /** The wait of the key that waits longest, as the questions show it. The lag is measured on the monotonic clock. */
  function judgeLag({ exposition, at }: Scrape): readonly string[] {
    const { keys } = world.settings();
    const lag = (exposition.value("aigateway_exporter_poll_lag_seconds", { collector: "key" }) ?? 0) * 1000;
    const interval =
      (exposition.value("aigateway_exporter_poll_interval_seconds", { collector: "key" }) ?? 0) * 1000;
    const frozenMs = at - world.time.clock.monotonic();
    const attempts = keys.map((key) =>
      Math.max(questionsAbout(world, key).at(-1)?.at ?? world.startedAt(), world.configuredSince(key.name)),
    );
    const real = Math.max(0, at - Math.min(...attempts) - interval);
    const least = real - frozenMs - PUBLISHED_MS;
    const isFile = keys.some(({ file }) => isFileWrong(file, Math.min(...attempts)));
    if (lag > real + LONGEST_RUN_MS) return [`the lag is ${lag} ms, really ${real} ms`];
    return lag < least && !isFile ? [`the lag is ${lag} ms, really ${real} ms`] : [];
  }

  return {
    asked: (question) => {
      longest.asked(question);
      return [];
    },
    scraped: (scrape) => {
      longest.scraped(scrape);
      intervals.push({ at: scrape.at, ms: intervalMs(scrape, "key") });
      if (count++ % STRICT_EACH === 0) parseTextFormat(scrape.text);
      if (scrape.openMetrics !== undefined) parseOpenMetrics(scrape.openMetrics);
      return [
        ...judgeReady(scrape),
        ...judgeInterval(scrape),
        ...judgeLag(scrape),
        ...(world.isApplying() ? [] : world.settings().keys.flatMap((key) => judgeUp(key, scrape))),
      ];
    },
  };
}

function failingFaults(name: string, later: readonly Question[], at: number): readonly string[] {
  const isFailing =
    later.length > 0 && later.every(({ endedAt = Infinity }) => endedAt < at - LONGEST_RUN_MS);
  return isFailing ? [`${name} is up although its last run failed`] : [];
}

/** A value is as old as the run that got it, which may have been refused before, and paused. */
function runBeganAt(questions: readonly Question[], last: Question): number {
  const before = questions.findLast(({ at }) => at < last.at);
  const isRetry = before?.end === "bad" && last.at - (before.endedAt ?? before.at) < LONGEST_RUN_MS;
  return isRetry ? runBeganAt(questions, before) : last.at;
}

/** The time to live is three intervals. */
function downFaults(
  name: string,
  last: Question,
  later: readonly Question[],
  { at, intervalMs: shortMs }: { readonly at: number; readonly intervalMs: number },
): readonly string[] {
  const isGood = later.length === 0 && (last.endedAt ?? at) < at - PUBLISHED_MS && at - last.at < shortMs;
  return isGood ? [`${name} is not up although its last run succeeded`] : [];
}

const PUBLISHED_MS = 2500;
/** The strict reader is slow. The quick one reads every scrape. */
const STRICT_EACH = 25;
/** The deadline of a run, and its last retry. */
const LONGEST_RUN_MS = 45_000;
