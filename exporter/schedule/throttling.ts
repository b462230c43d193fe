import { type Endpoint, ENDPOINTS, type RequestOutcome } from "../gateway/port.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";

/**
 * What follows from 429 answers: the target rests as long as the gateway asks, and a large share of refused requests
 * lowers the pace of the endpoint.
 */
export interface Throttling {
  /** How long a target must rest, milliseconds; 0: it need not. */
  restMs(id: TargetId): number;
  /** The present pace of an endpoint, requests per minute; 0 is unlimited. */
  perMinute(endpoint: Endpoint): number;
  /** Records how a request ended. */
  answered(endpoint: Endpoint, id: TargetId, outcome: RequestOutcome): void;
  remove(id: TargetId): void;
  /**
   * By endpoint, epoch milliseconds: the end of the longest rest of a target, or the time at which the endpoint has its full
   * pace again if nothing more is refused, whichever is later.
   */
  throttledUntil(): ReadonlyMap<Endpoint, number>;
}

export interface ThrottlingLimits {
  /** The longest rest, milliseconds. */
  readonly maxPauseMs: number;
  readonly perMinute: Readonly<Record<Endpoint, number>>;
}

/** The pace is reviewed after this many answers. */
const REVIEWED = 20;
const MOST_REFUSED = 0.2;
/** The lowest pace, and what is regained in a minute, as fractions of the configured pace. */
const PART = 1 / 16;
/** Stands for the configured pace where that is unlimited. */
const UNLIMITED_PER_MINUTE = 600;

/** `limits` is read at each use, because a reload may change it. Rests use the monotonic clock. */
export function createThrottling(clock: Clock, limits: () => ThrottlingLimits): Throttling {
  const rests = new Map<TargetId, { readonly endpoint: Endpoint; readonly until: number }>();
  const paces = new Map(ENDPOINTS.map((endpoint) => [endpoint, { part: 1, ...newReview(clock) }]));

  function restMs(id: TargetId): number {
    const leftMs = Math.max(0, (rests.get(id)?.until ?? 0) - clock.monotonic());
    if (leftMs === 0) rests.delete(id);
    return leftMs;
  }

  /** Additive increase, multiplicative decrease. */
  function review(endpoint: Endpoint, isRefused: boolean): void {
    const pace = paces.get(endpoint);
    if (!pace) return;
    pace.answers++;
    if (isRefused) pace.refused++;
    if (pace.answers < REVIEWED) return;
    const minutes = (clock.monotonic() - pace.since) / 60_000;
    const part =
      pace.refused > MOST_REFUSED * pace.answers
        ? Math.max(PART, pace.part / 2)
        : Math.min(1, pace.part + PART * minutes);
    paces.set(endpoint, { part, ...newReview(clock) });
  }

  return {
    restMs,
    perMinute: (endpoint) => {
      const { part = 1 } = paces.get(endpoint) ?? {};
      const wanted = limits().perMinute[endpoint];
      return part === 1 ? wanted : part * (wanted === 0 ? UNLIMITED_PER_MINUTE : wanted);
    },
    answered: (endpoint, id, { answered, throttled, retryAfterMs }) => {
      if (retryAfterMs !== undefined) {
        const until = clock.monotonic() + Math.min(retryAfterMs, limits().maxPauseMs);
        rests.set(id, { endpoint, until });
      }
      if (answered) review(endpoint, throttled);
    },
    remove: (id) => void rests.delete(id),
    throttledUntil: () => {
      const lefts = [...rests].map(([id, { endpoint }]) => [endpoint, restMs(id)] as const);
      for (const [endpoint, { part, since }] of paces)
        lefts.push([endpoint, since - clock.monotonic() + ((1 - part) / PART) * 60_000]);
      const untils = new Map<Endpoint, number>();
      for (const [endpoint, leftMs] of lefts)
        if (leftMs > 0) untils.set(endpoint, Math.max(untils.get(endpoint) ?? 0, clock.now() + leftMs));
      return untils;
    },
  };
}

function newReview(clock: Pick<Clock, "monotonic">) {
  return { since: clock.monotonic(), answers: 0, refused: 0 };
}
