import { AMOUNTS, CREDITS_SOURCES, RATES, type Usage } from "../gateway/port.ts";
import { type Sample, sample, seconds } from "../metrics/family.ts";
import type { UsageReading } from "../readings/reading.ts";
import type { TargetState } from "../schedule/job.ts";
import {
  type Query,
  queryFamilies as families,
  rateFamilies,
  usageFamiliesOf,
} from "./analytics-families.ts";
import type { Window } from "../time/window.ts";
import type { Breakdown } from "./breakdown.ts";

/** The samples about an answer itself: its age, range and gaps. */
export function answerSamples(
  query: string,
  { dataMs, range, window }: UsageReading,
  usage: Usage,
): readonly Sample[] {
  const labels = { query };
  return [
    ...sample(families.dataTimestamp, labels, dataMs / 1000, window),
    ...sample(families.windowStart, labels, range.startMs / 1000, window),
    ...sample(families.windowEnd, labels, range.endMs / 1000, window),
    ...CREDITS_SOURCES.flatMap((source) =>
      sample(
        families.creditsSource,
        { query, aigateway_analytics_credits_source: source },
        source === usage.creditsSource,
        window,
      ),
    ),
    ...sample(families.rows, labels, usage.rows, window),
    ...sample(families.truncated, labels, usage.truncated, window),
    ...sample(families.warnings, labels, usage.warnings, window),
    ...sample(families.duration, labels, seconds(usage.queryTimeMs), window),
    ...sample(families.unreadable, labels, usage.unreadableRows, window),
  ];
}

/** How the rows of an answer were cut. */
export function breakdownSamples(query: string, parts: Breakdown, window: Window): readonly Sample[] {
  return [
    ...sample(families.folded, { query }, parts.foldedPairs, window),
    ...sample(families.colliding, { query }, parts.collidingRows, window),
    ...sample(families.exceedsTotal, { query }, parts.exceedsTotal, window),
  ];
}

/** After midnight "last day" means another day, so every value belongs to the current window. */
export function pairSamples(query: Query, { pairs }: Breakdown, window: Window): readonly Sample[] {
  const usageFamilies = usageFamiliesOf[query];
  return pairs.flatMap(({ model, app, amounts, rates }) => [
    ...AMOUNTS.flatMap((amount) => sample(usageFamilies[amount], { model, app }, amounts[amount], window)),
    ...RATES.flatMap((rate) => sample(rateFamilies[rate], { model, app }, rates[rate], window)),
  ]);
}

/** The state of a query, as samples. */
export function stateSamples(query: string, state: TargetState): readonly Sample[] {
  return [
    ...sample(families.up, { query }, state.up),
    ...sample(families.lastSuccess, { query }, seconds(state.lastSuccessMs)),
  ];
}
