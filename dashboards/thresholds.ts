import { INTERVALS_TO_LIVE, LOW_SHARE } from "../exporter/metrics/thresholds.ts";

/** Durations in seconds. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** All alert thresholds; the panels use the same ones for their colours. Times are in seconds, shares from 0 to 1. */
export const thresholds = {
  /**
   * Exhausted: at most this share is left and no call succeeds: nothing was spent for `idle`, although at the
   * hourly rate it would be used up within `rest`.
   */
  exhaustedRatio: 0.005,
  exhausted: { idle: 10 * MINUTE, rest: 2 * MINUTE },
  exhaustedSeldom: { idle: 30 * MINUTE, rest: 10 * MINUTE },
  /**
   * Critical: runs out within this time at the present rate. Short, because it wakes an operator; the warning
   * covers the hours before.
   */
  imminent: 40 * MINUTE,
  /** Below this, the alert no longer fires: too little time is left to act. */
  imminentOver: 2 * MINUTE,
  /** Replaces `imminent` for a key whose earlier days suggest that the credits may just last. */
  imminentUncertain: 20 * MINUTE,
  /**
   * The usual next hour uses up what is left if it needs 1 / `margin` of it. If not, the page waits until the
   * rate of 15 minutes leaves only `quarter`.
   */
  nextHour: { margin: 1.3, quarter: 22 * MINUTE },
  /**
   * Critical even if the rate has not lasted: the rate of the last day uses up what is left within this
   * fraction of the time to the reset, or of a day.
   */
  longBefore: 0.05,
  /**
   * Critical early: the rate has lasted, a typical day needs more than `ratio` times what is left, and the
   * rate of the last 15 minutes leaves less than `within`. No page comes earlier.
   */
  certain: { ratio: 2, within: HOUR },
  /** A rate is unusual above this multiple of the fastest 15 minutes, or of the fastest hour, in three days. */
  unusual15m: 2,
  unusual1h: 1.2,
  /** Critical however short the rate has lasted: above this multiple of that peak of 15 minutes. */
  unusualNow: 4,
  /** Below this multiple of the usual rate at this hour, earlier days are a guide. */
  asUsual: 3,
  /**
   * The rest of a typical day needs less than this multiple of what is left. `Perhaps`: no early page.
   * `Usually`: no page, and no warning from the present rate unless the rate of an hour leaves less than
   * `lastsRate`. `Surely`: no such warning even then.
   */
  lastsPerhaps: 1.3,
  lastsUsually: 1.1,
  lastsSurely: 0.7,
  lastsRate: 100 * MINUTE,
  /** A rate is lasting if it is above this fraction of the hourly rate in each quarter of the hour. */
  lastingPart: 0.4,
  /** A day is excluded from forecasts if less than this share was left at any time. */
  dryRatio: 0.015,
  /**
   * A forecast made a day before the reset must exceed what is left by this fraction; the margin shrinks to 0
   * at the reset.
   */
  forecastMargin: 0.5,
  /**
   * The rate of the last day confirms such a forecast if it uses up what is left within this multiple of the
   * time to the reset.
   */
  dayConfirms: 1.5,
  /** Warning: runs out within this time at a lasting rate. */
  predictedSoon: 3 * HOUR,
  /** Warning: runs out within this time at the rates of both the last hour and the last 15 minutes, lasting or not. */
  predictedAnyway: HOUR,
  /** Warning: runs out within this time both at the present rate and at the usual rate of the next hour. */
  predictedNextHour: 2 * HOUR,
  /** Warning: runs out within this time at the key's usual spending. */
  predicted: DAY,
  /** Warning for limits of several days: runs out within this time at the rate of the last day. */
  predictedDays: 16 * HOUR,
  /** Warning for limits that reset monthly or never; for prepaid balances, at the rate of the last day. */
  slow: 7 * DAY,
  /** Unwatched keys: above this spend of the current day, which is the least that two decimals show. */
  unwatchedCredits: 0.01,
  /** Critical for prepaid balances: runs out within this time at the rate of the last hour. */
  prepaidImminent: 4 * HOUR,
  /**
   * Critical for prepaid balances, whatever the rate of six hours: runs out within this time at the rate of
   * the last hour.
   */
  prepaidAnyway: HOUR,
  /**
   * Warning for prepaid balances: runs out within this time at the rate of three days, and within `slow` at
   * the rate of a day. Less than a week, because spending differs from day to day.
   */
  prepaidSlow: 5 * DAY,
  /** Limit low: below this remaining share of the limit. */
  low: LOW_SHARE,
  /** An alert that fires is kept for this long without an answer of the gateway, if the limit does not reset before. */
  unheard: 12 * HOUR,
  expiresSoon: 7 * DAY,
  /** Free quota low: below this remaining share of the daily requests to free models. */
  freeQuotaLow: 0.1,
  /**
   * Anomaly: above this multiple of the fastest hour, or of the most expensive day, of the last week. A rate
   * below `credits` per hour does not matter.
   */
  anomaly: { hour: 2, day: 1.5, credits: 1 },
  /** A budget has no forecast in this first share of its window. */
  forecastAfter: 0.1,
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
  /**
   * Two runs of a probe have failed if its last run started this many intervals after the last success. One
   * failed run is slightly more than 1.
   */
  probeFailedIntervals: 1.5,
  /** A probe does not run if its last run was this many intervals ago; then its values are withdrawn. */
  probeStaleIntervals: INTERVALS_TO_LIVE,
  /** Slow: above this multiple of the previous week's median duration, and by at least this many seconds. */
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
