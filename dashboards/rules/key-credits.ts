import { uids } from "../uids.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, type Series } from "../promql.ts";
import { nearlyOut, patientConditions, urgentConditions } from "./key-conditions.ts";
import { keyPresent } from "./key-forecast.ts";
import { lately } from "./key-days.ts";
import { KEY, withKeyTeam } from "./owner.ts";
import { fired, isFiring, type RememberedAlert, rememberSince } from "./remembered.ts";
import type { Rule, RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type Settings } from "./settings.ts";
import { slowly, type Timing } from "./timing.ts";
import { LAST_ANSWER, unheard } from "./unheard.ts";
import { limitChanged, untilReset, whileUnheard } from "./until-reset.ts";

/** Urgent alerts on the remaining credits of a key's limit. */
export function keyCredits(settings: Settings): RuleGroup {
  const { timing } = settings;
  return {
    name: "aigateway-key-credits",
    comment:
      "Keys that are out of credits, or will be before the limit resets. The remaining credits have no series while they are unknown, unlimited or stale. Then no alert of this group begins, and one that fires stays only while the gateway does not answer.",
    interval: timing.urgentInterval,
    rules: [
      ...keyPresent(timing),
      ...urgentConditions(timing),
      nearlyOut(),
      limitChanged(timing),
      ...unheard(timing),
      ...creditAlerts(settings, [exhausted, imminent, predicted]),
    ],
  };
}

/** Alerts that leave time to act: the credits last for days, or are nearly used up. */
export function keyReserves(settings: Settings): RuleGroup {
  return {
    name: "aigateway-key-reserves",
    comment:
      "Keys whose credits last for days but not until the reset, and keys with few credits left. These alerts wait for at least a quarter of an hour, so they are evaluated every four minutes.",
    interval: slowly(settings.timing),
    rules: [...patientConditions(settings.timing), ...creditAlerts(settings, [slow, low])],
  };
}

/** The rules that remember since when the conditions are true, then the alerts. */
function creditAlerts(
  settings: Settings,
  definitions: readonly ((settings: Settings) => CreditAlert)[],
): readonly Rule[] {
  const alerts = definitions.map((define) => define(settings));
  return [
    ...alerts.map((definition) => rememberSince(settings.timing, definition, definition.every)),
    ...alerts.map((definition) =>
      createAlert(
        settings,
        { uid: uids.key, label: "key" },
        { ...definition, expr: withKeyTeam(alertExpr(definition)) },
      ),
    ),
  ];
}

interface CreditAlert extends RememberedAlert {
  /**
   * The alert's value. Present whenever the condition is true. `left`: the credits left of the few keys for
   * which it is.
   */
  readonly value: (left: string) => string;
  /** A series with every key for which the condition may become true. */
  readonly every: Series;
  /** The credits left of at least the keys for which the condition is true. Default: those of all keys. */
  readonly left?: Series;
  /** Keeps the alert, but not the memory of its condition, from firing. */
  readonly unless?: string;
}

/** The condition is evaluated once, in the rule that remembers since when it is true. */
function alertExpr({ value, since, unless, left = recorded.remaining }: CreditAlert): string {
  const except = unless === undefined ? "" : `\nunless on (job, gateway, key) ${unless}`;
  // Only the age of an old answer is negative.
  const shown = promql`clamp_min(${left} and ${since}, 0)`;
  return promql`(${recorded.unheard} or ${value(shown)})\nand on (job, gateway, key) ${since}${except}`;
}

/** What the alerts know of each other: since when each is true, and how long that takes to fire. */
const EXHAUSTED = { since: recorded.exhaustedSince, for: 2 * MINUTE };
const IMMINENT = { since: recorded.imminentSince, for: 2 * MINUTE };
const SLOW = { since: recorded.slowSince, for: DAY };
const LOW = { since: recorded.lowSince, for: 15 * MINUTE };
const predictedOf = ({ warningWait }: Timing) => ({ since: recorded.predictedSince, for: warningWait });

function exhausted({ timing }: Settings): CreditAlert {
  const { exhaustion15m } = recorded;
  return {
    ...EXHAUSTED,
    name: "AIGatewayKeyExhausted",
    severity: "critical",
    comment:
      "Does not fire while AIGatewayKeyExhaustionImminent fires, so that one exhaustion causes one page.",
    value: (left) => left,
    every: recorded.nearlyOut,
    left: recorded.nearlyOut,
    unless: promql`(${isFiring(timing, IMMINENT)})`,
    expr: promql`
      ${recorded.nearlyOut}
      and (
        ${recorded.nearlyOut} <= 0
        # Too little is left for a call: nothing is spent, although the rate of the last hour would have used it up long ago.
        or (${stopped(timing, thresholds.exhausted)})
        # The same for a key that rarely makes calls.
        or (${stopped(timing, thresholds.exhaustedSeldom)})
        # A refund of a few calls does not end the alert: it is spent again before anyone could look.
        or (
          ${recorded.nearlyOut}
          and on (job, gateway, key) ${fired(timing, EXHAUSTED)}
          unless ${exhaustion15m} > ${timing.seconds(thresholds.imminent)}
        )
      )
      ${whileUnheard(timing, EXHAUSTED)}`,
    summary: "A key has used up its credit limit.",
    description: `${KEY} {{ if lt $value 0.0 }}was out of credits ${LAST_ANSWER}{{ else }}is out of credits ({{ $value | printf "%.2f" }} left), and the gateway refuses its calls (402){{ end }}. Raise its limit, or wait for its reset if the dashboard shows one.`,
  };
}

function stopped(timing: Timing, { idle, rest }: { readonly idle: number; readonly rest: number }): string {
  const { exhaustion1h } = recorded;
  return promql`${recorded.nearlyOut} >= ${recorded.nearlyOut} offset ${timing.duration(idle)} and ${exhaustion1h} < ${timing.seconds(rest)}`;
}

function imminent({ timing }: Settings): CreditAlert {
  const thisHour = promql`last_over_time(${recorded.imminent}[${timing.duration(HOUR)}])`;
  return {
    ...IMMINENT,
    name: "AIGatewayKeyExhaustionImminent",
    severity: "critical",
    comment:
      "Once it fires, it stays until the reset if the key runs out. The value is 0 while the key is out of credits.",
    every: recorded.imminent,
    value: (left) => promql`((${thisHour} unless ${EXHAUSTED.since}) or ${left} * 0)`,
    expr: untilReset(timing, {
      ...IMMINENT,
      begins: recorded.imminent,
      keeps: [thisHour],
      nearer: [EXHAUSTED],
    }),
    summary: "A key is about to use up its credit limit, or has already used it up.",
    description: `${KEY} {{ if lt $value 0.0 }}was out of credits, or about to be, ${LAST_ANSWER}{{ else if gt $value 0.0 }}runs out of credits in {{ $value | humanizeDuration }} at a rate of the last hour, before its limit resets; then the gateway refuses its calls (402){{ else }}is out of credits, and the gateway refuses its calls (402) until its limit resets or is raised{{ end }}. Find out what is spending and stop it, or raise the limit.`,
  };
}

function predicted({ timing }: Settings): CreditAlert {
  const { exhaustion6h, resetSeconds } = recorded;
  const days = 2 * timing.seconds(thresholds.predicted);
  return {
    ...predictedOf(timing),
    name: "AIGatewayKeyExhaustionPredicted",
    severity: "warning",
    comment: "Once it fires, it stays until the credits last at the rate of the last six hours.",
    value: (left) => left,
    every: recorded.predicted,
    expr: untilReset(timing, {
      ...predictedOf(timing),
      begins: recorded.predicted,
      keeps: [
        promql`last_over_time(${recorded.predicted}[${timing.duration(6 * HOUR)}])`,
        promql`(${lately(timing, exhaustion6h)} < ${days} < ${resetSeconds})`,
      ],
      nearer: [EXHAUSTED, IMMINENT],
    }),
    summary: "A key will use up its credit limit within a day.",
    description: `${KEY} {{ if lt $value 0.0 }}was about to run out of credits within a day ${LAST_ANSWER}{{ else if gt $value 0.0 }}has {{ $value | printf "%.2f" }} credits left and will run out within a day, before its limit resets{{ else }}is out of credits{{ end }}. Check its spending on the dashboard, then raise the limit or slow the caller down.`,
  };
}

function slow({ timing }: Settings): CreditAlert {
  const { exhaustion3d, resetSeconds } = recorded;
  const weeks = 2 * timing.seconds(thresholds.slow);
  return {
    ...SLOW,
    name: "AIGatewayKeyExhaustionSlow",
    severity: "warning",
    comment:
      "Once it fires, it stays until the credits last for two weeks, or until the reset, at the rate of three days.",
    every: recorded.slow,
    value: (left) => promql`(${lately(timing, exhaustion3d)} or ${left} * 0)`,
    expr: untilReset(timing, {
      ...SLOW,
      begins: recorded.slow,
      keeps: [promql`(${lately(timing, exhaustion3d)} < ${weeks} < ${resetSeconds})`],
      nearer: [EXHAUSTED, IMMINENT, predictedOf(timing)],
    }),
    summary: "A key will use up its credit limit within a week.",
    description: `${KEY} {{ if lt $value 0.0 }}was about to run out of credits before its limit resets ${LAST_ANSWER}{{ else if gt $value 0.0 }}runs out of credits in {{ $value | humanizeDuration }} at the rate of the last three days, before its limit resets{{ else }}is out of credits, or about to be{{ end }}. Raise the limit, or agree on lower spending with the owner.`,
  };
}

function low({ timing }: Settings): CreditAlert {
  const { limit } = recorded;
  return {
    ...LOW,
    name: "AIGatewayKeyLimitLow",
    severity: "info",
    every: recorded.low,
    value: (left) => promql`${left} / (${limit} > 0)`,
    expr: untilReset(timing, {
      ...LOW,
      begins: recorded.low,
      keeps: [promql`last_over_time(${recorded.low}[${timing.duration(HOUR)}])`],
      nearer: [EXHAUSTED, IMMINENT, predictedOf(timing), SLOW],
    }),
    summary: "A key has little of its credit limit left.",
    description: `${KEY} {{ if lt $value 0.0 }}had little of its limit left ${LAST_ANSWER}{{ else }}has {{ $value | humanizePercentage }} of its limit left; at the rate of the last day this does not last until the reset{{ end }}. If this happens in every window, raise the limit.`,
  };
}
