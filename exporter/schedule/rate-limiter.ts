import type { Clock } from "../time/clock.ts";

/** Spaces the requests of one endpoint evenly, however late a timer or a free connection comes. */
export interface RateLimiter {
  /** When a request that has been wanted since `wantedAt` may be sent, monotonic milliseconds. */
  readyAt(wantedAt: number): number;
  /** Counts one request that is sent now. */
  use(wantedAt: number): void;
  /** Requests per minute; 0 is unlimited. The distance to the last request follows it at once. */
  setRate(perMinute: number): void;
}

/**
 * Timers fire some milliseconds late, which must not lower the rate: so much may be made up for. After a longer
 * suspension of the process the rate is the configured one.
 */
const CATCH_UP_MS = 100;

export function createRateLimiter(clock: Pick<Clock, "monotonic">, perMinute: number): RateLimiter {
  let distanceMs = distanceOf(perMinute);
  let lastAt = Number.NEGATIVE_INFINITY;
  const readyAt = (wantedAt: number) => Math.max(lastAt + distanceMs, wantedAt);
  return {
    readyAt,
    use: (wantedAt) => {
      lastAt = Math.max(readyAt(wantedAt), clock.monotonic() - CATCH_UP_MS);
    },
    setRate: (next) => {
      distanceMs = distanceOf(next);
    },
  };
}

function distanceOf(perMinute: number): number {
  return perMinute === 0 ? 0 : 60_000 / perMinute;
}
