import { AMOUNTS } from "../gateway/port.ts";
import { ranges } from "./answers.ts";
import { type BackfillPlan, bucketsOf, daysOf, sampleTimes } from "./plan.ts";

/** What a backfill is about to do; the figures about pairs are estimates. */
export interface Estimate {
  readonly requests: number;
  readonly samples: number;
  readonly bytes: number;
  readonly files: number;
}

/** @param pairsOfDay how many pairs of model and app a day has. */
export function estimateOf(plan: BackfillPlan, pairsOfDay: number): Estimate {
  const parts = ranges(plan).length;
  const secrets = new Set(plan.keys.map(({ hash }) => hash)).size;
  const isPastUsed = plan.untilMs < plan.plannedAtMs;
  const ofPairs = Math.ceil((bucketsOf(plan).length * Math.max(1, pairsOfDay)) / ROWS_OF_ANSWER);
  const days = daysOf(plan);
  const times = days.reduce((sum, day) => sum + sampleTimes(day, plan.stepMs).length, 0);
  const shown = Math.min(plan.top, pairsOfDay) + (pairsOfDay > plan.top ? 1 : 0);
  const series = 1 + plan.keys.length * FAMILIES_OF_KEY + shown * AMOUNTS.length * 4 + FAMILIES_OF_QUERIES;
  return {
    requests: parts * (secrets + 1) + (isPastUsed ? secrets : 0) + ofPairs,
    samples: times * series,
    bytes: times * series * (plan.target.length + BYTES_OF_LINE),
    files: days.length,
  };
}

/** How many rows a question about pairs aims at. */
const ROWS_OF_ANSWER = 600;
const FAMILIES_OF_KEY = 10;
const FAMILIES_OF_QUERIES = 12;
/** Bytes of a line, not counting the target's labels. */
const BYTES_OF_LINE = 80;
