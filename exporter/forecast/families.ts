import { type Family, gauge, info, stateset } from "../metrics/family.ts";

const BASIS = "from what was spent in the last minutes, hours and days, and at this time of earlier days";
const OUTLOOK_UNTIL =
  "The outlook stays while the gateway does not answer, until the reset and for 12 hours at most.";

function exhaustion<const Label extends string>(name: string, what: string, labels: readonly Label[]) {
  return gauge({
    name: `aigateway_${name}_exhaustion_timestamp_seconds`,
    help: `When the credits of ${what} run out or ran out, seconds since the epoch: an estimate ${BASIS}.`,
    labels,
    absent: "no exhaustion is announced",
  });
}

function burn<const Label extends string>(name: string, what: string, labels: readonly Label[]) {
  return gauge({
    name: `aigateway_${name}_burn_credits_per_hour`,
    help: `Credits per hour that ${what} spent in the last hour or day (window); corrections and refunds count as 0.`,
    labels,
    absent: "too little of the window is known; before the first answer",
  });
}

/** How long limits, balances and budgets last, judged once for metrics, alerts, page and JSON. */
export const forecastFamilies = {
  keyOutlook: stateset({
    name: "aigateway_key_outlook",
    help: `How long the key can spend, 1 for the state that applies: an estimate ${BASIS}. What ends first, before its own reset, decides: a limit of the key, a budget that it shares, or the balance of the account. ${OUTLOOK_UNTIL}`,
    labels: ["key", "aigateway_key_outlook"],
    absent:
      "before the first answer; with a management key, until the gateway's history has come, for two minutes at most",
  }),
  keyOutlookSource: info({
    name: "aigateway_key_outlook_source_info",
    help: "Always 1 for what decides the outlook of the key: the source of one of its budgets, or account.",
    labels: ["key", "source"],
    absent: "the key's own limit decides, and there is no other budget; before the first answer",
  }),
  keyUrgency: gauge({
    name: "aigateway_key_exhaustion_urgency",
    help: `How soon the key runs out of credits that no other key uses: 5 if aigateway_key_outlook is exhausted, 4 imminent, 3 predicted, 2 slow, 1 learning with less than a tenth of its limit left, 0 otherwise. Also 0 if a shared budget or the balance of the account decides that it runs out, which have alerts of their own. team is that of its owner.`,
    labels: ["key", "team"],
    absent: "there is no aigateway_key_outlook",
  }),
  keyExhaustion: exhaustion("key", "the key", ["key"]),
  layerOutlook: stateset({
    name: "aigateway_key_layer_outlook",
    help: `How long a budget of the key lasts, 1 for the state that applies: an estimate ${BASIS}. ${OUTLOOK_UNTIL}`,
    labels: ["key", "source", "aigateway_key_layer_outlook"],
    absent: "the key has no budget but its own limit; before the first answer",
  }),
  layerExhaustion: exhaustion("key_layer", "a budget of the key", ["key", "source"]),
  sharedOutlook: stateset({
    name: "aigateway_shared_limit_outlook",
    help: `How long a budget lasts that several keys share, 1 for the state that applies: an estimate ${BASIS}. ${OUTLOOK_UNTIL}`,
    labels: ["source", "id", "aigateway_shared_limit_outlook"],
    absent: "no key is bound by a shared budget; before the first answer",
  }),
  sharedExhaustion: exhaustion("shared_limit", "a shared budget", ["source", "id"]),
  sharedBurn: burn("shared_limit", "a shared budget", ["source", "id", "window"]),
  keyBurn: burn("key", "the key", ["key", "window"]),
  keyUsualBurn: gauge({
    name: "aigateway_key_usual_burn_credits_per_hour",
    help: "Credits per hour of the most expensive hour or 24 hours (window) in the seven UTC days before yesterday: what aigateway_key_burn_credits_per_hour is usually at most.",
    labels: ["key", "window"],
    absent: "the exporter knows less than four days of what the key spent",
  }),
  accountOutlook: stateset({
    name: "aigateway_account_outlook",
    help: `How long the balance of the account lasts, 1 for the state that applies: an estimate ${BASIS}. ${OUTLOOK_UNTIL}`,
    labels: ["aigateway_account_outlook"],
    absent: "there is no management key; before the first answer",
  }),
  accountExhaustion: exhaustion("account", "the account", []),
  accountBurn: burn("account", "the account", ["window"]),
  budgetForecast: gauge({
    name: "aigateway_budget_forecast_credits",
    help: "Credits that the budget will have spent at the end of its window: of a day or a week, if it continues like the previous one, else at its mean rate.",
    labels: ["budget"],
    absent:
      "in the first tenth of the window; the spend is unknown or incomplete; the window is total, which has no end; several shards poll the keys of the budget",
  }),
  budgetOutlook: stateset({
    name: "aigateway_budget_outlook",
    help: `How long a prepaid balance (a budget of the account with the window total) lasts, 1 for the state that applies: an estimate ${BASIS}. ${OUTLOOK_UNTIL}`,
    labels: ["budget", "aigateway_budget_outlook"],
    absent: "all other budgets; before the first answer",
  }),
  budgetExhaustion: exhaustion("budget", "a prepaid balance", ["budget"]),
} satisfies Record<string, Family>;
