import { INTERVALS_TO_LIVE, LOW_SHARE } from "../exporter/metrics/thresholds.ts";

/** Durations in seconds. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * The thresholds of the alerts that compare facts; the panels use the same ones for their colours. Those of the
 * forecast are the exporter's. Times are in seconds, shares from 0 to 1.
 */
export const thresholds = {
  /** Unwatched keys: above this spend of the current day, which is the least that two decimals show. */
  unwatchedCredits: 0.01,
  /** Limit low: below this remaining share of the limit. */
  low: LOW_SHARE,
  expiresSoon: 7 * DAY,
  /** Free quota low: below this remaining share of the daily requests to free models. */
  freeQuotaLow: 0.1,
  /**
   * Anomaly: above this multiple of the fastest hour, or of the most expensive day, of the last week. A rate
   * below `credits` per hour does not matter.
   */
  anomaly: { hour: 2, day: 1.5, credits: 1 },
  /**
   * A forecast at the beginning of the window must exceed the budget by this fraction; the margin shrinks to
   * 0 at its end.
   */
  budgetMargin: 0.1,
  /** Data are stale after this time, or after `staleIntervals` poll intervals if that is longer. */
  keyStale: 15 * MINUTE,
  analyticsStale: 60 * MINUTE,
  /** The same for the query last_month, which runs hourly. */
  completeWindowStale: 4 * HOUR,
  staleIntervals: 5,
  /** Keys are polled too rarely: the shortest rate of the forecast spans a quarter of an hour. */
  pollIntervalLong: 15 * MINUTE,
  /**
   * Two runs of a probe have failed if its last run started this many intervals after the last success. One
   * failed run is slightly more than 1.
   */
  probeFailedIntervals: 1.5,
  /** A probe does not run if its last run was this many intervals ago; then its values are withdrawn. */
  probeStaleIntervals: INTERVALS_TO_LIVE,
  /** Slow: above this multiple of the previous week's median duration, and this many seconds more. */
  probeSlowFactor: 2,
  probeSlowSeconds: 1,
  /** Increase of the word error rate over the previous week's median: a tenth of the words. */
  probeWordErrors: 0.1,
  /** Minimum number of runs for a median to be meaningful. */
  probeRecentRuns: 3,
  probeWeekRuns: 20,
  upstreamErrors: 0.5,
  /** Series limit nearly reached: above this used share of series_limit. */
  seriesLimit: 0.9,
  /** Rule evaluation falls behind: above this share of the interval of a group. */
  ruleEvaluation: 0.8,
} as const;
