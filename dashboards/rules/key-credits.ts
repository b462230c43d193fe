import { keyFamilies as families, layerFamilies } from "../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import type { Outlook } from "../../exporter/forecast/outlook.ts";
import { uids } from "../uids.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { promql, type Series } from "../promql.ts";
import { figures } from "./figures.ts";
import { outlookOf } from "./outlook.ts";
import { KEY, keysWith, ofKeyOwner } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on what is left of a key's limit. */
export function keyCredits(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) =>
    createAlert(settings, { uid: uids.key, labels: ["job", "key"] }, definition);
  const { timing } = settings;
  return {
    name: "aigateway-key-credits",
    comment: "Keys that are out of credits, or will be before the limit resets.",
    interval: timing.duration(2 * MINUTE),
    rules: [exhausted, imminent, predicted, slow, low].map((define) => alert(define(timing))),
  };
}

const { state: outlook, announced } = outlookOf(
  forecastFamilies.keyOutlook,
  forecastFamilies.keyExhaustion,
  "aigateway_key_outlook",
);

/** What a key shares with others has alerts of its own. */
function state(timing: Timing, ...outlooks: readonly Outlook[]): string {
  const shared = promql`last_over_time(${forecastFamilies.keyOutlookShared}[${timing.memory}])`;
  return `${outlook(timing, ...outlooks)} unless on (job, gateway, key) ${shared} == 1`;
}

const FIGURES = figures(["job", "gateway", "key"], {
  source: (of) => `topk(1, ${forecastFamilies.keyOutlookSource.name}${of})`,
  // Less than 0 may be rounding, and would read as -0.00.
  left: (of) => `clamp_min(${oneOf(of, families.remaining, layerFamilies.remaining)},0)`,
  limit: (of) => oneOf(of, families.limit, layerFamilies.limit),
  exhaustion: (of) => `min(${forecastFamilies.keyExhaustion.name}${of})`,
  reset: (of) => oneOf(of, families.nextReset, layerFamilies.nextReset),
});

/** Of the key's own limit, while it is not known which budget decides. */
const OWN_LIMIT = figures(["job", "gateway", "key"], {
  left: (of) => `max(${families.remaining.name}${of})`,
  limit: (of) => `max(${families.limit.name}${of})`,
  reset: (of) => `max(${families.nextReset.name}${of})`,
});

/** Of the budget that decides, if the key has several; else of its limit, whose series have no source. */
function oneOf(of: string, own: Series, layer: Series): string {
  return `max(${own.name}${of} or ${layer.name}${of})`;
}

function exhausted(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyExhausted",
    severity: "critical",
    fires: "A key has used up its credit limit, without an announcement.",
    expr: keysWith(timing, state(timing, "exhausted"), `unless ${announced(timing)}`),
    for: 2 * MINUTE,
    summary: FIGURES("Key {{ $labels.key }}", timing, "is out of credits"),
    description: `${KEY} is out of credits, and the gateway refuses its calls (402 or 403). Raise its limit, or wait for its reset if it has one.`,
  };
}

function imminent(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyExhaustionImminent",
    severity: "critical",
    fires: "A key is about to use up its credit limit, or has used it up since.",
    expr: keysWith(timing, state(timing, "imminent", "exhausted"), announced(timing)),
    for: 2 * MINUTE,
    summary: FIGURES("Key {{ $labels.key }}", timing, "is about to run out of credits, or has run out"),
    description: `${KEY} runs out of credits within the hour and before its limit resets, or has run out since this alert began; then the gateway refuses its calls (402 or 403). Find out what is spending and stop it, or raise the limit.`,
  };
}

function predicted(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyExhaustionPredicted",
    severity: "warning",
    fires: "A key will use up its credit limit within a day.",
    expr: keysWith(timing, state(timing, "predicted", "imminent", "exhausted"), announced(timing)),
    for: 2 * MINUTE,
    summary: FIGURES("Key {{ $labels.key }}", timing, "will run out of credits within a day"),
    description: `${KEY} runs out of credits within a day and before its limit resets, or has run out since this alert began. Check its spending on the dashboard, then raise the limit or slow the caller down.`,
  };
}

function slow(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyExhaustionSlow",
    severity: "warning",
    fires: "A key will use up its credit limit within a week.",
    expr: keysWith(timing, state(timing, "slow")),
    for: 2 * MINUTE,
    summary: FIGURES("Key {{ $labels.key }}", timing, "will run out of credits within a week"),
    description: `${KEY} runs out of credits before its limit resets, but not today. Raise the limit, or agree on lower spending with the owner.`,
  };
}

function low(timing: Timing): AlertDefinition {
  const [left = "", limit = ""] = [families.remaining, families.limit].map(
    ({ name }) => `last_over_time(${name}[${timing.memory}])`,
  );
  return {
    name: "AIGatewayKeyLimitLow",
    severity: "info",
    fires: "A key has little of its credit limit left, and it is not known yet how long that lasts.",
    expr: ofKeyOwner(
      timing,
      promql`
        max by (job, gateway, key) (${left} / ${limit} > 0 < ${thresholds.low})
        and on (job, gateway, key) ${outlook(timing, "learning")}`,
    ),
    for: 15 * MINUTE,
    summary: OWN_LIMIT(
      "Key {{ $labels.key }}",
      timing,
      "has {{ $value | humanizePercentage }} of its limit left",
    ),
    description: `${KEY} has little of its limit left, and the exporter does not know yet whether that lasts until the reset. If this happens in every window, raise the limit.`,
  };
}
