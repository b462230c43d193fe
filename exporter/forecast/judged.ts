import type { Course } from "./course.ts";

/** What is judged: the state of a limit, and the course of what was used of it. Unknown numbers are NaN. */
export interface Judged {
  readonly course: Course;
  readonly nowMs: number;
  readonly left: number;
  readonly limit: number;
  /** Milliseconds until the limit resets; infinite if it never does, or if the reset is unknown. */
  readonly resetMs: number;
  /** It resets monthly or never. */
  readonly isLong: boolean;
  readonly rates: Rates;
  /** The largest mean rate of the current UTC windows: all that is known of a key at its first reading. */
  readonly windowRate: () => number;
  /** What a day like the earlier ones still spends, on a day that ends with a reset. */
  readonly restOfDay: number;
  /** The account buys credits by itself once less is left; 0: it does not. */
  readonly topUpBelow: number;
}

/** Credits per millisecond. */
export interface Rates {
  readonly quarter: number;
  readonly hour: number;
  readonly sixHours: number;
  readonly day: number;
  readonly threeDays: number;
}

/** The time until what is left is used up at a rate; NaN while nothing is spent. */
export function lasts(left: number, rate: number): number {
  return rate > 0 ? Math.max(left, 0) / rate : NaN;
}
