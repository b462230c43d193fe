import type { Clock } from "../time/clock.ts";

/** Until when a reading may be shown, on both clocks, so that neither a stepped nor a stopped clock prolongs it. */
export interface TimeToLive {
  readonly wallEndMs: number;
  readonly monotonicEndMs: number;
  /** A view leaves out what has no longer than this to live. */
  readonly spareMs: number;
}

export const ENDED: TimeToLive = { wallEndMs: 0, monotonicEndMs: 0, spareMs: 0 };

/** Runs from the time of asking. */
export function timeToLiveFrom(clock: Clock, askedAtMs: number, timeToLiveMs: number): TimeToLive {
  return {
    wallEndMs: askedAtMs + timeToLiveMs,
    monotonicEndMs: clock.monotonic() + timeToLiveMs - Math.max(0, clock.now() - askedAtMs),
    spareMs: Math.min(MOST_SPARE_MS, timeToLiveMs * SPARE_PART),
  };
}

/** Milliseconds left by the clock that ends sooner; 0 or less: it has ended. */
export function leftMs({ wallEndMs, monotonicEndMs }: TimeToLive, clock: Clock): number {
  return Math.min(wallEndMs - clock.now(), monotonicEndMs - clock.monotonic());
}

/**
 * The readings of thousands of targets that fail together end one after the other. A view that lasted until the next end
 * would be outdated before it is rendered, so a view leaves out each reading early: by this part of its time to live, and by
 * this long at most.
 */
const SPARE_PART = 0.05;
const MOST_SPARE_MS = 5000;
