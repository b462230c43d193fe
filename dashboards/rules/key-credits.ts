import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { uids } from "../uids.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { withKeyTeam } from "./owner.ts";
import type { AlertRule, RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";

/** Alerts on what is left of a key's limit. */
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
  const { exhaustion15m, exhaustion1h, burn15m, burnLasting, remaining, resetSeconds } = recorded;
  const horizon = timing.seconds(thresholds.imminent);
  return {
    name: "AIGatewayKeyExhaustionImminent",
    severity: "critical",
    expr: promql`
      ${exhaustion15m} < ${horizon}
      and ${exhaustion15m} < ${resetSeconds}
      and ${exhaustion1h} < ${resetSeconds}
      and ${remaining} > 0
      and (
        # The rate has lasted and does not fall,
        (
          ${remaining} / (${burnLasting} > 0) < ${horizon}
          and ${burn15m} > ${thresholds.falling} * ${burnLasting}
        )
        # or the key never spent like this in three days.
        or ${unusual(burn15m)}
      )
      # Not where days like this one need less than what is left; early, not even where it is close.
      unless ${recorded.restRatio} < ${thresholds.lastsUsually}
      unless (
        ${recorded.restRatio} < ${thresholds.lastsPerhaps}
        and ${exhaustion15m} > ${timing.seconds(thresholds.imminentDoubtful)}
      )`,
    for: 4 * 60,
    keepFiringFor: 30 * 60,
    summary: "A key is about to use up its credit limit.",
    description:
      "Key {{ $labels.key }} runs out of credits in {{ $value | humanizeDuration }} at the rate of the last 15 minutes, before its limit resets; its calls will be refused (402). Find what spends and stop it, or raise the limit.",
  };
}

function unusual(burn: Series): string {
  const [max3d, factor] =
    burn === recorded.burn1h
      ? [recorded.burn1hMax3d, thresholds.unusual1h]
      : [recorded.burn15mMax3d, thresholds.unusual15m];
  return `${burn.name} > ${factor} * (${max3d.name} or ${recorded.limit.name} * 0)`;
}

function predicted({ timing }: Settings): AlertDefinition {
  const { exhaustion15m, exhaustion1h, exhaustion6h, exhaustion1d, remaining, resetSeconds } = recorded;
  const { burn15m, burn1h, burnLasting, restOfDay, restRatio } = recorded;
  const soon = timing.seconds(thresholds.predictedSoon);
  const day = timing.seconds(thresholds.predicted);
  return {
    name: "AIGatewayKeyExhaustionPredicted",
    severity: "warning",
    comment: "The present rate, the usual day, or the last day lead beyond what is left.",
    expr: promql`
      ${remaining} > 0
      and (
        # A rate that was never seen, or that has lasted, unless other days say that it will end in time.
        (
          ${exhaustion15m} < ${soon}
          and ${exhaustion15m} < ${resetSeconds}
          and (
            ${unusual(burn15m)}
            or (
              ${remaining} / (${burnLasting} > 0) < ${soon}
              and (${unusual(burn1h)} or ${exhaustion6h} < ${2 * soon})
            )
          )
          unless (
            ${restRatio} < ${thresholds.lastsUsually}
            and (${exhaustion1h} > ${soon / 2} or ${restRatio} < ${thresholds.lastsSurely})
          )
        )
        # A day like others needs more than is left.
        or (
          ${restOfDay} > ${remaining} * (1 + ${thresholds.forecastMargin} * ${resetSeconds} / 86400)
          and ${resetSeconds} <= 86400
        )
        # A limit of several days: another day like the last one is too much.
        or (
          ${exhaustion1d} < ${day}
          and ${exhaustion6h} < ${resetSeconds}
          and ${resetSeconds} > 86400
        )
        # Nothing is known of other days: a rate that lasts leads well before the reset.
        or (
          ${exhaustion6h} < ${day}
          and ${remaining} / (${burnLasting} > 0) < ${timing.seconds(thresholds.predictedBlind)}
          and ${exhaustion6h} < ${thresholds.blindMargin} * ${resetSeconds}
          unless ${restOfDay}
        )
        # Once said, it is said until the last hour and the last six, or the last day where there are several, deny it.
        or (
          (
            (${exhaustion1h} < ${2 * day} and ${exhaustion1h} < ${resetSeconds})
            or (${exhaustion6h} < ${2 * day} and ${exhaustion6h} < ${resetSeconds})
            or (${exhaustion1d} < ${2 * day} and ${exhaustion1d} < ${resetSeconds} and ${resetSeconds} > 86400)
          )
          and on (job, key) ALERTS{alertname="AIGatewayKeyExhaustionPredicted",alertstate="firing"}
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
  const { exhaustion3d, exhaustion1d, resetSeconds, remaining } = recorded;
  const longWindow = select(families.limitReset, { aigateway_key_limit_reset: "~monthly|never" });
  return {
    name: "AIGatewayKeyExhaustionSlow",
    severity: "warning",
    comment:
      "For limits that are reset once a month or never. Three days say what is usual, one that it still goes on.",
    expr: promql`
      ${exhaustion3d} < ${resetSeconds}
      and ${remaining} > 0
      and (
        (
          ${exhaustion3d} < ${week}
          and ${exhaustion1d} < ${week}
          # Not where a nearer end is told already.
          unless on (job, key) ALERTS{alertname=~"AIGatewayKeyExhaust(ed|ionImminent|ionPredicted)"}
        )
        # Once said, it is said until the three days deny it.
        or (
          ${exhaustion3d} < ${2 * week}
          and on (job, key) ALERTS{alertname="AIGatewayKeyExhaustionSlow",alertstate="firing"}
        )
      )
      and on (job, key) last_over_time(${longWindow}[${timing.memory}]) == 1`,
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
      and ${exhaustion1d} < ${resetSeconds}
      unless on (job, key) ALERTS{alertname=~"AIGatewayKeyExhaust.+"}`,
    for: 15 * 60,
    keepFiringFor: 3600,
    summary: "A key has little of its credit limit left.",
    description:
      "Key {{ $labels.key }} has {{ $value | humanizePercentage }} of its limit left, which at the rate of the last day does not last until the reset.",
  };
}
