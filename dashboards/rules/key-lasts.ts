import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { promql, type Series } from "../promql.ts";
import { historic } from "./key-history.ts";
import { both } from "./key-days.ts";
import { usageOfLimit } from "./key-inputs.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import { slowly, type Timing } from "./timing.ts";

const { remaining, limit, resetSeconds, burn1d, burn3d, burn6h, restOfDay } = recorded;
const { exhaustionSoon, exhaustion15m, exhaustion1h, exhaustion6h, exhaustion1d, exhaustion3d } = recorded;
const { exhaustedSince, imminentSince, predictedSince, slowSince } = recorded;

/** How long the credits of each key last: what the dashboards show. Firing alerts are part of it, so that dashboards and alerts agree. */
export function keyLasts({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-lasts",
    comment:
      "When keys run out, for the dashboards. Evaluated every two minutes, the shortest wait of an alert, so that dashboards and alerts agree.",
    interval: timing.duration(2 * MINUTE),
    rules: [runsOut()],
  };
}

/** Estimates for all keys, including those that neither the rates nor an alert show as running out. */
export function keyEstimates({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-estimates",
    comment: "When keys may run out, for the dashboards. No alert uses it.",
    interval: slowly(timing),
    rules: [gatewaysBurn(timing), mayRunOut(timing)],
  };
}

/** The gateway's own figures exist before Prometheus has any history. */
function gatewaysBurn(timing: Timing): RecordingRule {
  const { now, memorySeconds } = timing;
  const week = `(${now} + 3 * 86400) % 604800`;
  const month = `(scalar(day_of_month(vector(${now})) - 1) * 86400 + ${now} % 86400)`;
  const settled = (usage: string, elapsed: string) =>
    promql`(${usage} and on () vector(${elapsed}) >= ${memorySeconds})`;
  return record(
    recorded.burnGateway,
    "Credits per second in the gateway's own figures: the largest mean rate of the current UTC day, week and month. Needs no history.",
    oneOf(
      "max",
      rateOver(recorded.usageDay.name, `${now} % 86400`),
      rateOver(settled(usageOfLimit(timing, families.usageWeek, families.byokUsageWeek), week), week),
      rateOver(settled(usageOfLimit(timing, families.usageMonth, families.byokUsageMonth), month), month),
    ),
  );
}

/** Credits per second over seconds of a window, at least an hour, because the first calls of a window do not show its rate. */
function rateOver(usage: string, elapsed: string): string {
  return promql`${usage} / scalar(clamp_min(vector(${elapsed}), ${HOUR}))`;
}

function runsOut(): RecordingRule {
  // Never later than the reset, which is one of the times.
  const within = (since: string, seconds: number, ...times: readonly Series[]) => [
    promql`(clamp_max(${resetSeconds}, ${seconds}) and (${since}))`,
    ...times.map((time) => promql`(${time} and (${since}))`),
  ];
  const soon = both(exhaustion1h, exhaustion6h);
  const lastsToday = promql`(${restOfDay} < ${remaining} and ${resetSeconds} <= ${DAY})`;
  return record(
    recorded.runsOut,
    "Seconds until the key runs out, if it does so before its limit resets. The sources are the firing or pending alerts and the rates of both the last hour and the last six hours; for longer times the rates of the last day and the last three days. 0 if it is exhausted.",
    `${oneOf(
      "min",
      promql`${exhaustedSince} * 0`,
      promql`(${exhaustionSoon} and ${imminentSince})`,
      ...within(
        promql`${imminentSince} or ${predictedSince}`,
        thresholds.predicted,
        exhaustion1h,
        exhaustion6h,
      ),
      ...within(slowSince.name, thresholds.slow, exhaustion1d, exhaustion3d),
      promql`(${soon} < clamp_max(${resetSeconds}, ${DAY}) unless ${lastsToday})`,
      recorded.runsOutByDays.name,
    )}\n${promql`and ${limit} > 0`}`,
  );
}

function mayRunOut(timing: Timing): RecordingRule {
  const blind = oneOf(
    "min",
    promql`(${remaining} / ${recorded.burnGateway})`,
    promql`(${exhaustion1h} or ${exhaustion15m})`,
  );
  const today = oneOf(
    "min",
    promql`${resetSeconds} * ${remaining} / ${restOfDay}`,
    promql`(${exhaustion1h} unless ${restOfDay} < ${remaining})`,
    promql`(${exhaustion6h} unless ${restOfDay} < ${remaining})`,
    promql`(${exhaustion1d} unless ${restOfDay})`,
  );
  const later = oneOf(
    "min",
    promql`(${remaining} / (${recorded.burnGateway} > 0) unless ${historic(timing, burn3d)} == 0)`,
    promql`(${exhaustion6h} unless ${burn1d})`,
    exhaustion1d.name,
    exhaustion3d.name,
  );
  return record(
    recorded.mayRunOut,
    "Estimated seconds until the key runs out. In the first six hours of history it comes from the gateway's own figures; during that time it exists only for a key that runs out before its reset or, without a reset, within a week. After that it is absent only while nothing is spent.",
    promql`(
  (
    ${blind} <= (${resetSeconds} < Inf or clamp_max(${resetSeconds}, ${thresholds.slow})) unless ${burn6h}
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
  const named = values.map(
    (value, index) => `label_replace(${value.replaceAll(/\s+/g, " ")}, "estimate", "${index}", "", "")`,
  );
  return `${which} by (job, gateway, key) (\n  ${named.join("\n  or ")}\n)`;
}
