import type { Window } from "../time/window.ts";
import { thresholds } from "./thresholds.ts";

/** What a budget spent, in credits. */
export interface BudgetSpend {
  readonly spent: number;
  /** The whole window before; undefined: unknown. */
  readonly previous?: number | undefined;
  /** The window before until the same time of its day or week; undefined: unknown, or the window is a month. */
  readonly previousUntilNow?: number | undefined;
}

/**
 * The credits that a budget will have spent at the end of its window: of a day or a week, if it continues like the previous one, else at
 * the mean rate. The previous window's spend is weighted in, so that the first calls of a morning do not look like a trend. Undefined in
 * the first tenth of the window, when a few hours would distort it, and if the window has no end.
 */
export function budgetForecast(
  { spent, previous, previousUntilNow }: BudgetSpend,
  { startMs, endMs }: Window,
  nowMs: number,
): number | undefined {
  const elapsed = (nowMs - startMs) / (endMs - startMs);
  if (!(elapsed > thresholds.budgetForecastAfter) || elapsed > 1) return undefined;
  if (previous === undefined || previousUntilNow === undefined || previous <= 0) return spent / elapsed;
  const rest = Math.max(previous - previousUntilNow, 0) / previous;
  return spent + (rest * (spent + previous)) / (2 - rest);
}
