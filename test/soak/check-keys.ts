import type { Reset } from "../gateway/windows.ts";
import type { BookHistory, State } from "./book-history.ts";
import { FIGURES, windowStart } from "./figures.ts";
import type { Scrape } from "./scrape.ts";

export interface Truth {
  readonly history: BookHistory;
  /** How long a value may be repeated. */
  readonly timeToLiveMs: number;
  readonly analyticsTimeToLiveMs: number;
  readonly resetOf: (key: string) => Reset | null;
  /** Keys that are no longer in the configuration. */
  readonly gone: ReadonlySet<string>;
  /** Keys that come and go; a sum may lack any of them. */
  readonly away: ReadonlySet<string>;
}

/** A scrape may return a text that was rendered just before it. */
export const GRACE_MS = 1000;

/**
 * The wrong values of a scrape. A value is correct if the books contained it at most one time to live ago, in the
 * current window. All values of one key must come from the same time.
 */
export function wrongValues(scrape: Scrape, truth: Truth): readonly string[] {
  return [...scrape.keys].flatMap(([key, shown]) => {
    if (truth.gone.has(key)) return [`${key} is shown although it is no longer configured`];
    const problem = problemOf(key, shown, scrape, truth);
    return problem === undefined ? [] : [`${key} ${problem}`];
  });
}

/**
 * Keys that are missing, have no values, or have not succeeded since an instant, although nothing has failed since
 * then.
 */
export function missingValues(scrape: Scrape, names: readonly string[], sinceMs: number): readonly string[] {
  return names.flatMap((name) => {
    const shown = scrape.keys.get(name);
    if (!shown) return [`${name} is not shown`];
    if (!shown.has("usage_credits") || !shown.has("unlimited")) return [`${name} has no values`];
    const lastSuccessMs = (shown.get("last_success_timestamp_seconds") ?? 0) * 1000;
    return lastSuccessMs >= sinceMs ? [] : [`${name} has failed for ${scrape.sentMs - lastSuccessMs} ms`];
  });
}

type Shown = ReadonlyMap<string, number>;

function problemOf(key: string, shown: Shown, scrape: Scrape, truth: Truth): string | undefined {
  const seen = FIGURES.flatMap((figure, index) => {
    const value = shown.get(figure.metric);
    return value === undefined ? [] : [{ ...figure, index, value }];
  });
  const { sentMs, receivedMs } = scrape;
  const oldestMs = sentMs - truth.timeToLiveMs - GRACE_MS;
  const states = truth.history.states(key, oldestMs, receivedMs);
  if (!states) return "is not a key of the gateway";
  const lastSuccess = shown.get("last_success_timestamp_seconds");
  if (lastSuccess !== undefined && lastSuccess * 1000 > receivedMs) return "has answered in the future";
  if (seen.length === 0) return undefined;
  const lastAnswer = truth.history.lastAnswer(key, receivedMs);
  if (lastAnswer === undefined || lastAnswer < oldestMs) {
    return `has values, but its last answer is ${lastAnswer === undefined ? "unknown" : `${sentMs - lastAnswer} ms old`}`;
  }
  if (lastSuccess === undefined || lastSuccess * 1000 < oldestMs)
    return "has values older than their time to live";
  const reset = truth.resetOf(key);
  const stateProblem = resetProblem(shown, reset);
  if (stateProblem !== undefined) return stateProblem;
  const isRight = (state: State) =>
    seen.every(
      ({ index, value, window }) =>
        Object.is(state.figures[index], value) && state.until > windowStart(window, reset, sentMs),
    );
  if (states.some(isRight)) return undefined;
  const newest = states.at(-1);
  const wrong = seen.filter(
    ({ index, value }) => !states.some((state) => Object.is(state.figures[index], value)),
  );
  if (wrong.length === 0) return "has values of different times, or of a window that has ended";
  return wrong
    .map(({ metric, value, index }) => `has ${metric} ${value}, the books ${String(newest?.figures[index])}`)
    .join("; ");
}

function resetProblem(shown: Shown, reset: Reset | null): string | undefined {
  const limited = shown.get("unlimited") === 0;
  const state = [...shown].find(([name, value]) => name.startsWith("limit_reset ") && value === 1)?.[0];
  if (!limited || state === undefined || state === `limit_reset ${reset ?? "never"}`) return undefined;
  return `has ${state}, the books ${reset ?? "never"}`;
}
