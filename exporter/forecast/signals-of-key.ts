import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time/window.ts";
import type { Signals } from "./hysteresis.ts";
import { type Judged, lasts } from "./judged.ts";
import { thresholds } from "./thresholds.ts";

/** Judges the limit of a key. */
export function signalsOfKey(judged: Judged): Signals {
  const { left, limit, resetMs, rates } = judged;
  const rest = restRatio(judged);
  const sixHours = lasts(left, rates.sixHours);
  const threeDays = lasts(left, rates.threeDays);
  const isNearlyOut = left <= thresholds.exhaustedRatio * limit;
  return {
    exhausted: {
      begins: left <= 0 || (isNearlyOut && isStopped(judged)),
      stays: isNearlyOut && !(lasts(left, rates.quarter) > thresholds.imminent),
    },
    imminent: {
      begins: left > 0 && (isImminent(judged, rest) || lastsAtFirst(judged) < thresholds.imminent),
      stays: false,
    },
    predicted: {
      begins:
        left > 0 &&
        (isPredicted(judged, rest) || needsMore(judged) || lastsAtFirst(judged) < thresholds.predictedSoon),
      stays:
        sixHours < Math.min(2 * thresholds.predicted, resetMs) ||
        (judged.isLong && lasts(left, rates.day) < Math.min(2 * thresholds.predicted, resetMs)),
    },
    slow: {
      begins: left > 0 && isSlow(judged),
      stays: threeDays < Math.min(2 * thresholds.slow, resetMs),
    },
  };
}

/**
 * The fastest rates of earlier days, to tell what is unusual. While there are none, several times the mean of the UTC windows is usual.
 */
function peaksOf({ course, windowRate }: Judged): { readonly quarter: number; readonly hour: number } {
  const peaks = course.peaks();
  if (peaks.quarter > 0) return peaks;
  const usual = thresholds.learningPeak * windowRate();
  return { quarter: usual, hour: usual };
}

/** The time that the mean of the UTC windows leaves, while no rate is measured; NaN if the limit resets before. */
function lastsAtFirst({ left, resetMs, rates, windowRate }: Judged): number {
  if (!Number.isNaN(rates.hour)) return NaN;
  const lastsMs = lasts(left, windowRate());
  return lastsMs > thresholds.imminentOver && lastsMs < resetMs ? lastsMs : NaN;
}

/**
 * No call succeeds any more, although the rate of the last hour would have used up the rest long ago; or that of the UTC windows,
 * if no spend was seen: then the credits were used up before a restart.
 */
function isStopped({ course, left, rates, windowRate }: Judged): boolean {
  const rate = course.hasSpent ? rates.hour : windowRate();
  return [thresholds.exhausted, thresholds.exhaustedSeldom].some(
    ({ idle, rest }) => course.quietMs >= idle && lasts(left, rate) < rest,
  );
}

/** The rate of three days decides; that of one day confirms that the spending continues. */
function isSlow({ left, isLong, resetMs, rates }: Judged): boolean {
  const { slow } = thresholds;
  return isLong && lasts(left, rates.threeDays) < Math.min(slow, resetMs) && lasts(left, rates.day) < slow;
}

/** The forecast rest of today divided by what is left, on a day that ends with a reset, while earlier days are a guide. */
function restRatio({ course, left, restOfDay, rates }: Judged): number {
  if (!(lasts(left, rates.quarter) < thresholds.predictedSoon)) return NaN;
  const usual = thresholds.asUsual * course.usual(0);
  return usual > rates.hour && usual > rates.quarter ? restOfDay / left : NaN;
}

/** The present rate as a part of the usual one at this hour, at most 1; 1 if that is unknown. */
function partOfUsual({ course, rates }: Judged): number {
  const usual = course.usual(0);
  return rates.quarter < usual ? rates.quarter / usual : 1;
}

/** The time that the rate of the last hour leaves, if each quarter of it contributed. */
function lasting({ course, left, rates }: Judged): number {
  for (let quarter = 0; quarter < 4; quarter++) {
    const toMs = course.untilMs - quarter * QUARTER_MS;
    const rate = quarter === 0 ? rates.quarter : course.rate(toMs - QUARTER_MS, toMs, QUARTER_MS / 3);
    if (!(rate > thresholds.lastingPart * rates.hour)) return NaN;
  }
  return lasts(left, rates.hour);
}

const QUARTER_MS = 15 * MINUTE_MS;

function isImminent(judged: Judged, rest: number): boolean {
  const { left, resetMs, rates } = judged;
  const quarter = lasts(left, rates.quarter);
  // If less is left, or no call succeeds any more, the key is exhausted instead.
  if (!(quarter > thresholds.imminentOver && quarter < thresholds.certain.within && quarter < resetMs))
    return false;
  // Not if a typical day, or one at the present rate, needs about what is left or less; not early if it needs little more.
  if (rest * partOfUsual(judged) < thresholds.lastsUsually) return false;
  if (rest < thresholds.lastsPerhaps && quarter > thresholds.imminentUncertain) return false;
  // A typical day needs much more than is left, and the rate has lasted.
  if (rest > thresholds.certain.ratio && !Number.isNaN(lasting(judged))) return true;
  if (!(quarter < thresholds.imminent)) return false;
  // A day like the last one uses up what is left many times, whatever the last hour shows.
  if (lasts(left, rates.day) < thresholds.longBefore * Math.min(resetMs, DAY_MS)) return true;
  return isImminentByRate(judged, quarter);
}

/**
 * Either the rate has lasted, and six hours like the last ones would not last until the reset, or the key has
 * never spent nearly as fast.
 */
function isImminentByRate(judged: Judged, quarter: number): boolean {
  const { course, left, resetMs, rates } = judged;
  const isUnusualHour = rates.hour > thresholds.unusual1h * peaksOf(judged).hour;
  const lastsSixHours = lasts(left, rates.sixHours) >= Math.min(resetMs, DAY_MS);
  const isLasting = lasting(judged) < thresholds.imminent && (isUnusualHour || !lastsSixHours);
  if (!isLasting && !(rates.quarter > thresholds.unusualNow * peaksOf(judged).quarter)) return false;
  if (isUnusualHour || !(quarter > thresholds.nextHour.quarter)) return true;
  // Not early if the hour that usually follows uses less than is left, as when the office closes.
  const usualChange = course.usual(HOUR_MS) / course.usual(0);
  return !(lasts(left, rates.hour) >= thresholds.nextHour.margin * HOUR_MS * usualChange);
}

/** The rate is unusual, leaves less than an hour, has lasted, or goes on as usual, and earlier days do not suggest that the credits last. */
function isPredicted(judged: Judged, rest: number): boolean {
  const { course, left, resetMs, rates } = judged;
  const [quarter, hour] = [lasts(left, rates.quarter), lasts(left, rates.hour)];
  if (!(quarter < thresholds.predictedSoon && quarter < resetMs)) return false;
  if (rest < thresholds.lastsUsually && (hour > thresholds.lastsRate || rest < thresholds.lastsSurely))
    return false;
  const soon = course.knowsDay ? thresholds.predictedSoon : thresholds.predictedAtFirst;
  return (
    rates.quarter > thresholds.unusual15m * peaksOf(judged).quarter ||
    (hour < thresholds.predictedAnyway && quarter < thresholds.predictedAnyway) ||
    (lasting(judged) < soon && lasts(left, rates.sixHours) < 2 * soon) ||
    (quarter < thresholds.predictedNextHour && left < thresholds.predictedNextHour * course.usual(HOUR_MS))
  );
}

/** A typical day and most earlier days, or a day like the last one, need more than is left until the reset. */
function needsMore({ course, left, resetMs, rates, restOfDay }: Judged): boolean {
  if (resetMs > DAY_MS) return rates.day * thresholds.predictedDays > left;
  const margin = 1 + (thresholds.forecastMargin * resetMs) / DAY_MS;
  if (!(lasts(left, rates.day) < thresholds.dayConfirms * resetMs && restOfDay > margin * left)) return false;
  return course.daysThatNeed(left) >= thresholds.mostDays;
}
