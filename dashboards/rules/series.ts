import type { Series } from "../promql.ts";

function ofKey(name: string): Series<"job" | "gateway" | "key"> {
  return { name: `key:aigateway_${name}`, labels: ["job", "gateway", "key"] };
}

function ofBudget(name: string): Series<"job" | "gateway" | "budget"> {
  return { name: `budget:aigateway_${name}`, labels: ["job", "gateway", "budget"] };
}

const instanceFreshest: Series<"job" | "gateway" | "instance" | "key"> = {
  name: "instance_key:aigateway_last_success_timestamp_seconds:freshest",
  labels: ["job", "gateway", "instance", "key"],
};

const keyOwner: Series<"job" | "gateway" | "key" | "team"> = {
  name: "key:aigateway_owner_info:latest",
  labels: ["job", "gateway", "key", "team"],
};

const budgetOwner: Series<"job" | "gateway" | "budget" | "scope" | "window" | "team"> = {
  name: "budget:aigateway_info:latest",
  labels: ["job", "gateway", "budget", "scope", "window", "team"],
};

function ofProbe(name: string): Series<"job" | "gateway" | "probe"> {
  return { name: `probe:aigateway_${name}`, labels: ["job", "gateway", "probe"] };
}

const probeOwner: Series<"job" | "gateway" | "probe" | "model" | "key" | "team"> = {
  name: "probe:aigateway_info:latest",
  labels: ["job", "gateway", "probe", "model", "key", "team"],
};

function ofAccount(name: string): Series<"job" | "gateway"> {
  return { name: `account:aigateway_${name}`, labels: ["job", "gateway"] };
}

/** The series of the recording rules, for alerts and panels. Rates are in credits per second, times in seconds. */
export const recorded = {
  keyOwner,
  instanceFreshest,
  lastSuccess: ofKey("last_success_timestamp_seconds:max"),
  lastSuccessDayAgo: ofKey("last_success_timestamp_seconds:day_ago"),
  usage: ofKey("limit_usage_credits:latest"),
  usageDayAgo: ofKey("limit_usage_credits:day_ago"),
  usageMidnight: ofKey("limit_usage_credits:midnight"),
  usageMidnightBefore: ofKey("limit_usage_credits:midnight_before"),
  usageDay: ofKey("limit_usage_day_credits:latest"),
  limit: ofKey("limit_credits:latest"),
  resetSeconds: ofKey("limit_reset_seconds:left"),
  remaining: ofKey("limit_remaining_credits:latest"),
  burn15m: ofKey("limit_usage_credits:burn15m"),
  burn1h: ofKey("limit_usage_credits:burn1h"),
  burn6h: ofKey("limit_usage_credits:burn6h"),
  burn1d: ofKey("limit_usage_credits:burn1d"),
  burn3d: ofKey("limit_usage_credits:burn3d"),
  exhaustion15m: ofKey("limit_exhaustion_seconds:burn15m"),
  exhaustion1h: ofKey("limit_exhaustion_seconds:burn1h"),
  exhaustionSoon: ofKey("limit_exhaustion_seconds:burn15m_soon"),
  exhaustionLasting: ofKey("limit_exhaustion_seconds:burn1h_lasting"),
  exhaustion6h: ofKey("limit_exhaustion_seconds:burn6h"),
  exhaustion1d: ofKey("limit_exhaustion_seconds:burn1d"),
  exhaustion3d: ofKey("limit_exhaustion_seconds:burn3d"),
  burn15mMax2h: ofKey("limit_usage_credits:burn15m_max2h"),
  burn1hMax2h: ofKey("limit_usage_credits:burn1h_max2h"),
  burn15mMax3d: ofKey("limit_usage_credits:burn15m_max3d"),
  burn1hMax3d: ofKey("limit_usage_credits:burn1h_max3d"),
  burn15mPeak: ofKey("limit_usage_credits:burn15m_peak"),
  burn1hPeak: ofKey("limit_usage_credits:burn1h_peak"),
  unusualHour: ofKey("limit_usage_credits:burn1h_unusual"),
  burn1hUsual: ofKey("limit_usage_credits:burn1h_usual"),
  burn1hUsualNext: ofKey("limit_usage_credits:burn1h_usual_next"),
  burn1hMax7d: ofKey("limit_usage_credits:burn1h_max7d"),
  burn1dMax2h: ofKey("limit_usage_credits:burn1d_max2h"),
  burn1dMax7d: ofKey("limit_usage_credits:burn1d_max7d"),
  remainingRatioMin2h: ofKey("limit_remaining_ratio:min2h"),
  remainingRatioMin1d: ofKey("limit_remaining_ratio:min1d"),
  spentYesterday: ofKey("limit_usage_credits:yesterday"),
  spentTypicalDayBefore: ofKey("limit_usage_credits:typical_day_before"),
  spentTypicalDay: ofKey("limit_usage_credits:typical_day"),
  restShareYesterday: ofKey("day_rest_share:yesterday"),
  restShareBefore: ofKey("day_rest_share:typical_before"),
  restShare: ofKey("day_rest_share:typical"),
  restOfDay: ofKey("day_rest_credits:forecast"),
  needed: ofKey("limit_usage_credits:needed"),
  restRatio: ofKey("day_rest_ratio:usual"),
  nearlyOut: ofKey("limit_remaining_credits:nearly_out"),
  limitChanged: ofKey("limit_credits:changed"),
  imminent: ofKey("limit_exhaustion_seconds:imminent"),
  predicted: ofKey("limit_remaining_credits:predicted"),
  slow: ofKey("limit_exhaustion_seconds:slow"),
  low: ofKey("limit_remaining_ratio:low"),
  exhaustedSince: ofKey("alert_start_timestamp_seconds:exhausted"),
  imminentSince: ofKey("alert_start_timestamp_seconds:imminent"),
  predictedSince: ofKey("alert_start_timestamp_seconds:predicted"),
  slowSince: ofKey("alert_start_timestamp_seconds:slow"),
  lowSince: ofKey("alert_start_timestamp_seconds:low"),
  alertEnd: ofKey("alert_end_timestamp_seconds:unheard"),
  alertLimit: ofKey("limit_credits:alerted"),
  unheard: ofKey("last_success_age_seconds:unheard"),
  burnGateway: ofKey("limit_usage_credits:burn_gateway"),
  runsOutByRates: ofKey("limit_exhaustion_seconds:expected_by_rates"),
  runsOut: ofKey("limit_exhaustion_seconds:expected"),
  mayRunOut: ofKey("limit_exhaustion_seconds:estimated"),
  accountExhaustedSince: ofAccount("alert_start_timestamp_seconds:exhausted"),
  budgetOwner,
  budgetLimit: ofBudget("limit_credits:max"),
  budgetSpent: ofBudget("spent_credits:max"),
  budgetComplete: ofBudget("complete:min"),
  budgetPrevious: ofBudget("spent_credits:previous"),
  budgetRestShare: ofBudget("window_rest_share:previous"),
  budgetForecast: ofBudget("spent_credits:forecast"),
  budgetBurn1h: ofBudget("spent_credits:burn1h"),
  budgetBurn6h: ofBudget("spent_credits:burn6h"),
  budgetBurn1d: ofBudget("spent_credits:burn1d"),
  budgetBurn3d: ofBudget("spent_credits:burn3d"),
  accountLastSuccess: ofAccount("last_success_timestamp_seconds:max"),
  accountBought: ofAccount("bought_credits:latest"),
  accountUsed: ofAccount("used_credits:latest"),
  accountBalance: ofAccount("balance_credits:latest"),
  accountBurn1h: ofAccount("used_credits:burn1h"),
  accountBurn6h: ofAccount("used_credits:burn6h"),
  accountBurn1d: ofAccount("used_credits:burn1d"),
  accountBurn3d: ofAccount("used_credits:burn3d"),
  accountExhaustion1h: ofAccount("exhaustion_seconds:burn1h"),
  accountExhaustion6h: ofAccount("exhaustion_seconds:burn6h"),
  accountExhaustion1d: ofAccount("exhaustion_seconds:burn1d"),
  accountExhaustion3d: ofAccount("exhaustion_seconds:burn3d"),
  probeOwner,
  probeInterval: ofProbe("interval_seconds:max"),
  probeLastRun: ofProbe("last_run_timestamp_seconds:max"),
  probeLastSuccess: ofProbe("last_success_timestamp_seconds:max"),
  probeDuration: ofProbe("duration_seconds:answered"),
  probeDurationRecent: ofProbe("duration_seconds:median_recent"),
  probeDurationWeek: ofProbe("duration_seconds:median7d"),
  probeWordErrors: ofProbe("word_error_ratio:max"),
  probeWordErrorsRecent: ofProbe("word_error_ratio:median_recent"),
  probeWordErrorsWeek: ofProbe("word_error_ratio:median7d"),
} as const;
