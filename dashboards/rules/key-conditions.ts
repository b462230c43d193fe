import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { record, type RecordingRule } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/** When the alerts on what is left of a limit begin. Recorded, so that an alert may ask whether it was so lately. */
export function keyConditions(timing: Timing): readonly RecordingRule[] {
  return [imminent(timing), predicted(timing), slow(timing), low()];
}

function imminent(timing: Timing): RecordingRule {
  const { exhaustion15m, exhaustion1h, burn15m, burnLasting, remaining, resetSeconds } = recorded;
  const horizon = timing.seconds(thresholds.imminent);
  return record(
    recorded.imminent,
    "Out within minutes, and sure of it: seconds that are left.",
    promql`
      ${exhaustion15m} < ${horizon}
      and ${exhaustion15m} < ${resetSeconds}
      and ${exhaustion1h} < ${resetSeconds}
      and ${remaining} > 0
      # What is over that soon, or serves no call any more, is told by the next alert.
      and ${exhaustion15m} > ${timing.seconds(thresholds.imminentOver)}
      and (
        # The rate has lasted and does not fall,
        (
          ${remaining} / (${burnLasting} > 0) < ${horizon}
          and ${burn15m} > ${thresholds.falling} * ${burnLasting}
        )
        # or the key never spent like this in three days.
        or ${unusual(burn15m)}
      )
      # Not where days like this one need less than what is left; early, not even where it is close.
      unless ${recorded.restRatio} < ${thresholds.lastsUsually}
      unless (
        ${recorded.restRatio} < ${thresholds.lastsPerhaps}
        and ${exhaustion15m} > ${timing.seconds(thresholds.imminentDoubtful)}
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
    "Out within a day: the present rate, the usual day, or the last day lead beyond what is left. Credits that are left.",
    promql`
      ${remaining} > 0
      and (
        # A rate that was never seen, that has lasted, or that leaves no hour, unless other days say that it will end in time.
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
        # A day like others needs more than is left.
        or (
          ${restOfDay} > ${remaining} * (1 + ${thresholds.forecastMargin} * ${resetSeconds} / 86400)
          and ${resetSeconds} <= 86400
        )
        # A limit of several days: another day like the last one is too much.
        or (
          ${exhaustion1d} < ${day}
          and ${exhaustion6h} < ${resetSeconds}
          and ${resetSeconds} > 86400
        )
        # Nothing is known of other days: a rate that lasts leads well before the reset.
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
    "Out within a week, of a limit that is reset once a month or never: three days say what is usual, one that it still goes on. Seconds that are left.",
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
    "Little is left and does not last until the reset: the share of the limit.",
    promql`
      ${remaining} / (${limit} > 0) < ${thresholds.low}
      and ${remaining} > 0
      and ${exhaustion1d} < ${resetSeconds}`,
  );
}
