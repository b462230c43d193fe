import { uids } from "../uids.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { keyConditions } from "./key-conditions.ts";
import { KEY, withKeyTeam } from "./owner.ts";
import type { AlertRule, RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";
import { untilReset } from "./until-reset.ts";

/** Alerts on the remaining credits of a key's limit. */
export function keyCredits(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition): AlertRule =>
    createAlert(
      settings,
      { uid: uids.key, label: "key" },
      { ...definition, expr: withKeyTeam(definition.expr) },
    );
  return {
    name: "aigateway-key-credits",
    comment:
      "Credits of keys: exhausted, or about to be before the limit resets. The remaining credits have no series while they are unknown, unlimited or stale; then no alert of this group fires.",
    interval: settings.timing.duration(MINUTE),
    rules: [
      ...keyConditions(settings.timing),
      alert(exhausted(settings)),
      alert(imminent(settings)),
      alert(predicted(settings)),
      alert(slow(settings)),
      alert(low(settings)),
    ],
  };
}

function exhausted({ timing }: Settings): AlertDefinition {
  const { remaining, limit, exhaustion15m } = recorded;
  const name = "AIGatewayKeyExhausted";
  return {
    name,
    severity: "critical",
    expr: promql`
      ${remaining} <= ${thresholds.exhaustedRatio} * (${limit} > 0)
      and (
        ${remaining} <= 0
        # Too little is left for a call: nothing is spent, although the rate of the last hour would have used it up long ago.
        or (${stopped(timing, thresholds.exhausted)})
        # The same for a key that rarely makes calls.
        or (${stopped(timing, thresholds.exhaustedSeldom)})
        # A refund of a few calls does not end the alert: it is spent again before anyone could look.
        or (
          ${remaining}
          and on (job, key) ALERTS{alertname="${name}",alertstate="firing"}
          unless ${exhaustion15m} > ${timing.seconds(thresholds.imminent)}
        )
      )`,
    for: 2 * MINUTE,
    summary: "A key has used up its credit limit.",
    description: `${KEY} is out of credits ({{ $value | printf "%.2f" }} left), and the gateway refuses its calls (402). Raise its limit, or wait for the reset that the dashboard shows.`,
  };
}

function stopped(timing: Timing, { idle, rest }: { readonly idle: number; readonly rest: number }): string {
  const { usage, exhaustion1h } = recorded;
  return promql`${usage} - ${usage} offset ${timing.duration(idle)} <= 0 and ${exhaustion1h} < ${timing.seconds(rest)}`;
}

function imminent({ timing }: Settings): AlertDefinition {
  const name = "AIGatewayKeyExhaustionImminent";
  const lately = promql`last_over_time(${recorded.imminent}[${timing.duration(HOUR)}])`;
  return {
    name,
    severity: "critical",
    expr: untilReset(timing, {
      alert: name,
      begins: recorded.imminent.name,
      value: promql`(${lately} or ${recorded.remaining} * 0)`,
      keeps: [lately],
      nearer: "AIGatewayKeyExhausted",
    }),
    for: 4 * MINUTE,
    summary: "A key is about to use up its credit limit.",
    description: `${KEY} runs out of credits in {{ $value | humanizeDuration }} at the rate of the last 15 minutes, before its limit resets; then the gateway refuses its calls (402). Find out what is spending and stop it, or raise the limit.`,
  };
}

function predicted({ timing }: Settings): AlertDefinition {
  const name = "AIGatewayKeyExhaustionPredicted";
  const { exhaustion1h, exhaustion6h, exhaustion1d, remaining, resetSeconds } = recorded;
  const days = 2 * timing.seconds(thresholds.predicted);
  return {
    name,
    severity: "warning",
    comment:
      "Once it fires, it fires until the rates of the last hour and the last six hours contradict it; for limits that span several days, until that of the last day does.",
    expr: untilReset(timing, {
      alert: name,
      begins: recorded.predicted.name,
      value: remaining.name,
      keeps: [
        promql`last_over_time(${recorded.predicted}[${timing.duration(6 * HOUR)}])`,
        promql`(${exhaustion1h} < ${days} and ${exhaustion1h} < ${resetSeconds})`,
        promql`(${exhaustion6h} < ${days} and ${exhaustion6h} < ${resetSeconds})`,
        promql`(${exhaustion1d} < ${days} and ${exhaustion1d} < ${resetSeconds} and ${resetSeconds} > 86400)`,
      ],
      nearer: "AIGatewayKeyExhaust(ed|ionImminent)",
    }),
    for: 4 * MINUTE,
    summary: "A key will use up its credit limit within a day.",
    description: `${KEY} has {{ $value | printf "%.2f" }} credits left and will run out within a day, before its limit resets. Check its spending on the dashboard, then raise the limit or slow the caller down.`,
  };
}

function slow({ timing }: Settings): AlertDefinition {
  const name = "AIGatewayKeyExhaustionSlow";
  const { exhaustion3d, remaining, resetSeconds } = recorded;
  const weeks = 2 * timing.seconds(thresholds.slow);
  return {
    name,
    severity: "warning",
    comment: "Once it fires, it fires until the rate of three days contradicts it.",
    expr: untilReset(timing, {
      alert: name,
      begins: recorded.slow.name,
      value: promql`(${exhaustion3d} or ${remaining} * 0)`,
      keeps: [
        promql`last_over_time(${recorded.slow}[${timing.duration(DAY)}])`,
        promql`(${exhaustion3d} < ${weeks} and ${exhaustion3d} < ${resetSeconds})`,
      ],
      nearer: "AIGatewayKeyExhaust(ed|ionImminent|ionPredicted)",
    }),
    for: DAY,
    summary: "A key will use up its credit limit within a week.",
    description: `${KEY} runs out of credits in {{ $value | humanizeDuration }} at the rate of the last three days, before its limit resets. Raise the limit, or agree on lower spending with the owner.`,
  };
}

function low({ timing }: Settings): AlertDefinition {
  const name = "AIGatewayKeyLimitLow";
  const { remaining, limit } = recorded;
  return {
    name,
    severity: "info",
    expr: untilReset(timing, {
      alert: name,
      begins: recorded.low.name,
      value: promql`${remaining} / (${limit} > 0)`,
      keeps: [promql`last_over_time(${recorded.low}[${timing.duration(HOUR)}])`],
      nearer: "AIGatewayKeyExhaust.+",
    }),
    for: 15 * MINUTE,
    summary: "A key has little of its credit limit left.",
    description: `${KEY} has {{ $value | humanizePercentage }} of its limit left, which does not last until the reset at the rate of the last day. If this happens in every window, raise the limit.`,
  };
}
