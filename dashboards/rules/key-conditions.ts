import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { asYesterday } from "./key-forecast.ts";
import { lately } from "./key-days.ts";
import { peak } from "./key-history.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/** The start conditions of the urgent alerts on remaining credits. They are recorded, so that an alert can check whether one was true recently. */
export function urgentConditions(timing: Timing): readonly RecordingRule[] {
  return [imminent(timing), predicted(timing)];
}

/** The start conditions of the alerts that leave time to act. */
export function patientConditions(timing: Timing): readonly RecordingRule[] {
  return [slow(timing), low(timing)];
}

function imminent(timing: Timing): RecordingRule {
  const { exhaustion15m, exhaustion1h, exhaustionLasting, burn15m, burn1h } = recorded;
  const { resetSeconds, restRatio, burn15mMax3d, burn1hYesterday } = recorded;
  const horizon = timing.seconds(thresholds.imminent);
  return record(
    recorded.imminent,
    "The key almost certainly runs out within minutes. The value is the seconds left.",
    promql`
      # If less time is left, or no call succeeds any more, AIGatewayKeyExhausted fires instead.
      ${exhaustion15m} > ${timing.seconds(thresholds.imminentOver)} < ${thresholds.imminentBeforeReset} * ${resetSeconds}
      and (
        (
          ${exhaustion15m} < ${horizon}
          and (
            # Either the rate has lasted and is not falling, and is not one more burst of a key that has them every day,
            (
              ${exhaustion15m} < (${exhaustionLasting} < ${horizon}) / ${thresholds.falling}
              and (
                ${sixHours(timing)} < ${timing.seconds(thresholds.imminentSixHours)}
                or ${burn1h} < ${thresholds.burst} * ${lately(timing, burn1hYesterday)}
                or ${unusual(timing, burn1h)}
              )
            )
            # or the key has never spent nearly as fast in three days,
            or ${burn15m} > ${thresholds.unusualNow} * ${peak(timing, burn15mMax3d)}
          )
        )
        # or a typical day needs far more than is left.
        or (
          ${restRatio} > ${thresholds.certain.ratio}
          and ${asYesterday(timing)}
          and ${exhaustion1h} < ${timing.seconds(thresholds.certain.hour)}
          and ${exhaustion15m} < ${timing.seconds(thresholds.certain.quarter)}
        )
      )
      # Not if a typical day needs clearly less than what is left; not early if it needs about as much.
      unless ${restRatio} < ${thresholds.lastsUsually}
      unless (
        ${restRatio} < ${thresholds.lastsPerhaps}
        and ${exhaustion15m} > ${timing.seconds(thresholds.imminentUncertain)}
      )`,
  );
}

/** The time left at the rate of six hours; of one hour, while there is less history. */
function sixHours(timing: Timing): string {
  return promql`(${lately(timing, recorded.exhaustion6h)} or ${recorded.exhaustion1h})`;
}

function unusual(timing: Timing, burn: Series): string {
  const [max3d, factor] =
    burn === recorded.burn1h
      ? [recorded.burn1hMax3d, thresholds.unusual1h]
      : [recorded.burn15mMax3d, thresholds.unusual15m];
  return promql`${burn} > ${factor} * ${peak(timing, max3d)}`;
}

function predicted(timing: Timing): RecordingRule {
  const { exhaustion15m, exhaustion1h, exhaustion1d, remaining, resetSeconds } = recorded;
  const { burn15m, exhaustionLasting, restOfDay, restRatio } = recorded;
  const soon = timing.seconds(thresholds.predictedSoon);
  const anyway = timing.seconds(thresholds.predictedAnyway);
  return record(
    recorded.predicted,
    "The key runs out within a day, judged by its present rate, its typical day or its last day. The value is the credits left.",
    promql`
      ${remaining} > 0
      and (
        # The rate is unusual, has lasted, or leaves less than an hour, and earlier days do not suggest that it ends in time.
        (
          ${exhaustion15m} < ${soon} < ${resetSeconds}
          and (
            ${unusual(timing, burn15m)}
            or (${exhaustion1h} < ${anyway} and ${exhaustion15m} < ${anyway})
            or (${exhaustionLasting} < ${soon} and ${sixHours(timing)} < ${2 * soon})
          )
          unless (
            ${restRatio} < ${thresholds.lastsUsually}
            and (${exhaustion1h} > ${soon / 2} or ${restRatio} < ${thresholds.lastsSurely})
          )
        )
        # A typical day needs more than is left.
        or (
          ${lately(timing, restOfDay)}
          > ${remaining} * (1 + ${thresholds.forecastMargin} * (${resetSeconds} <= 86400) / 86400)
        )
        # The limit spans several days, and another day like the last one exceeds it.
        or (
          ${lately(timing, exhaustion1d)} < ${timing.seconds(thresholds.predictedDays)}
          and ${resetSeconds} > 86400
        )
      )`,
  );
}

function slow(timing: Timing): RecordingRule {
  const week = timing.seconds(thresholds.slow);
  const { exhaustion3d, exhaustion1d, resetSeconds, remaining } = recorded;
  const longWindow = select(families.limitReset, { aigateway_key_limit_reset: "~monthly|never" });
  return record(
    recorded.slow,
    "The key runs out within a week, for limits that reset monthly or never. The rate of three days is the measure; that of one day confirms that the spending continues. The value is the seconds left.",
    promql`
      ${lately(timing, exhaustion3d)} < ${week} < ${resetSeconds}
      and ${lately(timing, exhaustion1d)} < ${week}
      and ${remaining} > 0
      and on (job, gateway, key) last_over_time(${longWindow}[${timing.memory}]) == 1`,
  );
}

function low(timing: Timing): RecordingRule {
  const { remaining, limit, exhaustion1d, resetSeconds } = recorded;
  return record(
    recorded.low,
    "Little is left, and it does not last until the reset. The value is the remaining share of the limit.",
    promql`
      ${remaining} / (${limit} > 0) < ${thresholds.low}
      and ${remaining} > 0
      and ${lately(timing, exhaustion1d)} < ${resetSeconds}`,
  );
}
