/** Every threshold of the alerts, once; panels colour by the same ones. Times are seconds, shares 0 to 1. */
export const thresholds = {
  /** Exhausted: at most this share is left and nothing was spent for `exhaustedIdle`: what is left serves no call. */
  exhaustedRatio: 0.005,
  exhaustedIdle: 5 * 60,
  /** Critical: out within this at the present rate. Short, since an operator is woken; the hours are the warning's. */
  imminent: 40 * 60,
  /** Warning: out within this at a rate that has lasted an hour. */
  predictedSoon: 3 * 3600,
  /** Warning: out within this by what this key usually spends. */
  predicted: 24 * 3600,
  /** Warning for monthly and never-reset limits. */
  slow: 7 * 24 * 3600,
  /** Prepaid balances: out within this at the rate of the last hour. */
  budgetImminent: 4 * 3600,
  /** Share of the limit that is left. */
  low: 0.1,
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
  upstreamErrors: 0.5,
  /** Share of series_limit. */
  seriesLimit: 0.9,
} as const;
