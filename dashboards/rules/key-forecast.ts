import { thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";

/** What is still to be spent today, by the shape of the key's earlier days: office hours end, nights are quiet. */
export function keyForecast({ timing }: Settings): RuleGroup {
  const day = timing.duration(86_400);
  const { usage, usageDay, spentYesterday, restShareYesterday, restShare, restOfDay } = recorded;
  const { restRatio, remaining, resetSeconds, burn1h, burn15m } = recorded;
  const quarter = timing.duration(timing.burnWindow);
  const half = timing.duration(2 * timing.burnWindow);
  const threeQuarters = timing.duration(3 * timing.burnWindow);
  return {
    name: "aigateway-key-forecast",
    comment:
      "What is still to be spent today, by the shape of the key's earlier days: office hours end, nights are quiet. A rate alone knows nothing of that.",
    interval: timing.duration(60),
    rules: [
      record(
        spentYesterday,
        "What yesterday spent in all: usage minus that of today is usage at midnight.",
        promql`(${usage} - ${usageDay}) - (${usage} offset ${day} - ${usageDay} offset ${day})`,
      ),
      record(
        restShareYesterday,
        "The share of yesterday's spend that came later than this hour, unless the key was dry in the meantime.",
        promql`
          clamp_min(${usage} - ${usageDay} - ${usage} offset ${day}, 0)
          / (${spentYesterday} > 0)
          and ${recorded.remainingRatioMin1d} > ${thresholds.dryRatio}`,
      ),
      record(
        restShare,
        "The same of a typical day: half yesterday, a quarter the day before, and so on; dry days do not count.",
        promql`
          0.5 * ${restShareYesterday} + 0.5 * ${restShare} offset ${day}
          or ${restShareYesterday}
          or ${restShare} offset ${day}`,
      ),
      record(
        restOfDay,
        "Credits still to be spent until midnight UTC if today goes on as days do. Part of yesterday is mixed in, so that the first calls of a morning are not taken for a trend.",
        promql`
          ${restShare} * (${usageDay} + ${thresholds.yesterdaysPart} * ${spentYesterday})
          / (1 + ${thresholds.yesterdaysPart} - ${restShare})`,
      ),
      record(
        restRatio,
        "The share of what is left that today still needs by that forecast, on a day that ends with a reset. Only while the key does not spend at twice the rate of yesterday at this hour: else its days are no guide.",
        promql`
          ${restOfDay} / (${remaining} > 0)
          and ${resetSeconds} <= 86400
          and ${burn1h} < 2 * ${burn1h} offset ${day}
          and ${burn15m} < 2 * ${burn1h} offset ${day}`,
      ),
      record(
        recorded.burnLasting,
        "The rate of the last hour, if each quarter of it had its part in it: a burst that is over, or just begins, is none.",
        promql`
          ${burn1h}
          and ${burn15m} > ${thresholds.lastingPart} * ${burn1h}
          and ${burn15m} offset ${quarter} > ${thresholds.lastingPart} * ${burn1h}
          and ${burn15m} offset ${half} > ${thresholds.lastingPart} * ${burn1h}
          and ${burn15m} offset ${threeQuarters} > ${thresholds.lastingPart} * ${burn1h}`,
      ),
    ],
  };
}
