import { accountFamilies as families } from "../../exporter/collectors/account-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { figures } from "./figures.ts";
import { outlookOf } from "./outlook.ts";
import { GATEWAY, LOOK } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on the balance of the account. */
export function accountBalance(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) =>
    createAlert(settings, { uid: uids.account, labels: ["job"] }, definition);
  const { timing } = settings;
  return {
    name: "aigateway-account",
    comment: "The balance of the account. It needs a management key.",
    interval: timing.duration(MINUTE),
    rules: [exhausted, imminent, predicted, slow, low, stale].map((define) => alert(define(timing))),
  };
}

const { state, announced } = outlookOf(
  forecastFamilies.accountOutlook,
  forecastFamilies.accountExhaustion,
  "aigateway_account_outlook",
);

const FIGURES = figures(["job", "gateway"], {
  left: (of) => `max(${families.balance.name}${of})`,
  exhaustion: (of) => `min(${forecastFamilies.accountExhaustion.name}${of})`,
});

const REFUSED = `every call of the account${GATEWAY} fails (402), whatever the limits of its keys`;

function accounts(...conditions: readonly string[]): string {
  return ["max by (job, gateway) (", `  ${conditions.join("\n  ")}`, ")"].join("\n");
}

function exhausted(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayAccountExhausted",
    severity: "critical",
    fires: "The balance of the account is used up, without an announcement.",
    expr: accounts(state(timing, "exhausted"), `unless on (job, gateway) ${announced(timing)}`),
    for: 2 * MINUTE,
    summary: FIGURES("The account", timing, "is out of credits"),
    description: `The balance is used up: ${REFUSED}. Buy credits now; the dashboard shows which keys spent them.`,
  };
}

function imminent(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayAccountExhaustionImminent",
    severity: "critical",
    fires: "The balance of the account is about to run out, or has run out since.",
    expr: accounts(state(timing, "imminent", "exhausted"), `and on (job, gateway) ${announced(timing)}`),
    for: 2 * MINUTE,
    summary: FIGURES("The account", timing, "is about to run out of credits, or has run out"),
    description: `The balance is about to be used up, or has been since this alert began; then ${REFUSED}. Buy credits now, or find out which key is spending and stop it. If it buys credits by itself, look at its payment method.`,
  };
}

function predicted(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayAccountExhaustionPredicted",
    severity: "warning",
    fires: "The balance of the account will run out within a day.",
    expr: accounts(
      state(timing, "predicted", "imminent", "exhausted"),
      `and on (job, gateway) ${announced(timing)}`,
    ),
    for: 2 * MINUTE,
    summary: FIGURES("The account", timing, "will run out of credits within a day"),
    description: `The balance is used up within a day, or has been since this alert began; then ${REFUSED}. Buy credits today.`,
  };
}

function slow(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayAccountExhaustionSlow",
    severity: "warning",
    fires: "The balance of the account will run out within a week.",
    expr: accounts(state(timing, "slow")),
    for: 2 * MINUTE,
    summary: FIGURES("The account", timing, "will run out of credits within a week"),
    description: `The balance is used up within a week; then ${REFUSED}. Buy credits this week.`,
  };
}

function low(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayAccountBalanceLow",
    severity: "warning",
    fires: "The balance of the account is below account.low_balance.",
    expr: promql`max by (job, gateway) (${families.balance} < ${families.lowBalance})`,
    for: 10 * MINUTE,
    summary: FIGURES("The account", timing, 'has {{ $value | printf "%.2f" }} credits left'),
    description: `The balance of the account${GATEWAY} is below account.low_balance of the configuration. Buy credits.`,
  };
}

function stale({ now, memory }: Timing): AlertDefinition {
  const interval = select(selfFamilies.pollInterval, { collector: "analytics" });
  return {
    name: "AIGatewayAccountDataStale",
    severity: "warning",
    fires: "The balance of the account is no longer updated.",
    expr: promql`
      ${now} - max by (job, gateway) (last_over_time(${families.lastSuccess}[${memory}]))
      > clamp_min(${thresholds.staleIntervals} * max by (job, gateway) (last_over_time(${interval}[${memory}])), ${thresholds.analyticsStale})`,
    for: 10 * MINUTE,
    summary: `The balance of the account is {{ $value | humanizeDuration }} old`,
    description: `The account${GATEWAY} may run out of credits without an alert. ${LOOK}`,
  };
}
