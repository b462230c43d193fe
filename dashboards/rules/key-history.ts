import { promql } from "../promql.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import { DAY, HOUR, MINUTE } from "../thresholds.ts";

/** The peaks of each key in recent days, as the measure of what is unusual for it. */
export function keyHistory({ timing }: Settings): RuleGroup {
  const [hour, day] = [timing.duration(HOUR), timing.duration(DAY)];
  const days = (count: number) => timing.duration(count * DAY);
  return {
    name: "aigateway-key-history",
    comment:
      "The peaks of each key in recent days, as the measure of what is unusual for it. They change slowly, so they are evaluated every two minutes.",
    interval: timing.duration(2 * MINUTE),
    rules: [
      record(
        recorded.burn15mMax1h,
        "The peak 15-minute rate of the last hour, so that each day in the series below takes 24 points.",
        promql`max_over_time(${recorded.burn15m}[${hour}])`,
      ),
      record(
        recorded.burn1hMax1h,
        "The peak hourly rate of the last hour.",
        promql`max_over_time(${recorded.burn1h}[${hour}])`,
      ),
      record(
        recorded.burn15mMax3d,
        "The peak 15-minute rate of the last three days, without the last three hours, which are compared with it.",
        promql`max_over_time(${recorded.burn15mMax1h}[${days(3)}:${hour}] offset ${timing.duration(3 * HOUR)})`,
      ),
      record(
        recorded.burn1hMax3d,
        "The peak hourly rate of the same days.",
        promql`max_over_time(${recorded.burn1hMax1h}[${days(3)}:${hour}] offset ${timing.duration(3 * HOUR)})`,
      ),
      record(
        recorded.burn1hMax7d,
        "The peak hourly rate of the last week, without the last three hours.",
        promql`max_over_time(${recorded.burn1hMax1h}[${days(7)}:${hour}] offset ${timing.duration(3 * HOUR)})`,
      ),
      record(
        recorded.remainingRatioMin1h,
        "The smallest remaining share of the limit in the last hour.",
        promql`min_over_time((${recorded.remaining} / (${recorded.limit} > 0))[${hour}:${timing.duration(5 * MINUTE)}])`,
      ),
      record(
        recorded.remainingRatioMin1d,
        "The smallest remaining share of the limit in the last day. A day on which the key ran out does not show what it would have spent.",
        promql`min_over_time(${recorded.remainingRatioMin1h}[${day}:${hour}] offset ${timing.duration(30 * MINUTE)})`,
      ),
    ],
  };
}
