import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/** The start conditions of the alerts on remaining credits. They are recorded, so that an alert can check whether one was true recently. */
export function keyConditions(timing: Timing): readonly RecordingRule[] {
  return [imminent(timing), predicted(timing), slow(timing), low()];
}

function imminent(timing: Timing): RecordingRule {
  const { exhaustion15m, exhaustion1h, burn15m, burnLasting, remaining, resetSeconds } = recorded;
  const horizon = timing.seconds(thresholds.imminent);
  return record(
    recorded.imminent,
    "The key almost certainly runs out within minutes. The value is the seconds left.",
    promql`
      ${exhaustion15m} < ${horizon}
      and ${exhaustion15m} < ${resetSeconds}
      and ${exhaustion1h} < ${resetSeconds}
      and ${remaining} > 0
      # If less time is left, or no call succeeds any more, AIGatewayKeyExhausted fires instead.
      and ${exhaustion15m} > ${timing.seconds(thresholds.imminentOver)}
      and (
        # Either the rate has lasted and is not falling,
        (
          ${remaining} / (${burnLasting} > 0) < ${horizon}
          and ${burn15m} > ${thresholds.falling} * ${burnLasting}
        )
        # or the key has not spent this fast in three days.
        or ${unusual(burn15m)}
      )
      # Not if a typical day needs clearly less than what is left; not early if it needs about as much.
      unless ${recorded.restRatio} < ${thresholds.lastsUsually}
      unless (
        ${recorded.restRatio} < ${thresholds.lastsPerhaps}
        and ${exhaustion15m} > ${timing.seconds(thresholds.imminentUncertain)}
      )`,
  );
}

function unusual(burn: Series): string {
  const [max3d, factor] =
    burn === recorded.burn1h
      ? [recorded.burn1hMax3d, thresholds.unusual1h]
      : [recorded.burn15mMax3d, thresholds.unusual15m];
  return `${burn.name} > ${factor} * (${max3d.name} or ${recorded.limit.name} * 0)`;
}

function predicted(timing: Timing): RecordingRule {
  const { exhaustion15m, exhaustion1h, exhaustion6h, exhaustion1d, remaining, resetSeconds } = recorded;
  const { burn15m, burn1h, burnLasting, restOfDay, restRatio } = recorded;
  const soon = timing.seconds(thresholds.predictedSoon);
  const day = timing.seconds(thresholds.predicted);
  const anyway = timing.seconds(thresholds.predictedAnyway);
  return record(
    recorded.predicted,
    "The key runs out within a day, judged by its present rate, its typical day or its last day. The value is the credits left.",
    promql`
      ${remaining} > 0
      and (
        # The rate is unusual, has lasted, or leaves less than an hour, and earlier days do not suggest that it ends in time.
        (
          ${exhaustion15m} < ${soon}
          and ${exhaustion15m} < ${resetSeconds}
          and (
            ${unusual(burn15m)}
            or (${exhaustion1h} < ${anyway} and ${exhaustion15m} < ${anyway})
            or (
              ${remaining} / (${burnLasting} > 0) < ${soon}
              and (${unusual(burn1h)} or ${exhaustion6h} < ${2 * soon})
            )
          )
          unless (
            ${restRatio} < ${thresholds.lastsUsually}
            and (${exhaustion1h} > ${soon / 2} or ${restRatio} < ${thresholds.lastsSurely})
          )
        )
        # A typical day needs more than is left.
        or (
          ${restOfDay} > ${remaining} * (1 + ${thresholds.forecastMargin} * ${resetSeconds} / 86400)
          and ${resetSeconds} <= 86400
        )
        # The limit spans several days, and another day like the last one exceeds it.
        or (
          ${exhaustion1d} < ${day}
          and ${exhaustion6h} < ${resetSeconds}
          and ${resetSeconds} > 86400
        )
        # Without history: at a lasting rate, the key runs out well before the reset.
        or (
          ${exhaustion6h} < ${day}
          and ${remaining} / (${burnLasting} > 0) < ${timing.seconds(thresholds.predictedBlind)}
          and ${exhaustion6h} < ${thresholds.blindMargin} * ${resetSeconds}
          unless ${restOfDay}
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
      ${exhaustion3d} < ${resetSeconds}
      and ${exhaustion3d} < ${week}
      and ${exhaustion1d} < ${week}
      and ${remaining} > 0
      and on (job, key) last_over_time(${longWindow}[${timing.memory}]) == 1`,
  );
}

function low(): RecordingRule {
  const { remaining, limit, exhaustion1d, resetSeconds } = recorded;
  return record(
    recorded.low,
    "Little is left, and it does not last until the reset. The value is the remaining share of the limit.",
    promql`
      ${remaining} / (${limit} > 0) < ${thresholds.low}
      and ${remaining} > 0
      and ${exhaustion1d} < ${resetSeconds}`,
  );
}
