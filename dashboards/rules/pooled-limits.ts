import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { MINUTE } from "../thresholds.ts";
import { uids } from "../uids.ts";
import { figures } from "./figures.ts";
import { outlookOf } from "./outlook.ts";
import { GATEWAY } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";
import { sharedLimitFamilies as families } from "../../exporter/collectors/key-families.ts";

/** Alerts on budgets that several keys share at the gateway: one for each budget, however many keys it binds. */
export function sharedLimits(settings: Settings): RuleGroup {
  const link = { uid: uids.account, labels: ["job"] };
  const { timing } = settings;
  return {
    name: "aigateway-shared-limits",
    comment: "Budgets of members and workspaces, which bind several keys.",
    interval: timing.duration(2 * MINUTE),
    rules: [imminent, predicted].map((define) => createAlert(settings, link, define(timing))),
  };
}

const { state, announced } = outlookOf(
  forecastFamilies.sharedOutlook,
  forecastFamilies.sharedExhaustion,
  "aigateway_shared_limit_outlook",
);

const FIGURES = figures(["job", "gateway", "source", "id"], {
  left: (of) => `max(${families.remaining.name}${of})`,
  limit: (of) => `max(${families.limit.name}${of})`,
  exhaustion: (of) => `min(${forecastFamilies.sharedExhaustion.name}${of})`,
  reset: (of) => `max(${families.nextReset.name}${of})`,
});

const SUBJECT = "Budget {{ $labels.source }} {{ $labels.id }}";

function budgets(...conditions: readonly string[]): string {
  return ["max by (job, gateway, source, id) (", `  ${conditions.join("\n  ")}`, ")"].join("\n");
}

function imminent(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewaySharedLimitExhaustionImminent",
    severity: "critical",
    fires: "A budget that several keys share is about to be used up, or has been used up.",
    expr: budgets(state(timing, "imminent", "exhausted")),
    for: 2 * MINUTE,
    summary: FIGURES(SUBJECT, timing, "is about to be used up, or is used up"),
    description: `${SUBJECT}${GATEWAY} is about to be used up before its reset, or is used up; then the gateway refuses the calls of all keys that share it (403). Find out which of them spends, and stop it, or raise the budget.`,
  };
}

function predicted(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewaySharedLimitExhaustionPredicted",
    severity: "warning",
    fires: "A budget that several keys share will be used up before its reset.",
    expr: budgets(
      state(timing, "slow", "predicted", "imminent", "exhausted"),
      `and on (job, gateway, source, id) ${announced(timing)}`,
    ),
    for: 2 * MINUTE,
    summary: FIGURES(SUBJECT, timing, "will be used up before its reset"),
    description: `${SUBJECT}${GATEWAY} will be used up before its reset, or has been since this alert began; then the gateway refuses the calls of all keys that share it (403). Raise it, or agree on lower spending with the owners of its keys.`,
  };
}
