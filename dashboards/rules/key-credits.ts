import { thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { withKeyTeam } from "./owner.ts";
import type { AlertRule, RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";

/** Alerts on what is left of a key's limit. */
export function keyCredits(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition): AlertRule =>
    createAlert(
      settings,
      { uid: "aigateway-key", label: "key" },
      { ...definition, expr: withKeyTeam(definition.expr) },
    );
  return {
    name: "aigateway-key-credits",
    comment:
      "Credits of keys: exhausted, or about to be before the limit's reset. What is left is no series when it is not known, unlimited or old, and then nothing fires here.",
    interval: settings.timing.duration(60),
    rules: [
      alert(exhausted(settings)),
      alert(imminent(settings)),
      alert(predicted(settings)),
      alert(slow(settings)),
      alert(low()),
    ],
  };
}

function exhausted({ timing }: Settings): AlertDefinition {
  const { remaining, limit, usage } = recorded;
  return {
    name: "AIGatewayKeyExhausted",
    severity: "critical",
    expr: promql`
      ${remaining} <= ${thresholds.exhaustedRatio} * (${limit} > 0)
      and (
        ${remaining} <= 0
        # So little that no call fits any more: nothing is spent.
        or ${usage} - ${usage} offset ${timing.duration(thresholds.exhaustedIdle)} <= 0
      )`,
    for: 2 * 60,
    summary: "A key has used up its credit limit.",
    description:
      'Key {{ $labels.key }} has {{ $value | printf "%.2f" }} credits left, and its calls are refused (402). Raise its limit, or wait for the reset that the dashboard shows.',
  };
}

function imminent({ timing }: Settings): AlertDefinition {
  const { exhaustion15m, exhaustion1h, burn15m, burn1h, burn15mMax3d, limit, remaining, resetSeconds } =
    recorded;
  const horizon = timing.seconds(thresholds.imminent);
  const quarter = timing.duration(timing.burnWindow);
  const half = timing.duration(2 * timing.burnWindow);
  return {
    name: "AIGatewayKeyExhaustionImminent",
    severity: "critical",
    expr: promql`
      ${exhaustion15m} < ${horizon}
      and ${exhaustion15m} < ${resetSeconds}
      and ${exhaustion1h} < ${resetSeconds}
      and ${remaining} > 0
      and (
        # The rate has lasted for three quarters of an hour and does not fall,
        (
          ${exhaustion1h} < ${horizon}
          and ${burn15m} > 0.6 * ${burn1h}
          and ${burn15m} offset ${quarter} > 0.4 * ${burn1h}
          and ${burn15m} offset ${half} > 0.4 * ${burn1h}
        )
        # or the key never spent like this in three days.
        or ${burn15m} > 1.5 * (${burn15mMax3d} or ${limit} * 0)
      )
      unless (${recorded.lastsToday} and ${resetSeconds} <= 86400)`,
    for: 4 * 60,
    keepFiringFor: 20 * 60,
    summary: "A key is about to use up its credit limit.",
    description:
      "Key {{ $labels.key }} runs out of credits in {{ $value | humanizeDuration }} at the rate of the last 15 minutes, before its limit resets; its calls will be refused (402). Find what spends and stop it, or raise the limit.",
  };
}

function predicted({ timing }: Settings): AlertDefinition {
  const { exhaustion15m, exhaustion1h, exhaustion6h, exhaustion1d, remaining, resetSeconds } = recorded;
  const { burn15m, burn1h, burn15mMax3d, burn1hMax3d, limit, restOfDay, lastsToday } = recorded;
  const hours = (count: number) => timing.seconds(count * 3600);
  const soon = timing.seconds(thresholds.predictedSoon);
  const day = timing.seconds(thresholds.predicted);
  return {
    name: "AIGatewayKeyExhaustionPredicted",
    severity: "warning",
    expr: promql`
      ${remaining} > 0
      and (
        (
          (
            (
              ${exhaustion15m} < ${hours(4)}
              and ${burn15m} > 1.5 * (${burn15mMax3d} or ${limit} * 0)
            )
            or (
              ${exhaustion1h} < ${soon}
              and ${exhaustion15m} < ${soon}
              and (${burn1h} > 1.2 * (${burn1hMax3d} or ${limit} * 0) or ${exhaustion6h} < ${hours(6)})
            )
          )
          and ${exhaustion15m} < ${resetSeconds}
          unless (${lastsToday} and ${exhaustion1h} > ${hours(1.5)} and ${resetSeconds} <= 86400)
        )
        or (
          ${restOfDay} > ${remaining} * (1 + 0.25 * ${resetSeconds} / 86400)
          and ${resetSeconds} <= 86400
        )
        or (
          ${exhaustion1d} < ${day}
          and ${exhaustion6h} < ${resetSeconds}
          and ${resetSeconds} > 86400
        )
        or (
          ${exhaustion6h} < ${day}
          and ${exhaustion1h} < ${hours(4)}
          and ${exhaustion6h} < 0.7 * ${resetSeconds}
          unless ${restOfDay}
        )
      )`,
    for: 4 * 60,
    keepFiringFor: 3600,
    summary: "A key will use up its credit limit within a day.",
    description:
      'Key {{ $labels.key }} has {{ $value | printf "%.2f" }} credits left and will run out within a day, before its limit resets. Look at what it spends on the dashboard; raise the limit or slow the caller down.',
  };
}

function slow({ timing }: Settings): AlertDefinition {
  const week = timing.seconds(thresholds.slow);
  const { exhaustion3d, exhaustion1d, exhaustion6h, resetSeconds, remaining } = recorded;
  return {
    name: "AIGatewayKeyExhaustionSlow",
    severity: "warning",
    expr: promql`
      ${exhaustion3d} < ${week}
      and ${exhaustion1d} < ${week}
      and ${exhaustion3d} < ${resetSeconds}
      and ${exhaustion6h} < ${resetSeconds}
      and ${remaining} > 0
      and ${resetSeconds} > ${timing.seconds(86_400)}`,
    for: 3600,
    keepFiringFor: 6 * 3600,
    summary: "A key will use up its credit limit within a week.",
    description:
      "At the rate of the last three days, key {{ $labels.key }} runs out of credits in {{ $value | humanizeDuration }}, before its limit resets. Raise the limit or agree on less with its owner.",
  };
}

function low(): AlertDefinition {
  const { remaining, limit, exhaustion1d, resetSeconds } = recorded;
  return {
    name: "AIGatewayKeyLimitLow",
    severity: "info",
    expr: promql`
      ${remaining} / (${limit} > 0) < ${thresholds.low}
      and ${remaining} > 0
      and ${exhaustion1d} < ${resetSeconds}`,
    for: 15 * 60,
    keepFiringFor: 3600,
    summary: "A key has little of its credit limit left.",
    description:
      "Key {{ $labels.key }} has {{ $value | humanizePercentage }} of its limit left, which at the rate of the last day does not last until the reset.",
  };
}
