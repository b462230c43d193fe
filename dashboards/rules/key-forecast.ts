import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { DAY, thresholds } from "../thresholds.ts";
import { promql } from "../promql.ts";
import { lately } from "./key-days.ts";
import { historic } from "./key-history.ts";
import { usageOfLimit } from "./key-inputs.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import { slowly, type Timing } from "./timing.ts";

/** Forecasts how much a key still spends today from its earlier days: office hours end, and nights are quiet. */
export function keyForecast({ timing }: Settings): RuleGroup {
  const day = timing.duration(DAY);
  const { usage, usageDay, usageMidnight, spentYesterday, spentTypicalDay, restOfDay } = recorded;
  const { restShareYesterday, restShare, restShareBefore } = recorded;
  const { burn1d, exhaustion1d, resetSeconds } = recorded;
  return {
    name: "aigateway-key-forecast",
    comment:
      "How much a key still spends today, judged by its earlier days: office hours end, and nights are quiet. A rate alone cannot know that.",
    interval: slowly(timing),
    rules: [
      record(
        usageDay,
        "The usage since midnight UTC that counts toward the limit. Absent until the look-back no longer reaches yesterday.",
        `${usageOfLimit(timing, families.usageDay, families.byokUsageDay)}\n${promql`and on () vector(${timing.now} % 86400) >= ${timing.memorySeconds}`}`,
      ),
      record(usageMidnight, "All usage at the last midnight UTC.", promql`${usage} - ${usageDay}`),
      record(
        recorded.usageMidnightBefore,
        "All usage at the midnight before. Recorded alone: an expression that also reads the present opens every block in between.",
        promql`${usageMidnight} offset ${day}`,
      ),
      record(
        spentYesterday,
        "Credits spent yesterday.",
        promql`${usageMidnight} - ${recorded.usageMidnightBefore}`,
      ),
      record(
        restShareYesterday,
        "The share of yesterday's spend that came after this hour. Absent if the key ran out of credits since, unless that was in the last hour or two.",
        promql`
          clamp_min(${usageMidnight} - ${lately(timing, recorded.usageDayAgo)}, 0)
          / (${spentYesterday} > 0)
          and ${historic(timing, recorded.remainingRatioMin1d)} > ${thresholds.dryRatio}`,
      ),
      record(
        restShareBefore,
        "The share of a typical day's spend after this hour, as it was a day ago.",
        promql`${restShare} offset ${day}`,
      ),
      record(
        restShare,
        "The share of a typical day's spend that comes after this hour: half the weight is yesterday's, a quarter the day before's, and so on. Days without credits do not count.",
        promql`
          0.5 * ${restShareYesterday} + 0.5 * ${restShareBefore}
          or ${restShareYesterday}
          or ${restShareBefore}`,
      ),
      record(
        recorded.spentTypicalDayBefore,
        "Credits spent on a typical day, as it was a day ago.",
        promql`${spentTypicalDay} offset ${day}`,
      ),
      record(
        spentTypicalDay,
        "Credits spent on a typical day, with the same weights. A day on which the key ran out counts only if its spend is higher than that of a typical day, because the key would have spent more with credits.",
        promql`
          0.5 * (${spentYesterday} and ${restShareYesterday}) + 0.5 * ${recorded.spentTypicalDayBefore}
          or ${spentYesterday} unless ${spentYesterday} < ${recorded.spentTypicalDayBefore}
          or ${recorded.spentTypicalDayBefore}`,
      ),
      record(
        restOfDay,
        "Credits still to be spent until midnight UTC if today continues like a typical day. The spend of a typical day is weighted in, so that the first calls of a morning do not look like a trend.",
        promql`${restShare} * (${usageDay} + ${spentTypicalDay}) / (2 - ${restShare})`,
      ),
      record(
        recorded.needed,
        "Credits that the key needs, if they are more than it has left. If the limit resets within a day: for the rest of a typical day, unless the rate of the last day contradicts that. Otherwise: for another 16 hours at the rate of the last day.",
        promql`
          (
            ${restOfDay} / (1 + ${thresholds.forecastMargin} * (${resetSeconds} <= 86400) / 86400) and ${exhaustion1d} < ${thresholds.dayConfirms} * ${resetSeconds}
            or ${burn1d} * ${timing.seconds(thresholds.predictedDays)} and ${resetSeconds} > 86400
          ) > ${recorded.remaining}`,
      ),
    ],
  };
}

/** What the forecast and the last hour mean now. */
export function keyPresent(timing: Timing): readonly RecordingRule[] {
  const { restRatio, restOfDay, remaining, resetSeconds, burn1h, burn15m, exhaustionSoon } = recorded;
  // Not the series of the first rule: a rule of Grafana or vmalert reads what its own group records only at
  // the next evaluation.
  const soon = promql`${recorded.exhaustion15m} < ${timing.seconds(thresholds.predictedSoon)}`;
  const part = thresholds.lastingPart;
  const quarters = (count: number) => timing.duration(count * timing.burnWindow);
  return [
    record(
      exhaustionSoon,
      "Seconds until the key runs out at the rate of the last 15 minutes, if that is soon and before its limit resets. Other keys have no series, so the rules that read it cost little.",
      promql`${soon} < ${resetSeconds}`,
    ),
    record(
      restRatio,
      "The forecast rest of today divided by what is left, for a key that runs out soon, on a day that ends with a reset. Absent while the rate of the last hour or of the last 15 minutes is more than three times the usual one at this hour, or if no usual one is known, because earlier days do not help then.",
      // A comparison keeps its left side, so both rates are compared with the usual one.
      promql`
        ${lately(timing, restOfDay)} / (${remaining} > 0 and ${soon} and ${resetSeconds} <= 86400)
        and ${thresholds.asUsual} * ${lately(timing, recorded.burn1hUsual)} > ${burn1h} > ${burn15m}`,
    ),
    record(
      recorded.unusualHour,
      "The rate of the last hour, if it is clearly higher than in any other hour of three days.",
      promql`${burn1h} > ${thresholds.unusual1h} * ${lately(timing, recorded.burn1hPeak)}`,
    ),
    record(
      recorded.exhaustionLasting,
      "Seconds until a key runs out at the rate of the last hour, for keys that run out soon and spent in each quarter of that hour. A burst that is over or has just begun does not qualify.",
      promql`
        ${recorded.exhaustion1h}
        and (
          ${part} * (${burn1h} and ${soon})
          < ${burn15m}
          < ${burn15m} offset ${quarters(1)}
          < ${burn15m} offset ${quarters(2)}
          < ${burn15m} offset ${quarters(3)}
        )`,
    ),
  ];
}
