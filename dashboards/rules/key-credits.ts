import { keyFamilies as families, layerFamilies } from "../../exporter/collectors/key-families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { URGENCY } from "../../exporter/forecast/outlook.ts";
import { uids } from "../uids.ts";
import { MINUTE } from "../thresholds.ts";
import { promql, type Series } from "../promql.ts";
import { figures } from "./figures.ts";
import { KEY } from "./owner.ts";
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

/** Keys of such an urgency. It is one series of each key and has the team: states and owners would cost three times as much. */
function urgent({ memory }: Timing, comparison: string, announced?: "and" | "unless"): string {
  const last = (series: Series) => promql`last_over_time(${series}[${memory}])`;
  return [
    "max by (job, gateway, key, team) (",
    `  ${last(forecastFamilies.keyUrgency)} ${comparison}`,
    ...(announced ? [`  ${announced} on (job, gateway, key) ${last(forecastFamilies.keyExhaustion)}`] : []),
    ")",
  ].join("\n");
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
    expr: urgent(timing, `== ${URGENCY.exhausted}`, "unless"),
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
    expr: urgent(timing, `>= ${URGENCY.imminent}`, "and"),
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
    expr: urgent(timing, `>= ${URGENCY.predicted}`, "and"),
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
    expr: urgent(timing, `== ${URGENCY.slow}`),
    for: 2 * MINUTE,
    summary: FIGURES("Key {{ $labels.key }}", timing, "will run out of credits within a week"),
    description: `${KEY} runs out of credits before its limit resets, but not today. Raise the limit, or agree on lower spending with the owner.`,
  };
}

function low(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayKeyLimitLow",
    severity: "info",
    fires: "A key has little of its credit limit left, and it is not known yet how long that lasts.",
    expr: urgent(timing, `== ${URGENCY.learning}`),
    for: 15 * MINUTE,
    summary: OWN_LIMIT("Key {{ $labels.key }}", timing, "has less than a tenth of its limit left"),
    description: `${KEY} has little of its limit left, and the exporter does not know yet whether that lasts until the reset. If this happens in every window, raise the limit.`,
  };
}
