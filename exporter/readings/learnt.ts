import type { Clock } from "../time/clock.ts";
import { contains, isSettled, type Window } from "../time/window.ts";
import type { Reading, ReadingValue } from "./reading.ts";
import { type Aging, isLasting, leftAt, leftMs, redated, redatedBy } from "./time-to-live.ts";

/** The last good reading of a target with its packed samples. */
export interface Learnt<Packed> extends Aging {
  isWithdrawn: boolean;
  readonly values: Packed;
  /** Whether all samples of the reading were trusted. */
  readonly isWhole: boolean;
}

export interface ShownReading {
  readonly value: ReadingValue | undefined;
  readonly askedAtMs: number;
  /** Milliseconds until its time to live ends. */
  readonly leftMs: number;
  /**
   * Whether values of this calendar window may be shown now: the window contains this instant, and the answer was
   * settled in it.
   */
  shows(window: Window): boolean;
}

/** The reading, if it may be shown now. */
export function shownOf(learnt: Learnt<unknown> | undefined, clock: Clock): ShownReading | undefined {
  if (!learnt) return undefined;
  const [nowMs, monotonicMs] = [clock.now(), clock.monotonic()];
  const left = leftAt(learnt, nowMs, monotonicMs);
  if (left <= 0) return undefined;
  const reading = redatedBy(learnt, nowMs - monotonicMs);
  const { value, askedAtMs } = reading;
  return { value, askedAtMs, leftMs: left, shows: showsAt(reading, nowMs) };
}

/** Whether a view contains the reading now. */
export function isCurrentNow(learnt: Aging | undefined, clock: Clock): boolean {
  return learnt !== undefined && isLasting(learnt, leftMs(learnt, clock));
}

/** The reading, however old, with its times by the present wall clock. */
export function latestOf(learnt: Aging | undefined, clock: Clock): Reading | undefined {
  return learnt && redated(learnt, clock);
}

/** Whether all samples of a reading may be shown now. */
export function isWholeNow<Packed>(
  learnt: Learnt<Packed> | undefined,
  windows: (packed: Packed) => readonly Window[],
  clock: Clock,
): boolean {
  if (!learnt?.isWhole || leftMs(learnt, clock) <= 0) return false;
  return windows(learnt.values).every(shownWindows(learnt, clock));
}

/** The windows of a reading whose values may be shown now. */
export function shownWindows(learnt: Aging, clock: Clock): (window: Window) => boolean {
  return showsAt(redated(learnt, clock), clock.now());
}

/**
 * The windows of a reading that may be shown at an instant: those that contain the instant and in which the reading
 * was settled.
 */
function showsAt(reading: Reading, nowMs: number): (window: Window) => boolean {
  return (window) => isSettled(window, reading.asOfMs) && contains(window, nowMs);
}
