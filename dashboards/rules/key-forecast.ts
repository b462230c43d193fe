import { promql } from "../promql.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";

/** What is still to be spent today, by the shape of the key's earlier days: office hours end, nights are quiet. */
export function keyForecast({ timing }: Settings): RuleGroup {
  const day = timing.duration(86_400);
  const { usage, usageDay, spentYesterday, restShareYesterday, restShare, restOfDay } = recorded;
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
          and ${recorded.remainingRatioMin1d} > 0.015`,
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
        "Credits still to be spent until midnight UTC if today goes on as days do. A tenth of yesterday is mixed in, so that the first calls of a morning are not taken for a trend.",
        promql`
          ${restShare} * (${usageDay} + 0.1 * ${spentYesterday})
          / (1.1 - ${restShare})`,
      ),
      record(
        recorded.lastsToday,
        "What is left, where that is enough for the rest of today and the key does not spend at twice the rate of yesterday at this hour.",
        promql`
          ${recorded.remaining} > 1.1 * ${restOfDay}
          and ${recorded.burn1h} < 2 * ${recorded.burn1h} offset ${day}
          and ${recorded.burn15m} < 2 * ${recorded.burn1h} offset ${day}`,
      ),
    ],
  };
}
