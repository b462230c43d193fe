import type { Clock } from "../time/clock.ts";
import type { Reading } from "./reading.ts";

/**
 * A reading by both clocks, so that neither a stepped nor a stopped clock prolongs its life or moves it to
 * another day.
 */
export interface Aging {
  readonly reading: Reading;
  /** When its run began, monotonic milliseconds. */
  readonly askedAt: number;
  readonly isWithdrawn: boolean;
}

/** The monotonic time of an earlier instant, if the wall clock was not stepped since. */
export function monotonicOf(wallMs: number, clock: Clock): number {
  return clock.monotonic() - Math.max(0, clock.now() - wallMs);
}

/** Milliseconds left by the clock that ends sooner; 0 or less: expired. */
export function leftMs(aging: Aging, clock: Clock): number {
  return leftAt(aging, clock.now(), clock.monotonic());
}

/** The same at an instant. */
export function leftAt(aging: Aging, wallMs: number, monotonicMs: number): number {
  const { reading, askedAt, isWithdrawn } = aging;
  const ageMs = Math.max(wallMs - reading.askedAtMs, monotonicMs - askedAt);
  return isWithdrawn ? Number.NEGATIVE_INFINITY : timeToLiveMs(reading) - ageMs;
}

/** The time to live of a reading now: the one of its time or, if it is longer, the present one of its group. */
export function timeToLiveMs(reading: Reading): number {
  return Math.max(reading.timeToLiveMs, reading.groupLife?.timeToLiveMs ?? 0);
}

/**
 * Whether that much time has passed since the run that a view leaves the reading out. A step of the clock is
 * no time.
 */
export function hasAged(aging: Aging, monotonicMs: number): boolean {
  return agesInMs(aging, monotonicMs) <= spareMs(aging);
}

/** Milliseconds until the time to live has passed by the monotonic clock. */
export function agesInMs({ reading, askedAt }: Aging, monotonicMs: number): number {
  return timeToLiveMs(reading) - (monotonicMs - askedAt);
}

/** Whether a view contains a reading that has so much left, milliseconds. */
export function isLasting(aging: Aging, left: number): boolean {
  return left > spareMs(aging);
}

/** How far the wall clock has been set back since the run began, milliseconds. */
export function setBackMs({ reading, askedAt }: Aging, offsetMs: number): number {
  const backMs = reading.askedAtMs - askedAt - offsetMs;
  return backMs > STEP_MS ? backMs : 0;
}

/**
 * The reading with its times by the present wall clock: a clock that was fast and is right again may have
 * changed the day.
 */
export function redated(aging: Aging, clock: Clock): Reading {
  return redatedBy(aging, clock.now() - clock.monotonic());
}

/** The same by the difference of the two clocks. */
export function redatedBy(aging: Aging, offsetMs: number): Reading {
  const { reading } = aging;
  const backMs = setBackMs(aging, offsetMs);
  if (backMs === 0) return reading;
  return { ...reading, askedAtMs: reading.askedAtMs - backMs, asOfMs: reading.asOfMs - backMs };
}

/** A smaller difference of the two clocks is no step. */
export const STEP_MS = 1000;

/**
 * If thousands of targets fail together, their readings expire one after the other. A view that is valid until the
 * next expiry would be outdated before it is rendered, so a view leaves out each reading that has no more than this
 * left, milliseconds.
 */
function spareMs({ reading }: Aging): number {
  return Math.min(MOST_SPARE_MS, timeToLiveMs(reading) * SPARE_PART);
}

const SPARE_PART = 0.05;
const MOST_SPARE_MS = 5000;
