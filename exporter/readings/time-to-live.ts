import type { Clock } from "../time/clock.ts";
import type { Reading } from "./reading.ts";

/** A reading and the end of its life on the monotonic clock, so that neither a stepped nor a stopped clock prolongs it. */
export interface Aging {
  readonly reading: Reading;
  readonly monotonicEndMs: number;
}

/** The time to live begins at the time of the request. */
export function monotonicEnd(clock: Clock, { askedAtMs, timeToLiveMs }: Reading): number {
  return clock.monotonic() + timeToLiveMs - Math.max(0, clock.now() - askedAtMs);
}

/** Milliseconds left by the clock that ends sooner; 0 or less: expired. */
export function leftMs(aging: Aging, clock: Clock): number {
  return leftAt(aging, clock.now(), clock.monotonic());
}

/** The same at an instant. */
export function leftAt({ reading, monotonicEndMs }: Aging, wallMs: number, monotonicMs: number): number {
  return Math.min(reading.askedAtMs + reading.timeToLiveMs - wallMs, monotonicEndMs - monotonicMs);
}

/**
 * If thousands of targets fail together, their readings expire one after the other. A view that is valid until the
 * next expiry would be outdated before it is rendered, so a view leaves out each reading that has no more than this
 * left, milliseconds.
 */
export function spareMs({ reading }: Aging): number {
  return Math.min(MOST_SPARE_MS, reading.timeToLiveMs * SPARE_PART);
}

const SPARE_PART = 0.05;
const MOST_SPARE_MS = 5000;
