import type { Clock } from "../time/clock.ts";

/** The end of a reading's life on both clocks, so that neither a stepped nor a stopped clock prolongs it. */
export interface TimeToLive {
  readonly wallEndMs: number;
  readonly monotonicEndMs: number;
  /** A view leaves out readings that expire within this time. */
  readonly spareMs: number;
}

export const ENDED: TimeToLive = { wallEndMs: 0, monotonicEndMs: 0, spareMs: 0 };

/** Begins at the time of the request. */
export function timeToLiveFrom(clock: Clock, askedAtMs: number, timeToLiveMs: number): TimeToLive {
  return {
    wallEndMs: askedAtMs + timeToLiveMs,
    monotonicEndMs: clock.monotonic() + timeToLiveMs - Math.max(0, clock.now() - askedAtMs),
    spareMs: Math.min(MOST_SPARE_MS, timeToLiveMs * SPARE_PART),
  };
}

/** Milliseconds left by the clock that ends sooner; 0 or less: expired. */
export function leftMs(timeToLive: TimeToLive, clock: Clock): number {
  return leftAt(timeToLive, clock.now(), clock.monotonic());
}

/** The same at an instant. */
export function leftAt(
  { wallEndMs, monotonicEndMs }: TimeToLive,
  wallMs: number,
  monotonicMs: number,
): number {
  return Math.min(wallEndMs - wallMs, monotonicEndMs - monotonicMs);
}

/**
 * If thousands of targets fail together, their readings expire one after the other. A view that is valid until the
 * next expiry would be outdated before it is rendered, so a view leaves out each reading early: by this part of its
 * time to live, and by this long at most.
 */
const SPARE_PART = 0.05;
const MOST_SPARE_MS = 5000;
