import { promql, type Series } from "../promql.ts";
import { burn } from "./key-inputs.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import { slowly, type Timing } from "./timing.ts";
import { DAY, HOUR } from "../thresholds.ts";

/**
 * The rate of three days of each key, and its peaks in recent days as the measure of what is unusual for it.
 * Read them over a range: see `historic`.
 */
export function keyHistory({ timing }: Settings): RuleGroup {
  // Two intervals, so that one missed evaluation loses no hour.
  const recent = timing.duration(2 * HOUR);
  const hoursOf = (series: Series, days: number, before: number) =>
    `${series.name}[${timing.duration(days * DAY)}] offset ${timing.duration(before)}`;
  return {
    name: "aigateway-key-history",
    comment:
      "The rate of three days of each key, and its peaks in recent days as the measure of what is unusual for it. They change slowly, and Prometheus opens every block of a week to read them, so they are evaluated every hour and read over a range.",
    interval: timing.duration(HOUR),
    rules: [
      burn(timing, recorded.burn3d, 3 * DAY, DAY, "Credits per second over three days."),
      record(
        recorded.burn15mMax2h,
        "The peak 15-minute rate of the last two hours.",
        promql`max_over_time(${recorded.burn15m}[${recent}])`,
      ),
      record(
        recorded.burn1hMax2h,
        "The peak hourly rate of the last two hours.",
        promql`max_over_time(${recorded.burn1h}[${recent}])`,
      ),
      record(
        recorded.burn15mMax3d,
        "The peak 15-minute rate of the last three days, without the last three hours, which are compared with it.",
        promql`max_over_time(${hoursOf(recorded.burn15mMax2h, 3, 3 * HOUR)})`,
      ),
      record(
        recorded.burn1hMax3d,
        "The peak hourly rate of the last three days, without the last three hours.",
        promql`max_over_time(${hoursOf(recorded.burn1hMax2h, 3, 3 * HOUR)})`,
      ),
      record(
        recorded.burn1hMax7d,
        "The peak hourly rate of the last week, without the last three hours.",
        promql`max_over_time(${hoursOf(recorded.burn1hMax2h, 7, 3 * HOUR)})`,
      ),
      record(
        recorded.burn1dMax2h,
        "The peak daily rate of the last two hours. The offset is needed because this group is evaluated before the rate.",
        promql`max_over_time(${recorded.burn1d}[${recent}] offset ${slowly(timing)})`,
      ),
      record(
        recorded.burn1dMax7d,
        "The peak daily rate of the week before the last day. Absent for a key that is younger than four days.",
        promql`
          max_over_time(${hoursOf(recorded.burn1dMax2h, 7, DAY)})
          and last_over_time(${recorded.burn1dMax2h}[${recent}] offset ${timing.duration(3 * DAY)})`,
      ),
      record(
        recorded.remainingRatioMin2h,
        "The smallest remaining share of the limit in the last two hours.",
        promql`min_over_time(${recorded.remaining}[${recent}]) / (${recorded.limit} > 0)`,
      ),
      record(
        recorded.remainingRatioMin1d,
        "The smallest remaining share of the limit in the day before the last hour. It shows whether the key ran out; what it spent on such a day is no guide.",
        promql`min_over_time(${hoursOf(recorded.remainingRatioMin2h, 1, HOUR)})`,
      ),
    ],
  };
}

/**
 * A series of this group, also if one evaluation was missed. A bare selector would find a value for five
 * minutes only.
 */
export function historic(timing: Timing, series: Series): string {
  return promql`last_over_time(${series}[${timing.duration(2 * HOUR)}])`;
}
