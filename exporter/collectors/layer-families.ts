import { LAYER_PROVENANCE as FROM } from "../gateway/provenance.ts";
import { gauge, info } from "../metrics/family.ts";

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
  limit: ofLayer("limit_credits", `Credits that the layer allows per window (${FROM.limit}).`),
  spent: ofLayer("spent_credits", `Credits counted against the layer in its window (${FROM.spent}).`),
  remaining: ofLayer(
    "remaining_credits",
    `Credits left of the layer, 0 or negative when the gateway refuses the key's calls (${FROM.remaining}).`,
  ),
  nextReset: ofLayer(
    "next_reset_timestamp_seconds",
    `When the layer resets next, seconds since the epoch (${FROM.resetsAt}, else computed from ${FROM.interval}).`,
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
    `Credits that the keys of a shared budget may spend together per window (${FROM.limit}).`,
  ),
  spent: shared("spent_credits", `Credits counted against the shared budget in its window (${FROM.spent}).`),
  remaining: shared(
    "remaining_credits",
    `Credits left of the shared budget, 0 or negative when the gateway refuses the calls of its keys (${FROM.remaining}).`,
  ),
  nextReset: shared(
    "next_reset_timestamp_seconds",
    `When the shared budget resets next, seconds since the epoch (${FROM.resetsAt}, else computed from ${FROM.interval}).`,
    `it never resets, or its reset is unknown; ${GONE}`,
  ),
};
