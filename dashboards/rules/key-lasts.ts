import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, type Series } from "../promql.ts";
import { historic } from "./key-history.ts";
import { usageOfLimit } from "./key-inputs.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import { slowly, type Timing } from "./timing.ts";

const { remaining, limit, resetSeconds, burn1d, burn3d, burn6h, restOfDay } = recorded;
const { exhaustionSoon, exhaustion15m, exhaustion1h, exhaustion6h, exhaustion1d, exhaustion3d } = recorded;
const { exhaustedSince, imminentSince, predictedSince, slowSince } = recorded;

/**
 * How long the credits of each key last: what the dashboards show. Firing alerts are part of it, so that
 * dashboards and alerts agree.
 */
export function keyLasts({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-lasts",
    comment:
      "When keys run out, for the dashboards. Evaluated every two minutes, the shortest wait of an alert, so that dashboards and alerts agree.",
    interval: timing.duration(2 * MINUTE),
    rules: [runsOut()],
  };
}

/** When keys run out at rates that agree, and estimates for all others. */
export function keyEstimates({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-estimates",
    comment:
      "When keys run out at rates that agree, and estimates for all others, for the dashboards. No alert uses it.",
    interval: slowly(timing),
    rules: [gatewaysBurn(timing), mayRunOut(), runsOutByRates(timing)],
  };
}

/** The gateway's own figures exist before Prometheus has any history. They count until it has rates. */
function gatewaysBurn(timing: Timing): RecordingRule {
  const { now, memorySeconds } = timing;
  const week = `(${now} + 3 * 86400) % 604800`;
  const month = `(scalar(day_of_month(vector(${now})) - 1) * 86400 + ${now} % 86400)`;
  // After a gap, the rate of six hours can be missing although that of three days is known.
  const unlessKnown = promql`unless (${historic(timing, burn3d)} and ${burn6h})`;
  const settled = (usage: string, elapsed: string) =>
    promql`(${usage} ${unlessKnown} and on () vector(${elapsed}) >= ${memorySeconds})`;
  return record(
    recorded.burnGateway,
    "Credits per second in the gateway's own figures: the largest mean rate of the current UTC day, week and month. Needs no history. Absent if the rates of six hours and of three days are known.",
    oneOf(
      "max",
      rateOver(promql`(${recorded.usageDay} ${unlessKnown})`, `${now} % 86400`),
      rateOver(settled(usageOfLimit(timing, families.usageWeek, families.byokUsageWeek), week), week),
      rateOver(settled(usageOfLimit(timing, families.usageMonth, families.byokUsageMonth), month), month),
    ),
  );
}

/**
 * Credits per second over seconds of a window, at least an hour, because the first calls of a window do not
 * show its rate.
 */
function rateOver(usage: string, elapsed: string): string {
  return promql`${usage} / scalar(clamp_min(vector(${elapsed}), ${HOUR}))`;
}

function runsOut(): RecordingRule {
  const alerts = promql`(${imminentSince} or ${predictedSince})`;
  return record(
    recorded.runsOut,
    "Seconds until the key runs out, if it does so before its limit resets: judged by the firing or pending alerts and by rates that agree. 0 if it is exhausted.",
    promql`${oneOf(
      "min",
      promql`${exhaustedSince} * 0`,
      promql`(${exhaustionSoon} and ${imminentSince})`,
      within(thresholds.predicted, alerts, exhaustion1h, exhaustion6h),
      recorded.runsOutByRates.name,
    )}
and ${limit} > 0`,
  );
}

/**
 * The smallest of several times, for keys with an alert: at most the time to the reset, and at most the
 * seconds that the alert looks ahead.
 */
function within(seconds: number, alerts: string, ...times: readonly Series[]): string {
  const ofAlerts = [resetSeconds, ...times].map((time) => promql`(${time} and ${alerts})`);
  return promql`clamp_max(${oneOf("min", ...ofAlerts)}, ${seconds})`;
}

function runsOutByRates(timing: Timing): RecordingRule {
  const lastsToday = promql`(${restOfDay} < ${remaining} and ${resetSeconds} <= ${DAY})`;
  const oneDay = promql`(${exhaustion1d} unless ${historic(timing, burn3d)})`;
  return record(
    recorded.runsOutByRates,
    "Seconds until the key runs out, if rates agree that it does before its reset. Within a day: the longer time at the rates of one and six hours, unless a typical day needs less than is left. Before a later reset: the longer time at the rates of one and three days, or that of one day if it is the only one. While the condition of AIGatewayKeyExhaustionSlow is true: the shorter of these two, at most the reset or a week.",
    oneOf(
      "min",
      promql`(${both(exhaustion1h, exhaustion6h)} < clamp_max(${resetSeconds}, ${DAY}) unless ${lastsToday})`,
      promql`((${both(exhaustion1d, exhaustion3d)} or ${oneDay}) < (${resetSeconds} > ${DAY}))`,
      within(thresholds.slow, slowSince.name, exhaustion1d, exhaustion3d),
    ),
  );
}

/** At both rates: the longer of the two times. */
function both(one: Series, other: Series): string {
  return promql`(${one} >= ${other} or (${other} and ${one}))`;
}

function mayRunOut(): RecordingRule {
  const blind = oneOf(
    "min",
    promql`(${remaining} unless ${burn6h}) / ${recorded.burnGateway}`,
    promql`((${exhaustion1h} or ${exhaustion15m}) unless ${burn6h})`,
  );
  const today = oneOf(
    "min",
    promql`${resetSeconds} * ${remaining} / ${restOfDay}`,
    promql`(${oneOf("min", exhaustion1h.name, exhaustion6h.name)} unless ${restOfDay} < ${remaining})`,
    promql`(${exhaustion1d} unless ${restOfDay})`,
  );
  const later = oneOf(
    "min",
    promql`${remaining} / (${recorded.burnGateway} > 0)`,
    promql`(${exhaustion6h} unless ${burn1d})`,
    exhaustion1d.name,
    exhaustion3d.name,
  );
  return record(
    recorded.mayRunOut,
    "Estimated seconds until the key runs out. While no rate of six hours is known, it comes from the gateway's own figures and from the rates of an hour or 15 minutes, and exists only for a key that runs out before its reset or, without a reset, within a week. Otherwise it is absent only while nothing is spent.",
    promql`(
  (
    ${blind} <= (${resetSeconds} < Inf or clamp_max(${resetSeconds}, ${thresholds.slow}))
  )
  or (
    ${today} and ${burn6h} and ${resetSeconds} <= ${DAY}
  )
  or (
    ${later} and ${burn6h} and ${resetSeconds} > ${DAY}
  )
)
and ${limit} > 0`,
  );
}

/** The smallest or largest of several values of each key; any of them may be absent. */
function oneOf(which: "min" | "max", ...values: readonly string[]): string {
  const named = values.map((value, index) => {
    const line = value.replaceAll(/\s+/g, " ");
    // The first needs no label, because all others have one.
    return index === 0 ? line : `label_replace(${line}, "estimate", "${index}", "", "")`;
  });
  return `${which} by (job, gateway, key) (\n  ${named.join("\n  or ")}\n)`;
}
