import { DAY, MINUTE, thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";

/** Forecasts how much a key still spends today from its earlier days: office hours end, and nights are quiet. */
export function keyForecast({ timing }: Settings): RuleGroup {
  const day = timing.duration(DAY);
  const { usage, usageDay, spentYesterday, restShareYesterday, restShare, restOfDay } = recorded;
  const { restRatio, remaining, resetSeconds, burn1h, burn15m } = recorded;
  const quarter = timing.duration(timing.burnWindow);
  const half = timing.duration(2 * timing.burnWindow);
  const threeQuarters = timing.duration(3 * timing.burnWindow);
  return {
    name: "aigateway-key-forecast",
    comment:
      "How much a key still spends today, judged by its earlier days: office hours end, and nights are quiet. A rate alone cannot know that.",
    interval: timing.duration(MINUTE),
    rules: [
      record(
        spentYesterday,
        "Credits spent yesterday. The usage at midnight is the usage minus today's.",
        promql`(${usage} - ${usageDay}) - (${usage} offset ${day} - ${usageDay} offset ${day})`,
      ),
      record(
        restShareYesterday,
        "The share of yesterday's spend that came after this hour. Absent if the key ran out of credits since.",
        promql`
          clamp_min(${usage} - ${usageDay} - ${usage} offset ${day}, 0)
          / (${spentYesterday} > 0)
          and ${recorded.remainingRatioMin1d} > ${thresholds.dryRatio}`,
      ),
      record(
        restShare,
        "The same share for a typical day: half the weight is yesterday's, a quarter the day before's, and so on. Days without credits do not count.",
        promql`
          0.5 * ${restShareYesterday} + 0.5 * ${restShare} offset ${day}
          or ${restShareYesterday}
          or ${restShare} offset ${day}`,
      ),
      record(
        restOfDay,
        "Credits still to be spent until midnight UTC if today continues like a typical day. Yesterday's spend is weighted in, so that the first calls of a morning do not look like a trend.",
        promql`
          ${restShare} * (${usageDay} + ${thresholds.yesterdaysPart} * ${spentYesterday})
          / (1 + ${thresholds.yesterdaysPart} - ${restShare})`,
      ),
      record(
        restRatio,
        "The forecast rest of today divided by what is left, on a day that ends with a reset. Absent while the key spends at twice yesterday's rate at this hour, because then earlier days are no guide.",
        promql`
          ${restOfDay} / (${remaining} > 0)
          and ${resetSeconds} <= 86400
          and ${burn1h} < 2 * ${burn1h} offset ${day}
          and ${burn15m} < 2 * ${burn1h} offset ${day}`,
      ),
      record(
        recorded.burnLasting,
        "The rate of the last hour, if each quarter of the hour contributed to it. A burst that is over or has just begun does not qualify.",
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
