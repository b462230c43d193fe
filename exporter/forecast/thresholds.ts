import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time/window.ts";

/** When a forecast announces an exhaustion. Times are in milliseconds, shares from 0 to 1. */
export const thresholds = {
  /**
   * Exhausted: at most this share is left, and no call succeeds. That is so if nothing was spent for `idle`, although
   * the rate of the last hour would use up the share within `rest`.
   */
  exhaustedRatio: 0.005,
  exhausted: { idle: 10 * MINUTE_MS, rest: 2 * MINUTE_MS },
  exhaustedSeldom: { idle: 30 * MINUTE_MS, rest: 10 * MINUTE_MS },
  /** Imminent: runs out within this time at the present rate. Short, because it wakes an operator. */
  imminent: 40 * MINUTE_MS,
  /** Below this, imminent does not begin: too little time is left to act. */
  imminentOver: 2 * MINUTE_MS,
  /** Replaces `imminent` for a key whose earlier days suggest that the credits may just last. */
  imminentUncertain: 20 * MINUTE_MS,
  /**
   * Imminent at once if the next hour of a usual day needs at least 1 / `margin` of what is left. Otherwise imminent
   * waits until the rate of 15 minutes uses it up within `quarter`.
   */
  nextHour: { margin: 1.3, quarter: 22 * MINUTE_MS },
  /**
   * Imminent although the rate is new: at the rate of the last day, what is left lasts for less than this
   * fraction of the time to the reset, or of a day.
   */
  longBefore: 0.05,
  /**
   * Imminent early: the rate has lasted, a typical day needs more than `ratio` times what is left, and the rate
   * of the last 15 minutes leaves less than `within`. Nothing is imminent earlier.
   */
  certain: { ratio: 2, within: HOUR_MS },
  /** A rate above this multiple of the fastest 15 minutes (or hour) of the last three days is unusual. */
  unusual15m: 2,
  unusual1h: 1.2,
  /** Replaces `predictedSoon` for a lasting rate while no whole day is known, so that no habit is. */
  predictedAtFirst: 100 * MINUTE_MS,
  /** The fastest 15 minutes of an hour of the gateway's history, as a multiple of its mean. */
  seededPeak: 1.5,
  /** Stands in for both peaks while none are known, as a multiple of the mean rate of the UTC windows. */
  learningPeak: 3,
  /** Imminent however short the rate has lasted: above this multiple of that peak of 15 minutes. */
  unusualNow: 4,
  /** Below this multiple of the usual rate at this hour, earlier days are a guide. */
  asUsual: 3,
  /**
   * The rest of a typical day needs less than this multiple of what is left. Below `Perhaps`, imminent does not come
   * early. Below `Usually`, it does not come at all, and predicted only if the rate of an hour uses up what is left
   * within `lastsRate`. Below `Surely`, predicted does not come either.
   */
  lastsPerhaps: 1.3,
  lastsUsually: 1.1,
  lastsSurely: 0.7,
  lastsRate: 100 * MINUTE_MS,
  /** A rate is lasting if it is above this fraction of the hourly rate in each quarter of the hour. */
  lastingPart: 0.4,
  /** An hour is no guide for forecasts if less than this share was left at any time. */
  dryRatio: 0.015,
  /**
   * A forecast made a day before the reset must exceed what is left by this fraction; the margin shrinks to 0
   * at the reset.
   */
  forecastMargin: 0.5,
  /** So many of the earlier days must confirm such a forecast. */
  mostDays: 0.75,
  /**
   * The rate of the last day confirms such a forecast if it uses up what is left within this multiple of the
   * time to the reset.
   */
  dayConfirms: 1.5,
  /** Predicted: runs out within this time at a lasting rate. */
  predictedSoon: 3 * HOUR_MS,
  /** Predicted: runs out within this time at the rates of both the last hour and the last 15 minutes, lasting or not. */
  predictedAnyway: HOUR_MS,
  /** Predicted: runs out within this time both at the present rate and at the usual rate of the next hour. */
  predictedNextHour: 2 * HOUR_MS,
  /** Predicted stays while the credits run out within twice this time at the rate of six hours. */
  predicted: DAY_MS,
  /** Predicted for limits of several days: runs out within this time at the rate of the last day. */
  predictedDays: 16 * HOUR_MS,
  /** Slow, for limits that reset monthly or never: runs out within this time at the rates of a day and of three days. */
  slow: 7 * DAY_MS,
  /** An announcement lasts for this long without an answer of the gateway, if the limit does not reset before. */
  unheard: 12 * HOUR_MS,
  /** What is left has grown by this factor: a refund, which is judged anew. */
  refund: 2,
  /** Balances of accounts, which never reset. Imminent: within this time at the rate of the last hour. */
  accountImminent: 4 * HOUR_MS,
  /** Imminent within this time at the last hour's rate, whatever the six-hour rate is. */
  accountAnyway: HOUR_MS,
  /** Slow: within this time at the rate of three days, and within `slow` at that of a day, because days differ. */
  accountSlow: 5 * DAY_MS,
  /** A balance that buys credits by itself has been too low for this time: a purchase is missing. */
  topUpMissing: 30 * MINUTE_MS,
  /** Spending has gone on for this time since the balance was used up: it bounds nothing. */
  overdrawn: 30 * MINUTE_MS,
  /** A budget has no forecast in this first share of its window. */
  budgetForecastAfter: 0.1,
} as const;
