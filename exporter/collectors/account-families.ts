import { ACCOUNT_PROVENANCE as FROM } from "../gateway/wire/account-keys.ts";
import { AMOUNT_PROVENANCE, CAPABILITIES_REQUEST, USAGE_PROVENANCE } from "../gateway/wire/usage.ts";
import { gauge, info } from "../metrics/family.ts";

const UNPROVED =
  "no management key is configured, or the service does not accept it as one; the service has no such operation; 3 intervals after the last good answer";

function ofAccount(name: string, help: string, absent: string) {
  return gauge({ name: `aigateway_account_${name}`, help, labels: [], absent });
}

/** The account as a whole, which only a management key can read. */
export const accountFamilies = {
  bought: ofAccount(
    "bought_credits",
    `Credits that the account has bought in all (${FROM.boughtCredits}). Falls with refunds, transfers and expiries.`,
    UNPROVED,
  ),
  used: ofAccount(
    "used_credits",
    `Credits that the account has used in all (${FROM.usedCredits}).`,
    UNPROVED,
  ),
  balance: ofAccount(
    "balance_credits",
    `Credits that the account has left: bought less used (${FROM.boughtCredits} less ${FROM.usedCredits}). May be negative.`,
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
    help: `Always 1. The labels are the numbers of metrics, dimensions and granularities that the service lists for analytics queries (GET ${CAPABILITIES_REQUEST.path}).`,
    labels: ["metrics", "dimensions", "granularities"],
    absent: "the service does not list them",
  }),
};

const UNKNOWN =
  "the service does not know a watched key by its hash, or warns about the query (aigateway_unwatched_unresolved_keys); it identifies keys by something other than the SHA-256 of their secrets; more than 20,000 keys are watched; discovery has not listed the keys yet; the total may contain BYOK; 3 intervals after the last good answer; from the end of the window until the new one is settled";

function ofWindow(name: string, when: string) {
  return gauge({
    name: `aigateway_unwatched_${name}_credits`,
    help: `Credits spent ${when} outside the watched (configured or listed) keys (${AMOUNT_PROVENANCE.credits}): by keys that are neither, by keys before they were deleted, and without a key.`,
    absent: UNKNOWN,
  });
}

/** Spend of the account that no watched key explains. */
export const unwatchedFamilies = {
  day: ofWindow("day", "in the current UTC day so far"),
  month: ofWindow("month", "in the current UTC month so far"),
  unresolved: gauge({
    name: "aigateway_unwatched_unresolved_keys",
    help: `Watched keys that the service does not know by their hash (${USAGE_PROVENANCE.warnings}) or whose secret could not be read, so that their spend would count as unwatched; 1 for other warnings. While it is not 0, the unwatched spend is not shown.`,
    absent:
      "the service identifies keys by something other than the SHA-256 of their secrets; before the first good answer; 3 intervals after the last",
  }),
  lastSuccess: gauge({
    name: "aigateway_unwatched_last_success_timestamp_seconds",
    help: "When the unwatched spend was last requested without a failure, seconds since the epoch. Outlives the values.",
    absent: "before that",
  }),
};
