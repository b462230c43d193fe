import { DAY_MS } from "../time/window.ts";
import type { Signals } from "./hysteresis.ts";
import { type Judged, lasts } from "./judged.ts";
import { thresholds } from "./thresholds.ts";

/** Judges the balance of an account, which never resets. Refunds, transfers and expiries change the balance, not the rates. */
export function signalsOfAccount({ course, left, rates }: Judged): Signals {
  const hour = lasts(left, rates.hour);
  const day = lasts(left, rates.day);
  const { idle, rest } = thresholds.exhaustedSeldom;
  const isIdle = course.quietMs >= idle;
  const isLeft = left > 0;
  return {
    exhausted: {
      // Too little is left for a call: nothing is spent, although the rate of the last hour would have used it up long ago.
      begins: !isLeft || (isIdle && hour < rest),
      stays: isIdle,
    },
    imminent: {
      // A nightly job ends after some hours, so the rate of six hours can contradict that of the last one. It would notice a runaway
      // hours later, so the last hour decides alone if it leaves little, or if it is all that is known.
      begins:
        isLeft &&
        hour < thresholds.accountImminent &&
        !(lasts(left, rates.sixHours) >= thresholds.accountImminent && hour >= thresholds.accountAnyway),
      stays: false,
    },
    predicted: {
      // The rate of a day knows office hours and nightly jobs.
      begins: isLeft && (Number.isNaN(day) ? lasts(left, rates.sixHours) : day) < DAY_MS,
      stays: false,
    },
    slow: {
      begins: isLeft && lasts(left, rates.threeDays) < thresholds.accountSlow && day < thresholds.slow,
      stays: false,
    },
  };
}

/** Judges the balance of an account that buys credits by itself. It is announced when a purchase is missing, whatever the rates. */
export function signalsOfToppedUp(judged: Judged): Signals {
  const { left, topUpBelow } = judged;
  return {
    exhausted: { begins: left <= 0 && !goesOnWithout(judged), stays: false },
    imminent: { begins: left < topUpBelow, stays: false },
    predicted: NEVER,
    slow: NEVER,
  };
}

const NEVER = { begins: false, stays: false };

/** Whether spending goes on although the balance was used up half an hour ago. */
export function goesOnWithout({ course, nowMs, left }: Judged): boolean {
  const half = thresholds.overdrawn / 2;
  const spentUntil = (toMs: number) => course.rate(toMs - half, toMs, half / 3) * half;
  const [earlier, later] = [spentUntil(nowMs - half), spentUntil(nowMs)];
  return earlier > 0 && later > 0 && left + earlier + later <= 0;
}
