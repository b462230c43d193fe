import { KEY_PROVENANCE as FROM, LAYER_PROVENANCE } from "../gateway/wire/key.ts";
import { gauge, info, stateset } from "../metrics/family.ts";

const FOREVER = "before the first answer; 3 intervals after the last good one";
const WITHIN = (window: string) => `${FOREVER}; from the end of the ${window} until the new one is settled`;
const AT_RESET = `the key is unlimited; the service does not send it; ${FOREVER}; from the limit's reset until the new window is settled (if the reset is unknown: from every 00:00 UTC)`;
const NO_RESET = `the key is unlimited; the limit never resets, or its reset is unknown; ${FOREVER}; from the reset until the new window is settled`;

function ofKey(name: string, help: string, absent: string) {
  return gauge({ name: `aigateway_key_${name}`, help, labels: ["key"], absent });
}

function spend(name: string, what: string, provenance: string, absent: string) {
  return ofKey(name, `Credits ${what} (${provenance}).`, absent);
}

/** What the gateway reports about a key (contract 2.7). `key` is the configured name, never a part of the secret. */
export const keyFamilies = {
  up: ofKey(
    "up",
    "Whether the last poll of the key succeeded (1), or failed or is more than 3 intervals old (0).",
    "before the first poll",
  ),
  unauthorized: ofKey(
    "unauthorized",
    "Whether the service rejects the key: 1 after a 401, 0 after a success. Other failures do not change it.",
    "before the first success or 401",
  ),
  lastSuccess: ofKey(
    "last_success_timestamp_seconds",
    "When the last good answer for the key was requested, seconds since the epoch. Outlives the values.",
    "before the first good answer",
  ),
  info: info({
    name: "aigateway_key_info",
    help: `Always 1 for every configured or listed key. The label is the masked fragment that the service shows (${FROM.label}), empty for listed keys and unless show_label is set.`,
    labels: ["key", "label"],
    absent: "only with show_label: before the first answer; 3 intervals after the last good one",
  }),
  ownerInfo: info({
    name: "aigateway_key_owner_info",
    help: "Always 1 for every configured or listed key. The labels are its owner in the configuration or, by discovery.owner, in its name; empty if not set, so that a join drops no key.",
    labels: ["key", "team", "project", "cost_center"],
  }),
  unlimited: ofKey(
    "unlimited",
    `Whether the key has no credit limit: 1 if the ${FROM.limitCredits} is null, else 0.`,
    FOREVER,
  ),
  limit: spend(
    "limit_credits",
    "that the key may spend per reset window, or in total if it never resets",
    FROM.limitCredits,
    `the key is unlimited; ${FOREVER}`,
  ),
  remaining: spend(
    "limit_remaining_credits",
    "left of the limit in its window, 0 or negative when it is used up",
    FROM.remainingCredits,
    AT_RESET,
  ),
  limitReset: stateset({
    name: "aigateway_key_limit_reset",
    help: `When the limit resets, 1 for the state that applies (${FROM.limitReset}; null is never, an unknown text is other).`,
    labels: ["key", "aigateway_key_limit_reset"],
    absent: FOREVER,
  }),
  limitSource: stateset({
    name: "aigateway_key_limit_source",
    help: "Source of the limit that the limit families show, 1 for the state that applies: gateway, or mirrored (limit of the key in the configuration) if less is left of that. If it is unknown what is left of one, the other is shown; a key that is unlimited at the gateway has the mirrored one.",
    labels: ["key", "aigateway_key_limit_source"],
    absent: `the configuration mirrors no limit; ${FOREVER}`,
  }),
  nextReset: ofKey(
    "limit_next_reset_timestamp_seconds",
    `When the limit resets next, seconds since the epoch: the next 00:00 UTC, Monday or first of the month, from the ${FROM.limitReset}.`,
    NO_RESET,
  ),
  windowStart: ofKey(
    "limit_window_start_timestamp_seconds",
    `When the current window of the limit began, seconds since the epoch, from the ${FROM.limitReset}.`,
    NO_RESET,
  ),
  usage: spend(
    "usage_credits",
    "used since the key was created; corrections may lower it, so use delta and not rate",
    FROM.usage,
    FOREVER,
  ),
  usageDay: spend("usage_day_credits", "used in the current UTC day", FROM.usageDay, WITHIN("day")),
  usageWeek: spend(
    "usage_week_credits",
    "used in the current UTC week, from Monday",
    FROM.usageWeek,
    WITHIN("week"),
  ),
  usageMonth: spend("usage_month_credits", "used in the current UTC month", FROM.usageMonth, WITHIN("month")),
  byokUsage: spend(
    "byok_usage_credits",
    "used through your own provider keys since the key was created",
    FROM.byokUsage,
    FOREVER,
  ),
  byokUsageDay: spend(
    "byok_usage_day_credits",
    "used through your own provider keys in the current UTC day",
    FROM.byokUsageDay,
    WITHIN("day"),
  ),
  byokUsageWeek: spend(
    "byok_usage_week_credits",
    "used through your own provider keys in the current UTC week",
    FROM.byokUsageWeek,
    WITHIN("week"),
  ),
  byokUsageMonth: spend(
    "byok_usage_month_credits",
    "used through your own provider keys in the current UTC month",
    FROM.byokUsageMonth,
    WITHIN("month"),
  ),
  byokInLimit: ofKey(
    "byok_in_limit",
    `Whether usage through your own provider keys counts toward the limit (${FROM.byokInLimit}); 0 for a limit of the configuration, which counts credits only.`,
    FOREVER,
  ),
  freeTier: ofKey(
    "free_tier",
    `The ${FROM.freeTier} as sent, 1 for true. The contract describes it as whether the user has ever paid for credits, which reads as the opposite of the name.`,
    FOREVER,
  ),
  expiry: ofKey(
    "expiry_timestamp_seconds",
    `When the key expires, seconds since the epoch (${FROM.expiresAtMs}, which not every service sends).`,
    `the key does not expire or the service does not send it; ${FOREVER}`,
  ),
  secretReplaced: ofKey(
    "secret_replaced_timestamp_seconds",
    "When the first answer with the present secret of the key was asked for, seconds since the epoch. What is shown since then may be of another key of the service.",
    `the secret has been the same since the exporter started; ${FOREVER}`,
  ),
  freeRequestsLimit: ofKey(
    "free_requests_day_limit",
    `Requests to free models that are allowed per UTC day (${FROM.freeRequests}, which not every service sends).`,
    `the service does not send it; ${WITHIN("day")}`,
  ),
  freeRequestsUsed: ofKey(
    "free_requests_day_used",
    `Requests to free models in the current UTC day (${FROM.freeRequests}).`,
    `the service does not send it; ${WITHIN("day")}`,
  ),
  freeRequestsRemaining: ofKey(
    "free_requests_day_remaining",
    `Requests to free models left in the current UTC day (${FROM.freeRequests}).`,
    `the service does not send it; ${WITHIN("day")}`,
  ),
};

const NOT_SENT = "the service sends no budgets and the configuration mirrors no limit";
const GONE = `${NOT_SENT}; 3 intervals after the last good answer; from the layer's reset until the new window is settled`;
const OF_KEY = ["key", "source"] as const;
const SHARED = ["source", "id"] as const;

function ofLayer(name: string, help: string, absent = GONE) {
  return gauge({ name: `aigateway_key_layer_${name}`, help, labels: OF_KEY, absent });
}

function shared(name: string, help: string, absent = GONE) {
  return gauge({ name: `aigateway_shared_limit_${name}`, help, labels: SHARED, absent });
}

/**
 * Every budget that can refuse a key's calls. `source`: the scope that the service names, key_limit (the key's own
 * limit) or mirrored (limit of the key in the configuration). Budgets that several keys share are families of their own.
 */
export const layerFamilies = {
  limit: ofLayer(
    "limit_credits",
    `Credits that the layer allows per window (${LAYER_PROVENANCE.limitCredits}).`,
  ),
  spent: ofLayer(
    "spent_credits",
    `Credits counted against the layer in its window (${LAYER_PROVENANCE.spentCredits}).`,
  ),
  remaining: ofLayer(
    "remaining_credits",
    `Credits left of the layer, 0 or negative when the gateway refuses the key's calls (${LAYER_PROVENANCE.remainingCredits}).`,
  ),
  nextReset: ofLayer(
    "next_reset_timestamp_seconds",
    `When the layer resets next, seconds since the epoch (${LAYER_PROVENANCE.resetsAtMs}, else computed from ${LAYER_PROVENANCE.reset}).`,
    `the layer never resets, or its reset is unknown; ${GONE}`,
  ),
  spendable: gauge({
    name: "aigateway_key_spendable_credits",
    help: "Credits that the key can still spend: the least that is left of its limit, of each layer above it and, where it is known, of the balance of the account. bounded_by names that one.",
    labels: ["key", "bounded_by"],
    absent:
      "nothing bounds the key, or what is left of one of its bounds is unknown; 3 intervals after the last good answer; from a reset until the new window is settled",
  }),
  sharedInfo: info({
    name: "aigateway_key_shared_limit_info",
    help: "Always 1 for each budget that the key shares with others; source and id are those of the series aigateway_shared_limit_credits.",
    labels: ["key", "source", "id"],
    absent: "no shared budget bounds the key; 3 intervals after the last good answer",
  }),
};

export const sharedLimitFamilies = {
  limit: shared(
    "credits",
    `Credits that the keys of a shared budget may spend together per window (${LAYER_PROVENANCE.limitCredits}).`,
  ),
  spent: shared(
    "spent_credits",
    `Credits counted against the shared budget in its window (${LAYER_PROVENANCE.spentCredits}).`,
  ),
  remaining: shared(
    "remaining_credits",
    `Credits left of the shared budget, 0 or negative when the gateway refuses the calls of its keys (${LAYER_PROVENANCE.remainingCredits}).`,
  ),
  nextReset: shared(
    "next_reset_timestamp_seconds",
    `When the shared budget resets next, seconds since the epoch (${LAYER_PROVENANCE.resetsAtMs}, else computed from ${LAYER_PROVENANCE.reset}).`,
    `it never resets, or its reset is unknown; ${GONE}`,
  ),
};
