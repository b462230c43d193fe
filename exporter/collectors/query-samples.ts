import type { AnalyticsAnswer } from "../gateway/analytics.ts";
import { type Sample, sample } from "../metrics/family.ts";
import type { Window } from "../time/window.ts";
import { queryFamilies as families } from "./analytics-families.ts";
import type { TargetState } from "./collector.ts";

/** What an answer says of itself. Without a window it is shown until its time to live. */
export function answerSamples(
  query: string,
  answer: AnalyticsAnswer,
  range: Window,
  window: Window | undefined,
  askedAtMs: number,
): readonly Sample[] {
  const about = { query };
  // No answer tells of what is to come: a clock of the service that is ahead would hide that its data grow old.
  const dataMs = Math.min(answer.cachedAtMs ?? range.endMs, askedAtMs);
  return [
    ...sample(families.dataTimestamp, about, dataMs / 1000, window),
    ...sample(families.windowStart, about, range.startMs / 1000, window),
    ...sample(families.windowEnd, about, range.endMs / 1000, window),
    ...sample(families.rows, about, answer.rows.length + answer.unreadableRows, window),
    ...sample(families.truncated, about, Number(answer.truncated), window),
    ...sample(families.warnings, about, answer.warnings.length, window),
    ...sample(families.duration, about, toSeconds(answer.queryTimeMs), window),
    ...sample(families.unreadable, about, answer.unreadableRows, window),
  ];
}

/** What the outcome of the polls says of a query. */
export function stateSamples(query: string, state: TargetState): readonly Sample[] {
  return [
    ...sample(families.up, { query }, state.up === undefined ? undefined : Number(state.up)),
    ...sample(families.lastSuccess, { query }, toSeconds(state.lastSuccessMs)),
  ];
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
