import { LOW_SHARE } from "../exporter/metrics/thresholds.ts";

/** Every threshold of the alerts, once; panels colour by the same ones. Times are seconds, shares 0 to 1. */
export const thresholds = {
  /** Exhausted: at most this share is left, and it serves no call: nothing was spent for `idle`, and `rest` at the hour's rate would have used it up. */
  exhaustedRatio: 0.005,
  exhausted: { idle: 10 * 60, rest: 2 * 60 },
  exhaustedSeldom: { idle: 30 * 60, rest: 10 * 60 },
  /** Critical: out within this at the present rate. Short, since an operator is woken; the hours are the warning's. */
  imminent: 40 * 60,
  /** Nobody can act on less. */
  imminentOver: 2 * 60,
  /** The same where other days say that it may just last. */
  imminentDoubtful: 25 * 60,
  /** The rate falls when the last quarter of an hour has less than this part of the hour's. */
  falling: 0.6,
  /** Times the fastest quarter of an hour, and the fastest hour, of three days. */
  unusual15m: 1.5,
  unusual1h: 1.2,
  /** Today needs less than this part of what is left, as days go: no alarm, or none even when the rate leaves only 90 minutes. */
  lastsPerhaps: 1.2,
  lastsUsually: 0.9,
  lastsSurely: 0.7,
  /** A rate lasts when each quarter of the hour has this part of it. */
  lastingPart: 0.4,
  /** A day on which less than this share was left at some time is no guide. */
  dryRatio: 0.015,
  /** The part of yesterday that is mixed into the forecast of today. */
  yesterdaysPart: 0.3,
  /** A day ahead, a forecast must exceed what is left by this part; less and less until the reset. */
  forecastMargin: 0.25,
  /** Warning: out within this at a rate that has lasted. */
  predictedSoon: 3 * 3600,
  /** Warning, whether the rate has lasted or not: out within this at the rates of the last hour and of its last quarter. */
  predictedAnyway: 3600,
  /** Warning: out within this by what this key usually spends. */
  predicted: 24 * 3600,
  /** Where nothing is known of other days: out within this at the rate of the last hour, and well before the reset at that of six. */
  predictedBlind: 4 * 3600,
  blindMargin: 0.7,
  /** Warning for monthly and never-reset limits. */
  slow: 7 * 24 * 3600,
  /** Prepaid balances: out within this at the rate of the last hour. */
  budgetImminent: 4 * 3600,
  /** Share of the limit that is left. */
  low: LOW_SHARE,
  expiresSoon: 7 * 24 * 3600,
  /** Share of the daily requests to free models that is left. */
  freeQuotaLow: 0.1,
  /** Times the fastest hour of the last week. */
  anomalyFactor: 3,
  /** Credits an hour below which an anomaly interests nobody. */
  anomalyCredits: 1,
  /** Share of a budget's window in which nothing is forecast. */
  forecastAfter: 0.1,
  /** Data are stale after this, or after `staleIntervals` intervals of polling if that is more. */
  keyStale: 15 * 60,
  analyticsStale: 60 * 60,
  /** The query last_month is asked hourly. */
  closedMonthStale: 4 * 3600,
  staleIntervals: 5,
  /** Two runs of a probe have failed when its last one lies so many intervals behind the last success: one and a bit is one failed run. */
  probeFailedIntervals: 1.5,
  /** Probes are not run when the last run lies so many intervals back; then their values are withdrawn. */
  probeStaleIntervals: 3,
  /** Times the median duration of the week before, and so many seconds more. */
  probeSlowFactor: 2,
  probeSlowSeconds: 1,
  /** Word error rate above the median of the week before: a tenth of the words. */
  probeWordErrors: 0.1,
  /** Medians of fewer runs than these say nothing. */
  probeRecentRuns: 3,
  probeWeekRuns: 20,
  upstreamErrors: 0.5,
  /** Share of series_limit. */
  seriesLimit: 0.9,
} as const;
