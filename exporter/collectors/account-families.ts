import { ACCOUNT_PROVENANCE as FROM } from "../gateway/provenance.ts";
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
