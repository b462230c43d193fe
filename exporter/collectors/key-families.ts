import { type Family, gauge, info, stateset } from "../metrics/family.ts";

const FOREVER = "before the first answer; 3 intervals after the last good one";
const WITHIN = (window: string) => `${FOREVER}; from the end of the ${window} until it is settled`;
const AT_RESET = "the limit is unlimited or not known; from the limit's reset until it is settled";

function spend(name: string, what: string, absent: string): Family<"key"> {
  return gauge({
    name: `aigateway_key_${name}_credits`,
    help: `Credits ${what} of GET /key).`,
    labels: ["key"],
    absent,
  });
}

/** What `GET /key` tells (contract 2.7). `key` is the configured name, never a part of the secret. */
export const keyFamilies = {
  up: gauge({
    name: "aigateway_key_up",
    help: "Whether the last poll of the key succeeded (1) or failed (0).",
    labels: ["key"],
    absent: "before the first poll",
  }),
  unauthorized: gauge({
    name: "aigateway_key_unauthorized",
    help: "Whether the service refuses the key (1): the last answer that could tell was a 401. Other failures do not change it.",
    labels: ["key"],
    absent: "before the first success or 401",
  }),
  lastSuccess: gauge({
    name: "aigateway_key_last_success_timestamp_seconds",
    help: "When the last good answer for the key was asked for, seconds since the epoch. Outlives the values.",
    labels: ["key"],
    absent: "before the first good answer",
  }),
  info: info({
    name: "aigateway_key_info",
    help: "Always 1, for every configured key. The label is the masked fragment that the service shows (field label of GET /key), empty unless show_label is set.",
    labels: ["key", "label"],
    absent: "with show_label before the first answer and 3 intervals after the last good one, else never",
  }),
  ownerInfo: info({
    name: "aigateway_key_owner_info",
    help: "Always 1, for every configured key: who owns it, from the configuration. Empty where nothing is set, so that a join drops no key.",
    labels: ["key", "team", "project", "cost_center"],
    absent: "never",
  }),
  unlimited: gauge({
    name: "aigateway_key_unlimited",
    help: "Whether the key has no credit limit: 1 if the field limit of GET /key is null, else 0.",
    labels: ["key"],
    absent: FOREVER,
  }),
  limit: spend(
    "limit",
    "that the key may spend per reset window, or in all if it never resets (field limit",
    `the key is unlimited; ${FOREVER}`,
  ),
  remaining: spend(
    "limit_remaining",
    "left of the limit in its window, 0 or negative when it is used up (field limit_remaining",
    AT_RESET,
  ),
  limitReset: stateset({
    name: "aigateway_key_limit_reset",
    help: "When the limit starts anew, 1 for the state that applies (field limit_reset of GET /key; null is never, a text that is not known is other).",
    labels: ["key", "aigateway_key_limit_reset"],
    absent: FOREVER,
  }),
  nextReset: gauge({
    name: "aigateway_key_limit_next_reset_timestamp_seconds",
    help: "When the limit starts anew, seconds since the epoch: the next 00:00 UTC, Monday or first of the month, from the field limit_reset of GET /key.",
    labels: ["key"],
    absent: "the limit never resets or its reset is not known; from the reset until it is settled",
  }),
  windowStart: gauge({
    name: "aigateway_key_limit_window_start_timestamp_seconds",
    help: "When the current window of the limit began, seconds since the epoch, from the field limit_reset of GET /key.",
    labels: ["key"],
    absent: "the limit never resets or its reset is not known; from the reset until it is settled",
  }),
  usage: spend(
    "usage",
    "used since the key exists; corrections may lower it, so use delta and not rate (field usage",
    FOREVER,
  ),
  usageDay: spend("usage_day", "used in the current UTC day (field usage_daily", WITHIN("day")),
  usageWeek: spend(
    "usage_week",
    "used in the current UTC week, from Monday (field usage_weekly",
    WITHIN("week"),
  ),
  usageMonth: spend("usage_month", "used in the current UTC month (field usage_monthly", WITHIN("month")),
  byokUsage: spend(
    "byok_usage",
    "used with keys of your own at a provider, since the key exists (field byok_usage",
    FOREVER,
  ),
  byokUsageDay: spend(
    "byok_usage_day",
    "used with keys of your own in the current UTC day (field byok_usage_daily",
    WITHIN("day"),
  ),
  byokUsageWeek: spend(
    "byok_usage_week",
    "used with keys of your own in the current UTC week (field byok_usage_weekly",
    WITHIN("week"),
  ),
  byokUsageMonth: spend(
    "byok_usage_month",
    "used with keys of your own in the current UTC month (field byok_usage_monthly",
    WITHIN("month"),
  ),
  byokInLimit: gauge({
    name: "aigateway_key_byok_in_limit",
    help: "Whether usage with keys of your own at a provider counts toward the limit (field include_byok_in_limit of GET /key).",
    labels: ["key"],
    absent: FOREVER,
  }),
  freeTier: gauge({
    name: "aigateway_key_free_tier",
    help: "The field is_free_tier of GET /key as sent, 1 for true. The contract words it as whether the user has ever paid for credits, which reads as the opposite of the name.",
    labels: ["key"],
    absent: FOREVER,
  }),
  expiry: gauge({
    name: "aigateway_key_expiry_timestamp_seconds",
    help: "When the key expires, seconds since the epoch (field expires_at of GET /key, which not every service sends).",
    labels: ["key"],
    absent: `the key does not expire or the service does not tell; ${FOREVER}`,
  }),
  freeRequestsLimit: gauge({
    name: "aigateway_key_free_requests_day_limit",
    help: "Requests to free models that are allowed per UTC day (field free_model_daily_requests of GET /key, which not every service sends).",
    labels: ["key"],
    absent: `the service does not tell; ${WITHIN("day")}`,
  }),
  freeRequestsUsed: gauge({
    name: "aigateway_key_free_requests_day_used",
    help: "Requests to free models in the current UTC day (field free_model_daily_requests of GET /key).",
    labels: ["key"],
    absent: `the service does not tell; ${WITHIN("day")}`,
  }),
  freeRequestsRemaining: gauge({
    name: "aigateway_key_free_requests_day_remaining",
    help: "Requests to free models left in the current UTC day (field free_model_daily_requests of GET /key).",
    labels: ["key"],
    absent: `the service does not tell; ${WITHIN("day")}`,
  }),
};
