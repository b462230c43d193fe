import type { Endpoint, RequestOutcome } from "../gateway/port.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";

/**
 * What follows from 429 answers. A refusal rests its target. It speaks for the endpoint only when targets are refused
 * that are usually answered; then one request at a time tries, by a target that is not known as refused.
 */
export interface Refusals {
  /** How long a target must rest, milliseconds; 0: it need not. */
  restMs(id: TargetId): number;
  /** Whether a run of the target may begin, as far as its endpoint is concerned. */
  mayBegin(endpoint: Endpoint, id: TargetId): boolean;
  /** A run of the target begins; it may be the trial of its endpoint. */
  begun(endpoint: Endpoint, id: TargetId): void;
  /** Whether a run under way may send another request. */
  mayContinue(endpoint: Endpoint, id: TargetId): boolean;
  /** How a request ended. */
  answered(endpoint: Endpoint, id: TargetId, outcome: RequestOutcome): void;
  /** A run of the target has ended, whatever came of it. */
  ended(endpoint: Endpoint, id: TargetId): void;
  remove(id: TargetId): void;
  /** How long the endpoint is left alone as a whole, milliseconds; 0: it is not. */
  pausedMs(endpoint: Endpoint): number;
  /** Since when the endpoint has answered again, monotonic milliseconds; the past if it was never suspected to refuse. */
  openSince(endpoint: Endpoint): number;
  /** Until when an endpoint, or some target of it, is left alone, epoch milliseconds. */
  throttledUntil(): ReadonlyMap<Endpoint, number>;
}

export interface RefusalOptions {
  /** How often an endpoint's targets are asked: refusals within this time belong together, milliseconds. */
  readonly intervalMs: (endpoint: Endpoint) => number;
  /** Longest that a retry-after silences a target or an endpoint. */
  readonly maxPauseMs: () => number;
}

/** For refusals that do not say for how long. */
export const DEFAULT_REST_MS = 30_000;

/** Waits run on the monotonic clock: a step of the wall clock neither shortens nor prolongs them. */
export function createRefusals(clock: Clock, { intervalMs, maxPauseMs }: RefusalOptions): Refusals {
  const states = new Map<Endpoint, EndpointState>();
  const rests = new Map<TargetId, { readonly endpoint: Endpoint; readonly until: number }>();

  function stateOf(endpoint: Endpoint): EndpointState {
    const state = states.get(endpoint) ?? newState();
    states.set(endpoint, state);
    return state;
  }

  function restMs(id: TargetId): number {
    const leftMs = (rests.get(id)?.until ?? 0) - clock.monotonic();
    if (leftMs > 0) return leftMs;
    rests.delete(id);
    return 0;
  }

  function pausedMs(endpoint: Endpoint): number {
    return Math.max(0, (states.get(endpoint)?.pausedUntil ?? 0) - clock.monotonic());
  }

  function mayBegin(endpoint: Endpoint, id: TargetId): boolean {
    const { isSuspect, trial, refused } = stateOf(endpoint);
    if (pausedMs(endpoint) > 0) return false;
    if (!isSuspect) return true;
    return trial === undefined && clock.monotonic() >= (refused.get(id)?.until ?? 0);
  }

  /** Refusals of long ago say nothing any more. */
  function forgetOld({ refused }: EndpointState, endpoint: Endpoint): void {
    const since = clock.monotonic() - intervalMs(endpoint);
    for (const [id, { at, until }] of refused) {
      if (at < since && until <= clock.monotonic()) refused.delete(id);
    }
  }

  /** Two refused targets, one of them known as answered, or nobody known as answered: the endpoint itself refuses. */
  function concernsEndpoint(state: EndpointState, endpoint: Endpoint): boolean {
    const since = clock.monotonic() - intervalMs(endpoint);
    const wasAnswered = (id: TargetId) => (state.answered.get(id) ?? Number.NEGATIVE_INFINITY) >= since;
    if (state.refused.size < 2) return false;
    return someOf(state.refused.keys(), wasAnswered) || !someOf(state.answered.keys(), wasAnswered);
  }

  function refuse(state: EndpointState, endpoint: Endpoint, id: TargetId, retryAfterMs: number | undefined) {
    const now = clock.monotonic();
    const until = now + Math.min(retryAfterMs ?? DEFAULT_REST_MS, maxPauseMs());
    forgetOld(state, endpoint);
    state.refused.set(id, { at: now, until });
    if (state.trial === id) {
      state.pausedUntil = Math.max(state.pausedUntil, until);
      state.trial = undefined;
    } else if (!state.isSuspect && concernsEndpoint(state, endpoint)) {
      state.isSuspect = true;
    }
  }

  return {
    restMs,
    mayBegin,
    begun: (endpoint, id) => {
      const state = stateOf(endpoint);
      if (state.isSuspect) state.trial = id;
    },
    mayContinue: (endpoint, id) => {
      const { isSuspect, trial } = stateOf(endpoint);
      return restMs(id) === 0 && pausedMs(endpoint) === 0 && (!isSuspect || trial === id);
    },
    answered: (endpoint, id, { answered, throttled, retryAfterMs }) => {
      const state = stateOf(endpoint);
      if (retryAfterMs !== undefined) {
        rests.set(id, { endpoint, until: clock.monotonic() + Math.min(retryAfterMs, maxPauseMs()) });
      }
      if (throttled) return refuse(state, endpoint, id, retryAfterMs);
      if (!answered) return;
      state.refused.delete(id);
      state.answered.set(id, clock.monotonic());
      if (state.trial !== id) return;
      state.isSuspect = false;
      state.trial = undefined;
      state.openSince = clock.monotonic();
    },
    ended: (endpoint, id) => {
      const state = stateOf(endpoint);
      if (state.trial === id) state.trial = undefined;
    },
    remove: (id) => {
      rests.delete(id);
      for (const { refused, answered } of states.values()) {
        refused.delete(id);
        answered.delete(id);
      }
    },
    pausedMs,
    openSince: (endpoint) => stateOf(endpoint).openSince,
    throttledUntil: () => {
      const untils = new Map<Endpoint, number>();
      const note = (endpoint: Endpoint, leftMs: number) => {
        if (leftMs > 0) untils.set(endpoint, Math.max(untils.get(endpoint) ?? 0, clock.now() + leftMs));
      };
      for (const endpoint of states.keys()) note(endpoint, pausedMs(endpoint));
      for (const [id, { endpoint }] of rests) note(endpoint, restMs(id));
      return untils;
    },
  };
}

interface EndpointState {
  /** Whether the endpoint itself is suspected to refuse: one request at a time tries. Monotonic milliseconds, as all times here. */
  isSuspect: boolean;
  /** The target whose run tries. */
  trial: TargetId | undefined;
  pausedUntil: number;
  openSince: number;
  /** When each target was last refused, and until when it is not to be asked as a trial. */
  readonly refused: Map<TargetId, { readonly at: number; readonly until: number }>;
  readonly answered: Map<TargetId, number>;
}

/** Stops at the first, without a copy: an endpoint may have ten thousand targets. */
function someOf(ids: Iterable<TargetId>, isTrue: (id: TargetId) => boolean): boolean {
  for (const id of ids) if (isTrue(id)) return true;
  return false;
}

function newState(): EndpointState {
  return {
    isSuspect: false,
    trial: undefined,
    pausedUntil: Number.NEGATIVE_INFINITY,
    openSince: Number.NEGATIVE_INFINITY,
    refused: new Map(),
    answered: new Map(),
  };
}
