import { accountFamilies as families } from "../../exporter/collectors/account-families.ts";
import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import { uids } from "../uids.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { fired, type RememberedAlert, rememberSince } from "./remembered.ts";
import { GATEWAY } from "./owner.ts";
import { prepaidAlerts } from "./prepaid.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

const LINK = { uid: uids.account };

/** Recording rules for the balance of the account and how long it lasts, and the alerts on them. */
export function accountBalance(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) => createAlert(settings, LINK, definition);
  const { timing } = settings;
  const ofExhausted = exhausted(settings);
  return {
    name: "aigateway-account",
    comment:
      "The balance of the account. It has no series without a management key, or while it is unknown or stale; then no alert on it fires.",
    interval: timing.duration(MINUTE),
    rules: [
      ...amounts(timing),
      ...burns(timing),
      ...exhaustions(),
      rememberSince(timing, ofExhausted, recorded.accountBalance),
      alert({
        ...ofExhausted,
        comment: "The condition is evaluated once, in the rule that remembers since when it is true.",
        expr: promql`${recorded.accountBalance} and on (job, gateway) ${EXHAUSTED.since}`,
      }),
      ...prepaid(settings).map(alert),
      alert(stale(settings)),
    ],
  };
}

function amounts({ analyticsMemory, analyticsMemorySeconds, now }: Timing): readonly RecordingRule[] {
  const known = (series: Series) => `last_over_time(${series.name}[${analyticsMemory}])`;
  const latest = (series: Series) => promql`
    max by (job, gateway) (
      ${known(series)}
      and on (job, gateway, instance) ${known(families.lastSuccess)} >= on (job, gateway) group_left () ${recorded.accountLastSuccess}
    )`;
  return [
    record(
      recorded.accountLastSuccess,
      "When the newest answer about the account's credits was requested. Only the process with that answer counts.",
      `max by (job, gateway) (${known(families.lastSuccess)})`,
    ),
    record(recorded.accountBought, "Credits that the account has bought in all.", latest(families.bought)),
    record(
      recorded.accountUsed,
      "Credits that the account has used in all. Rates follow this figure, because refunds, transfers and expiries do not change it.",
      latest(families.used),
    ),
    record(
      recorded.accountBalance,
      "Credits that the account has left. Absent if no answer arrived within the look-back.",
      `${latest(families.balance)}\n${promql`and on (job, gateway) ${now} - ${recorded.accountLastSuccess} < ${analyticsMemorySeconds}`}`,
    ),
  ];
}

function burns(timing: Timing): readonly RecordingRule[] {
  const burn = (series: Series, seconds: number, comment: string) => {
    const { accountUsed: used } = recorded;
    const ago = timing.duration(seconds);
    return record(
      series,
      comment,
      promql`clamp_min(${used} - ${used} offset ${ago}, 0) / ${timing.seconds(seconds)}`,
    );
  };
  return [
    burn(recorded.accountBurn1h, HOUR, "Credits per second that the account used over the last hour."),
    burn(recorded.accountBurn6h, 6 * HOUR, "Credits per second over six hours."),
    burn(recorded.accountBurn1d, DAY, "Credits per second over a day."),
    burn(recorded.accountBurn3d, 3 * DAY, "Credits per second over three days."),
  ];
}

function exhaustions(): readonly RecordingRule[] {
  return [
    exhaustion(
      recorded.accountExhaustion1h,
      recorded.accountBurn1h,
      "Seconds until the balance is used up at the rate of the last hour. Absent while nothing is spent.",
    ),
    exhaustion(
      recorded.accountExhaustion6h,
      recorded.accountBurn6h,
      "Seconds until the balance is used up at the rate of the last six hours.",
    ),
    exhaustion(
      recorded.accountExhaustion1d,
      recorded.accountBurn1d,
      "Seconds until the balance is used up at the rate of the last day.",
    ),
    exhaustion(
      recorded.accountExhaustion3d,
      recorded.accountBurn3d,
      "Seconds until the balance is used up at the rate of the last three days.",
    ),
  ];
}

function exhaustion(series: Series, burn: Series, comment: string): RecordingRule {
  return record(series, comment, promql`clamp_min(${recorded.accountBalance}, 0) / (${burn} > 0)`);
}

const EXHAUSTED = { since: recorded.accountExhaustedSince, for: 5 * MINUTE };

function exhausted({ timing }: Settings): RememberedAlert {
  const { accountBalance: balance, accountBought: bought, accountUsed: used, accountExhaustion1h } = recorded;
  const { idle, rest } = thresholds.exhaustedSeldom;
  const before = promql`offset ${timing.duration(10 * MINUTE)}`;
  return {
    ...EXHAUSTED,
    name: "AIGatewayAccountExhausted",
    severity: "critical",
    expr: promql`
      ${balance}
      # An account that never bought credits is billed in another way, so its balance means nothing.
      and on (job, gateway) ${bought} > 0
      and on (job, gateway) (
        ${balance} <= 0
        # Too little is left for a call: nothing is spent, although the rate of the last hour would have used it up long ago.
        or (${used} - ${used} offset ${timing.duration(idle)} <= 0 and ${accountExhaustion1h} < ${timing.seconds(rest)})
        # That rate is forgotten after an hour. The alert lasts until something is spent or bought again.
        or (
          ${balance}
          and on (job, gateway) ${fired(timing, EXHAUSTED)}
          unless ${used} > ${used} ${before}
          unless ${balance} > ${balance} ${before}
        )
      )`,
    summary: "The balance of the account is used up.",
    description: `Every call of the account${GATEWAY} fails (402), whatever the limits of its keys: {{ $value | printf "%.2f" }} credits are left. Buy credits now; the dashboard shows which keys spent them.`,
  };
}

const RUNS_OUT = `In {{ $value | humanizeDuration }} every call of the account${GATEWAY} fails (402), because its balance is used up by then at the rate of the last`;

function prepaid({ timing }: Settings): readonly AlertDefinition[] {
  const { accountExhaustion1h, accountExhaustion6h, accountExhaustion1d, accountExhaustion3d } = recorded;
  const { imminent, predicted, slow } = prepaidAlerts(timing, {
    hour: accountExhaustion1h.name,
    sixHours: accountExhaustion6h.name,
    day: accountExhaustion1d.name,
    threeDays: accountExhaustion3d.name,
    left: promql`${recorded.accountBalance} > 0`,
  });
  return [
    {
      ...imminent,
      name: "AIGatewayAccountExhaustionImminent",
      summary: "The balance of the account is about to run out.",
      description: `${RUNS_OUT} hour. Buy credits now, or find out which key is spending and stop it.`,
    },
    {
      ...predicted,
      name: "AIGatewayAccountExhaustionPredicted",
      summary: "The balance of the account will run out within a day.",
      description: `${RUNS_OUT} day, or of six hours while no day is known. Buy credits today.`,
    },
    {
      ...slow,
      name: "AIGatewayAccountExhaustionSlow",
      summary: "The balance of the account will run out within a week.",
      description: `${RUNS_OUT} three days. Buy credits this week.`,
    },
  ];
}

function stale({ timing }: Settings): AlertDefinition {
  const interval = select(selfFamilies.pollInterval, { collector: "analytics" });
  const age = promql`${timing.now} - ${recorded.accountLastSuccess}`;
  return {
    name: "AIGatewayAccountDataStale",
    severity: "warning",
    expr: promql`
      ${age} > ${timing.seconds(thresholds.analyticsStale)}
      unless on (job, gateway) (
        ${age}
        < on (job, gateway) ${thresholds.staleIntervals} * max by (job, gateway) (last_over_time(${interval}[${timing.analyticsMemory}]))
      )`,
    for: 10 * MINUTE,
    summary: "The balance of the account is no longer updated.",
    description: `The account${GATEWAY} may run out of credits without an alert: its last known balance is {{ $value | humanizeDuration }} old. Look for the reason on the exporter's status page or in its log.`,
  };
}
