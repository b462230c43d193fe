import { promql } from "../promql.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";

/** What each key did in the last days: the measure of what is unusual for it. */
export function keyHistory({ timing }: Settings): RuleGroup {
  const [hour, day] = [timing.duration(3600), timing.duration(86_400)];
  const days = (count: number) => timing.duration(count * 86_400);
  return {
    name: "aigateway-key-history",
    comment:
      "What each key did in the last days: the measure of what is unusual for it. Slow figures, so evaluated every other minute.",
    interval: timing.duration(120),
    rules: [
      record(
        recorded.burn15mMax1h,
        "Peaks of the last hour, so that the days below are 24 figures each.",
        promql`max_over_time(${recorded.burn15m}[${hour}])`,
      ),
      record(
        recorded.burn1hMax1h,
        "The same of the hourly rate.",
        promql`max_over_time(${recorded.burn1h}[${hour}])`,
      ),
      record(
        recorded.burn15mMax3d,
        "The fastest quarter of an hour of the last three days, without the last three hours, which are to be compared with it.",
        promql`max_over_time(${recorded.burn15mMax1h}[${days(3)}:${hour}] offset ${timing.duration(3 * 3600)})`,
      ),
      record(
        recorded.burn1hMax3d,
        "The fastest hour of the same days.",
        promql`max_over_time(${recorded.burn1hMax1h}[${days(3)}:${hour}] offset ${timing.duration(3 * 3600)})`,
      ),
      record(
        recorded.burn1hMax7d,
        "The fastest hour of the last week, without the last three hours.",
        promql`max_over_time(${recorded.burn1hMax1h}[${days(7)}:${hour}] offset ${timing.duration(3 * 3600)})`,
      ),
      record(
        recorded.remainingRatioMin1h,
        "The least share of the limit that was left within the last hour.",
        promql`min_over_time((${recorded.remaining} / (${recorded.limit} > 0))[${hour}:${timing.duration(300)}])`,
      ),
      record(
        recorded.remainingRatioMin1d,
        "The same within the last day: a day on which the key ran dry tells nothing of what it would have spent.",
        promql`min_over_time(${recorded.remainingRatioMin1h}[${day}:${hour}] offset ${timing.duration(1800)})`,
      ),
    ],
  };
}
