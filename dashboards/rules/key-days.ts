import { promql, type Series } from "../promql.ts";
import { historic } from "./key-history.ts";
import { burn, burnSince, exhaustion } from "./key-inputs.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import { slowly, type Timing } from "./timing.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";

/** The rates of each key over hours and days. */
export function keyDays({ timing }: Settings): RuleGroup {
  const { burn6h, burn1d, burn3d, exhaustion6h, exhaustion1d, exhaustion3d } = recorded;
  const { usage, usageDayAgo, lastSuccess, lastSuccessDayAgo } = recorded;
  const day = timing.duration(DAY);
  return {
    name: "aigateway-key-days",
    comment:
      "The rates of each key over hours and days. They change slowly, so they are evaluated every four minutes.",
    interval: slowly(timing),
    rules: [
      burn(timing, burn6h, 6 * HOUR, HOUR, "Credits per second over six hours."),
      record(
        usageDayAgo,
        "All usage a day ago. Recorded alone: an expression that also reads the present opens every block in between.",
        promql`${usage} offset ${day}`,
      ),
      record(
        lastSuccessDayAgo,
        "When the answer with that usage was requested.",
        promql`${lastSuccess} offset ${day}`,
      ),
      record(
        burn1d,
        "Credits per second over a day.",
        burnSince(timing, usageDayAgo.name, lastSuccessDayAgo.name, 6 * HOUR),
      ),
      exhaustion(exhaustion6h, burn6h, "Seconds until the key runs out at the rate of the last six hours."),
      exhaustion(exhaustion1d, burn1d, "Seconds until the key runs out at the rate of the last day."),
      exhaustion(
        exhaustion3d,
        historic(timing, burn3d),
        "Seconds until the key runs out at the rate of the last three days.",
      ),
      usualHour(
        timing,
        recorded.burn1hUsual,
        DAY,
        "The hourly rate at this time yesterday, or on the last day on which the key had credits at this time.",
      ),
      usualHour(
        timing,
        recorded.burn1hUsualNext,
        DAY - HOUR,
        "The hourly rate one hour later than now, yesterday or on the last day on which the key had credits at that time.",
      ),
      record(
        recorded.burn15mPeak,
        "The peak 15-minute rate of three days, or 0 without history: the measure of what is unusual for the key.",
        promql`${historic(timing, recorded.burn15mMax3d)} or ${recorded.limit} * 0`,
      ),
      record(
        recorded.burn1hPeak,
        "The peak hourly rate of three days, or 0 without history.",
        promql`${historic(timing, recorded.burn1hMax3d)} or ${recorded.limit} * 0`,
      ),
    ],
  };
}

/**
 * Creates the rule that records the hourly rate of an earlier day. A key without credits spends nothing, so
 * its rate does not show what is usual at that hour.
 */
function usualHour(timing: Timing, series: Series, before: number, comment: string): RecordingRule {
  const ago = timing.duration(before);
  return record(
    series,
    comment,
    promql`
      ${recorded.burn1h} offset ${ago} and ${recorded.remaining} offset ${ago} > ${thresholds.dryRatio} * ${recorded.limit} offset ${ago}
      or ${series} offset ${timing.duration(DAY)}`,
  );
}

/** A series of such a group, also if one evaluation was missed, as it is while Prometheus restarts. */
export function lately(timing: Timing, series: Series): string {
  return promql`last_over_time(${series}[${timing.duration(10 * MINUTE)}])`;
}
