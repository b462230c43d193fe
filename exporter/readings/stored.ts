import type { Clock } from "../time/clock.ts";
import { contains, isSettled, type Window } from "../time/window.ts";
import type { Reading, ReadingValue } from "./reading.ts";

/** The last good reading of a target with its packed samples. */
export interface Stored<Packed> {
  readonly reading: Reading;
  /** When its run began, monotonic milliseconds. */
  readonly requestedAt: number;
  isWithdrawn: boolean;
  readonly values: Packed;
  /** Whether all samples of the reading were trusted. */
  readonly isWhole: boolean;
}

export interface ShownReading {
  readonly value: ReadingValue | undefined;
  readonly requestedAtMs: number;
  /** Milliseconds until its time to live ends. */
  readonly leftMs: number;
  /**
   * Whether values of this calendar window may be shown now: the window contains this instant, and the answer was
   * settled in it.
   */
  shows(window: Window): boolean;
}

/**
 * An instant by both clocks, so that neither a stepped nor a stopped clock prolongs the life of a reading or moves it to
 * another day.
 */
export interface Instant {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function present(clock: Clock): Instant {
  return { wallMs: clock.now(), monotonicMs: clock.monotonic() };
}

/** Milliseconds left by the clock that ends sooner; 0 or less: expired. */
export function leftMs({ reading, requestedAt, isWithdrawn }: Stored<unknown>, at: Instant): number {
  const ageMs = Math.max(at.wallMs - reading.requestedAtMs, at.monotonicMs - requestedAt);
  return isWithdrawn ? Number.NEGATIVE_INFINITY : timeToLiveMs(reading) - ageMs;
}

/** The time to live of a reading: that at its request, or the present one of its group if that is longer. */
function timeToLiveMs({ timeToLiveMs: own, groupLife }: Reading): number {
  return Math.max(own, groupLife?.timeToLiveMs ?? 0);
}

/** Whether so much time has passed since the run that a view leaves the reading out. A step of the clock is no time. */
export function hasAged({ reading, requestedAt }: Stored<unknown>, monotonicMs: number): boolean {
  return timeToLiveMs(reading) - (monotonicMs - requestedAt) <= spareMs(reading);
}

/** Whether a view contains the reading. */
export function isCurrent(stored: Stored<unknown> | undefined, at: Instant): boolean {
  return stored !== undefined && leftMs(stored, at) > spareMs(stored.reading);
}

/**
 * The reading with its times by the present wall clock: a clock that was fast and is right again may have changed the
 * day.
 */
export function redated(
  { reading, requestedAt }: Stored<unknown>,
  { wallMs, monotonicMs }: Instant,
): Reading {
  const backMs = reading.requestedAtMs - requestedAt - (wallMs - monotonicMs);
  if (backMs <= STEP_MS) return reading;
  return { ...reading, requestedAtMs: reading.requestedAtMs - backMs, asOfMs: reading.asOfMs - backMs };
}

/** The reading, if it may be shown now. */
export function shownOf(stored: Stored<unknown> | undefined, at: Instant): ShownReading | undefined {
  if (!stored) return undefined;
  const left = leftMs(stored, at);
  if (left <= 0) return undefined;
  const { value, requestedAtMs } = redated(stored, at);
  return { value, requestedAtMs, leftMs: left, shows: shownWindows(stored, at) };
}

/** Whether all samples of a reading may be shown now. */
export function isWholeNow<Packed>(
  stored: Stored<Packed> | undefined,
  windows: (packed: Packed) => readonly Window[],
  at: Instant,
): boolean {
  if (!stored?.isWhole || leftMs(stored, at) <= 0) return false;
  return windows(stored.values).every(shownWindows(stored, at));
}

/** The windows of a reading that may be shown: those that contain the instant and in which the reading was settled. */
export function shownWindows(stored: Stored<unknown>, at: Instant): (window: Window) => boolean {
  const { asOfMs } = redated(stored, at);
  return (window) => isSettled(window, asOfMs) && contains(window, at.wallMs);
}

/** A smaller difference of the two clocks is no step. */
export const STEP_MS = 1000;

/**
 * If thousands of targets fail together, their readings expire one after the other. A view that is valid until the
 * next expiry would be outdated before it is rendered, so a view leaves out each reading that has no more than this
 * left, milliseconds.
 */
function spareMs(reading: Reading): number {
  return Math.min(MOST_SPARE_MS, timeToLiveMs(reading) * SPARE_PART);
}

const SPARE_PART = 0.05;
const MOST_SPARE_MS = 5000;
