import type { Clock } from "../time/clock.ts";

/** Spaces the requests of one endpoint evenly, however late a timer or a free connection comes. */
export interface RateLimiter {
  /** When a request that has been waiting since `wantedAt` may be sent, monotonic milliseconds. */
  readyAt(wantedAt: number): number;
  /** Counts one request that is sent now. */
  use(wantedAt: number): void;
  /** Requests per minute; 0 is unlimited. A new rate takes effect with the next request. */
  setRate(perMinute: number): void;
}

/**
 * Timers fire some milliseconds late, which must not lower the rate, so delays up to this length are made up for. A
 * longer suspension of the process is not.
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
