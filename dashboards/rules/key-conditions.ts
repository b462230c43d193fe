import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { DAY, HOUR, thresholds } from "../thresholds.ts";
import { promql, select } from "../promql.ts";
import { lately } from "./key-days.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/**
 * The start conditions of the urgent alerts on remaining credits. They are recorded, so that an alert can
 * check whether one was true recently.
 */
export function urgentConditions(timing: Timing): readonly RecordingRule[] {
  return [imminent(timing), predicted(timing)];
}

/** The start conditions of the alerts that leave time to act. */
export function patientConditions(timing: Timing): readonly RecordingRule[] {
  return [slow(timing), low(timing)];
}

/** The keys that are out of credits if they cannot spend what is left. */
export function nearlyOut(): RecordingRule {
  return record(
    recorded.nearlyOut,
    "Credits left, if they are almost none.",
    promql`${recorded.remaining} <= ${thresholds.exhaustedRatio} * (${recorded.limit} > 0)`,
  );
}

function imminent(timing: Timing): RecordingRule {
  const { exhaustionSoon, exhaustion1h, exhaustion6h, exhaustion1d, exhaustionLasting } = recorded;
  const { burn15m, resetSeconds, restRatio, burn15mPeak, burn1hUsual, burn1hUsualNext } = recorded;
  const horizon = timing.seconds(thresholds.imminent);
  const withinDay = promql`clamp_max(${resetSeconds}, ${DAY})`;
  return record(
    recorded.imminent,
    "The key almost certainly runs out within the hour. The value is the seconds left.",
    promql`
      # If less than two minutes are left, or no call succeeds any more, AIGatewayKeyExhausted fires instead.
      ${exhaustionSoon} > ${timing.seconds(thresholds.imminentOver)} < ${timing.seconds(thresholds.certain.within)}
      and (
        (
          ${exhaustionSoon} < ${horizon}
          and (
            # Either the rate has lasted, and six hours like the last ones would not last until the reset,
            (
              ${exhaustionLasting} < ${horizon}
              unless (${lately(timing, exhaustion6h)} >= ${withinDay} unless ${recorded.unusualHour})
            )
            # or the key has never spent nearly as fast in three days,
            or ${burn15m} > ${thresholds.unusualNow} * ${lately(timing, burn15mPeak)}
          )
          # Not early if the hour that usually follows uses less than is left, as when the office closes.
          unless (
            ${exhaustionSoon} > ${timing.seconds(thresholds.nextHour.quarter)}
            and ${exhaustion1h} >= ${thresholds.nextHour.margin * HOUR} * ${lately(timing, burn1hUsualNext)} / ${lately(timing, burn1hUsual)}
            unless ${recorded.unusualHour}
          )
        )
        # Or the rate has lasted, and a typical day needs more than twice what is left,
        or (${restRatio} > ${thresholds.certain.ratio} and ${exhaustionLasting})
        # or a day like the last one uses up what is left many times, whatever the last hour shows.
        or (
          ${exhaustionSoon} < ${horizon}
          and ${lately(timing, exhaustion1d)} < ${thresholds.longBefore} * ${withinDay}
        )
      )
      # Not if a typical day needs about as much as is left, or less; not early if it needs little more.
      unless ${restRatio} < ${thresholds.lastsUsually}
      unless (
        ${restRatio} < ${thresholds.lastsPerhaps}
        and ${exhaustionSoon} > ${timing.seconds(thresholds.imminentUncertain)}
      )`,
  );
}

function predicted(timing: Timing): RecordingRule {
  const { exhaustionSoon, exhaustion1h, exhaustion6h, exhaustionLasting } = recorded;
  const { remaining, burn15m, burn15mPeak, burn1hUsualNext, restRatio } = recorded;
  const nextHour = timing.seconds(thresholds.predictedNextHour);
  const soon = timing.seconds(thresholds.predictedSoon);
  const anyway = timing.seconds(thresholds.predictedAnyway);
  return record(
    recorded.predicted,
    "The key runs out within a day, judged by its present rate, its typical day or its last day. The value is the credits left.",
    promql`
      ${remaining} > 0
      and (
        # The rate is unusual, leaves less than an hour, has lasted, or goes on as usual, and earlier days do not suggest that the credits last.
        (
          ${exhaustionSoon}
          and (
            ${burn15m} > ${thresholds.unusual15m} * ${lately(timing, burn15mPeak)}
            or (${exhaustion1h} < ${anyway} and ${exhaustionSoon} < ${anyway})
            or (${exhaustionLasting} < ${soon} and ${lately(timing, exhaustion6h)} < ${2 * soon})
            # A key that runs out early on every day has spent for too short a time for the others.
            or (${exhaustionSoon} < ${nextHour} and ${remaining} < ${nextHour} * ${lately(timing, burn1hUsualNext)})
          )
          unless (
            ${restRatio} < ${thresholds.lastsUsually}
            and (${exhaustion1h} > ${timing.seconds(thresholds.lastsRate)} or ${restRatio} < ${thresholds.lastsSurely})
          )
        )
        # A typical day, or another day like the last one, needs more than is left.
        or ${recorded.needed} > ${remaining}
      )`,
  );
}

function slow(timing: Timing): RecordingRule {
  const week = timing.seconds(thresholds.slow);
  const { exhaustion3d, exhaustion1d, resetSeconds, remaining } = recorded;
  const longWindow = select(families.limitReset, { aigateway_key_limit_reset: "~monthly|never" });
  return record(
    recorded.slow,
    "The key runs out within a week, for limits that reset monthly or never. The rate of three days decides; the rate of one day confirms that the spending continues. The value is the seconds left.",
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
    "Little is left, and at the rate of the last day it does not last until the reset. The value is the remaining share of the limit.",
    promql`
      ${remaining} / ${limit} < ${thresholds.low}
      and ${remaining} > 0
      and ${lately(timing, exhaustion1d)} < ${resetSeconds}`,
  );
}
