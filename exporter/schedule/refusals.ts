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
  /**
   * From when on a run of the target may begin, as far as its endpoint is concerned, monotonic milliseconds. Infinity: the
   * run of another target tries.
   */
  mayBeginAt(endpoint: Endpoint, id: TargetId): number;
  /** A run of the target begins; it may be the trial of its endpoint. */
  begun(endpoint: Endpoint, id: TargetId): void;
  /** Whether a run under way may send another request. */
  mayContinue(endpoint: Endpoint, id: TargetId): boolean;
  /**
   * How a request ended. `intervalMs` is how often the endpoint's targets are asked: refusals within this time belong
   * together.
   */
  answered(endpoint: Endpoint, id: TargetId, outcome: RequestOutcome, intervalMs: number): void;
  /** A run of the target has ended, whatever came of it. */
  ended(endpoint: Endpoint, id: TargetId): void;
  /** Forgets a target. An endpoint all of whose targets are forgotten is not suspected any more. */
  remove(id: TargetId): void;
  /**
   * Since when the endpoint has answered again, monotonic milliseconds; now while it is suspected to refuse, the past if it
   * never was.
   */
  openSince(endpoint: Endpoint): number;
  /** Until when an endpoint, or some target of it, is left alone, epoch milliseconds. */
  throttledUntil(): ReadonlyMap<Endpoint, number>;
}

/** For refusals that do not say for how long. */
export const DEFAULT_REST_MS = 30_000;

/** An answer may take longer than the one an interval before it. */
const ANSWERED_INTERVALS = 1.5;

/**
 * Waits run on the monotonic clock: a step of the wall clock neither shortens nor prolongs them. `maxPauseMs` is the longest
 * time that a retry-after silences a target or an endpoint.
 */
export function createRefusals(clock: Clock, maxPauseMs: () => number): Refusals {
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

  function mayBeginAt(endpoint: Endpoint, id: TargetId): number {
    const { isSuspect, trial, refused, pausedUntil } = stateOf(endpoint);
    if (!isSuspect) return pausedUntil;
    return trial === undefined ? Math.max(pausedUntil, refused.get(id)?.until ?? pausedUntil) : Infinity;
  }

  /** Refusals of long ago say nothing any more. */
  function forgetOld({ refused }: EndpointState, intervalMs: number): void {
    const since = clock.monotonic() - intervalMs;
    for (const [id, { at, until }] of refused) {
      if (at < since && until <= clock.monotonic()) refused.delete(id);
    }
  }

  /** Two refused targets, one of them known as answered, or nobody known as answered: the endpoint itself refuses. */
  function concernsEndpoint(state: EndpointState, intervalMs: number): boolean {
    const since = clock.monotonic() - ANSWERED_INTERVALS * intervalMs;
    const wasAnswered = (id: TargetId) => (state.answered.get(id) ?? Number.NEGATIVE_INFINITY) >= since;
    if (state.refused.size < 2) return false;
    return someOf(state.refused.keys(), wasAnswered) || !someOf(state.answered.keys(), wasAnswered);
  }

  function refuse(state: EndpointState, id: TargetId, until: number, intervalMs: number): void {
    forgetOld(state, intervalMs);
    state.refused.set(id, { at: clock.monotonic(), until });
    if (state.trial === id) {
      state.pausedUntil = Math.max(state.pausedUntil, until);
      state.trial = undefined;
    } else if (!state.isSuspect && concernsEndpoint(state, intervalMs)) {
      state.isSuspect = true;
    }
  }

  return {
    restMs,
    mayBeginAt,
    begun: (endpoint, id) => {
      const state = stateOf(endpoint);
      if (state.isSuspect) state.trial = id;
    },
    mayContinue: (endpoint, id) => {
      const { isSuspect, trial } = stateOf(endpoint);
      return restMs(id) === 0 && pausedMs(endpoint) === 0 && (!isSuspect || trial === id);
    },
    answered: (endpoint, id, { answered, throttled, retryAfterMs }, intervalMs) => {
      const state = stateOf(endpoint);
      const until = clock.monotonic() + Math.min(retryAfterMs ?? DEFAULT_REST_MS, maxPauseMs());
      if (retryAfterMs !== undefined) rests.set(id, { endpoint, until });
      if (throttled) return refuse(state, id, until, intervalMs);
      if (!answered) return;
      state.refused.delete(id);
      state.answered.set(id, clock.monotonic());
      // An answer to somebody else than the trial counts if it shows that only targets are refused that always are.
      if (!state.isSuspect || (state.trial !== id && concernsEndpoint(state, intervalMs))) return;
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
      for (const [endpoint, { refused, answered }] of states) {
        const wasKnown = [refused.delete(id), answered.delete(id)].includes(true);
        if (wasKnown && refused.size + answered.size === 0) states.delete(endpoint);
      }
    },
    openSince: (endpoint) => {
      const { isSuspect, openSince } = stateOf(endpoint);
      return isSuspect ? clock.monotonic() : openSince;
    },
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
