import { ACCOUNT_PROVENANCE as FROM, AMOUNT_PROVENANCE, USAGE_PROVENANCE } from "../gateway/provenance.ts";
import { gauge, info, stateset } from "../metrics/family.ts";

const UNPROVED =
  "no management key is configured, or the service does not accept it as one; the service has no such operation; 3 intervals after the last good answer";

function ofAccount(name: string, help: string, absent: string) {
  return gauge({ name: `aigateway_account_${name}`, help, labels: [], absent });
}

/** The account as a whole, which only a management key can read. */
export const accountFamilies = {
  bought: ofAccount(
    "bought_credits",
    `Credits that the account has bought in all (${FROM.bought}). Falls with refunds, transfers and expiries.`,
    UNPROVED,
  ),
  used: ofAccount("used_credits", `Credits that the account has used in all (${FROM.used}).`, UNPROVED),
  balance: ofAccount(
    "balance_credits",
    `Credits that the account has left: bought less used (${FROM.bought} less ${FROM.used}). May be negative.`,
    UNPROVED,
  ),
  lowBalance: ofAccount(
    "low_balance_credits",
    "Credits below which the balance of the account counts as low (account.low_balance of the configuration).",
    "it is not configured",
  ),
  lastSuccess: ofAccount(
    "last_success_timestamp_seconds",
    "When the credits of the account were last requested without a failure, seconds since the epoch. Outlives the values.",
    "before that",
  ),
  capabilities: info({
    name: "aigateway_analytics_capabilities_info",
    help: `Always 1. The labels are the numbers of metrics, dimensions and granularities that the service lists for analytics queries (${FROM.capabilities}).`,
    labels: ["metrics", "dimensions", "granularities"],
    absent: "the service does not list them",
  }),
};

/**
 * How the spend was found. `filter`: the service leaves the watched keys out. `difference`: total less
 * watched keys.
 */
export const UNWATCHED_SOURCES = ["filter", "difference"] as const;
export type UnwatchedSource = (typeof UNWATCHED_SOURCES)[number];

const UNKNOWN =
  "the service does not know a watched key by its hash, or warns about the query (aigateway_unwatched_unresolved_keys); discovery has not listed the keys yet; the total may contain BYOK; by difference: a watched key has no recent reading of the window, or the keys add up to more than the total; 3 intervals after the last good answer; from the end of the window until the new one is settled";

function ofWindow(name: string, when: string) {
  return gauge({
    name: `aigateway_unwatched_${name}_credits`,
    help: `Credits spent ${when} outside the watched (configured or listed) keys (${AMOUNT_PROVENANCE.credits}): by keys that are neither, by keys before they were deleted, and without a key. A lower bound while aigateway_unwatched_source is difference.`,
    labels: [],
    absent: UNKNOWN,
  });
}

/** Spend of the account that no watched key explains. */
export const unwatchedFamilies = {
  day: ofWindow("day", "in the current UTC day so far"),
  month: ofWindow("month", "in the current UTC month so far"),
  source: stateset({
    name: "aigateway_unwatched_source",
    help: "How the unwatched spend was found: filter (the service leaves out the watched keys by their hashes), or difference (the total less the spend of each watched key, for more than 1000 keys or a service that rejects the filter).",
    labels: ["aigateway_unwatched_source"],
    absent: "before the first good answer; 3 intervals after the last",
  }),
  unresolved: gauge({
    name: "aigateway_unwatched_unresolved_keys",
    help: `Watched keys that the service does not know by their hash (${USAGE_PROVENANCE.warnings}) or whose secret could not be read, so that their spend would count as unwatched; 1 for other warnings. While it is not 0, the unwatched spend is not shown.`,
    labels: [],
    absent: "the spend is found by difference; before the first good answer; 3 intervals after the last",
  }),
  lastSuccess: gauge({
    name: "aigateway_unwatched_last_success_timestamp_seconds",
    help: "When the unwatched spend was last requested without a failure, seconds since the epoch. Outlives the values.",
    labels: [],
    absent: "before that",
  }),
};
