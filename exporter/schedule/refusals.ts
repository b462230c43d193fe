import type { Endpoint, RequestOutcome } from "../gateway/port.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";

/**
 * Decides what 429 answers mean. A refusal makes its target rest. It counts against the endpoint only if the gateway
 * refuses targets that it usually answers; then only one target at a time, one without recent refusals, tries a
 * request.
 */
export interface Refusals {
  /** How long a target must rest, milliseconds; 0: it need not. */
  restMs(id: TargetId): number;
  /**
   * When the endpoint allows a run of the target to begin, monotonic milliseconds. Infinity: another target's trial
   * is in progress.
   */
  mayBeginAt(endpoint: Endpoint, id: TargetId): number;
  /** Records that a run of the target begins; it may be the trial of its endpoint. */
  begun(endpoint: Endpoint, id: TargetId): void;
  /** Whether a run in progress may send another request. */
  mayContinue(endpoint: Endpoint, id: TargetId): boolean;
  /**
   * Records how a request ended. `intervalMs` is the effective interval of the endpoint's targets: refusals within
   * this time belong together.
   */
  answered(endpoint: Endpoint, id: TargetId, outcome: RequestOutcome, intervalMs: number): void;
  /** Records that a run of the target has ended, whatever its outcome. */
  ended(endpoint: Endpoint, id: TargetId): void;
  /** Forgets a target. An endpoint without targets is no longer suspected. */
  remove(id: TargetId): void;
  /**
   * When the endpoint began to answer again, monotonic milliseconds: now while the endpoint is suspected, the distant
   * past if it never was.
   */
  openSince(endpoint: Endpoint): number;
  /** Until when an endpoint, or one of its targets, is paused, epoch milliseconds. */
  throttledUntil(): ReadonlyMap<Endpoint, number>;
}

/** Limits from the configuration, read at each use because a reload may change them. */
export interface RefusalLimits {
  /** The longest pause of a target or an endpoint after a retry-after, milliseconds. */
  readonly maxPauseMs: () => number;
  /** How many targets an endpoint has. */
  readonly targetsOf: (endpoint: Endpoint) => number;
}

/** The pause after a refusal without a retry-after. */
export const DEFAULT_REST_MS = 30_000;

/**
 * How many targets the gateway must refuse in a row, without an answer to any other, before the endpoint is suspected,
 * and before it is paused. A gateway that refuses single requests at random must not pause thousands of targets.
 */
const SUSPICIOUS = 2;
const CERTAIN = 8;

/** Tolerance, because an answer may take longer than the previous one. */
const ANSWERED_INTERVALS = 1.5;

/**
 * Pauses use the monotonic clock, so that a step of the wall clock neither shortens nor prolongs them. An
 * endpoint may have fewer targets than `CERTAIN`.
 */
export function createRefusals(clock: Clock, { maxPauseMs, targetsOf }: RefusalLimits): Refusals {
  const states = new Map<Endpoint, EndpointState>();
  const rests = new Map<TargetId, { readonly endpoint: Endpoint; readonly until: number }>();

  function stateOf(endpoint: Endpoint): EndpointState {
    const state = states.get(endpoint) ?? newState();
    states.set(endpoint, state);
    return state;
  }

  function restMs(id: TargetId): number {
    const leftMs = Math.max(0, (rests.get(id)?.until ?? 0) - clock.monotonic());
    if (leftMs === 0) rests.delete(id);
    return leftMs;
  }

  /** A pause ends when a reload leaves targets that were not refused: they try. */
  function pausedUntil(endpoint: Endpoint): number {
    const { inRow, pausedUntil: until } = stateOf(endpoint);
    return inRow.size >= Math.min(CERTAIN, targetsOf(endpoint)) ? until : Number.NEGATIVE_INFINITY;
  }

  function pausedMs(endpoint: Endpoint): number {
    return Math.max(0, pausedUntil(endpoint) - clock.monotonic());
  }

  function mayBeginAt(endpoint: Endpoint, id: TargetId): number {
    const { isSuspect, trial, refused } = stateOf(endpoint);
    const until = pausedUntil(endpoint);
    if (!isSuspect) return until;
    return trial === undefined ? Math.max(until, refused.get(id)?.until ?? until) : Infinity;
  }

  function refuse(endpoint: Endpoint, id: TargetId, until: number, intervalMs: number): void {
    const state = stateOf(endpoint);
    forgetOld(state, clock.monotonic(), intervalMs);
    state.refused.set(id, { at: clock.monotonic(), until });
    state.inRow.add(id);
    if (state.trial === id) {
      state.trial = undefined;
      state.isCertain ||= state.inRow.size >= Math.min(CERTAIN, targetsOf(endpoint));
      if (state.isCertain) state.pausedUntil = Math.max(state.pausedUntil, until);
    } else if (!state.isSuspect && concernsEndpoint(state, state.inRow, answeredSince(clock, intervalMs))) {
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
      if (throttled) return refuse(endpoint, id, until, intervalMs);
      if (!answered) return;
      state.refused.delete(id);
      // An answer to an earlier request does not end a pause.
      if (!state.isCertain) state.inRow.clear();
      state.answered.set(id, clock.monotonic());
      // An answer to a target other than the trial counts if it shows that the gateway only refuses targets that it
      // always refuses.
      const isOther = state.trial !== id;
      if (
        !state.isSuspect ||
        (isOther && concernsEndpoint(state, state.refused, answeredSince(clock, intervalMs)))
      )
        return;
      state.inRow.clear();
      state.isSuspect = false;
      state.isCertain = false;
      state.trial = undefined;
      state.openSince = clock.monotonic();
    },
    ended: (endpoint, id) => {
      const state = stateOf(endpoint);
      if (state.trial === id) state.trial = undefined;
    },
    remove: (id) => {
      rests.delete(id);
      for (const [endpoint, { refused, answered, inRow }] of states) {
        inRow.delete(id);
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

/** Old refusals no longer count, unless they led to a pause. */
function forgetOld({ refused, inRow, isCertain }: EndpointState, now: number, intervalMs: number): void {
  for (const [id, { at, until }] of refused) {
    if (at >= now - intervalMs || until > now) continue;
    refused.delete(id);
    if (!isCertain) inRow.delete(id);
  }
}

/** Answers before this instant, monotonic milliseconds, are too old to count. */
function answeredSince(clock: Pick<Clock, "monotonic">, intervalMs: number): number {
  return clock.monotonic() - ANSWERED_INTERVALS * intervalMs;
}

/**
 * The endpoint itself refuses if two targets are refused and it has answered one of them since then, or if it has
 * answered no target since then.
 */
function concernsEndpoint({ answered }: EndpointState, refused: Targets, since: number): boolean {
  const wasAnswered = (id: TargetId) => (answered.get(id) ?? Number.NEGATIVE_INFINITY) >= since;
  if (refused.size < SUSPICIOUS) return false;
  return someOf(refused.keys(), wasAnswered) || !someOf(answered.keys(), wasAnswered);
}

interface EndpointState {
  /**
   * Whether the endpoint itself is suspected of refusing, so that only one target at a time tries. All times here are
   * monotonic milliseconds.
   */
  isSuspect: boolean;
  /** Whether so many targets were refused in a row that each refused trial is a pause. */
  isCertain: boolean;
  /** The target whose run is the trial. */
  trial: TargetId | undefined;
  pausedUntil: number;
  openSince: number;
  /** When each target was last refused, and until when it must not be a trial. */
  readonly refused: Map<TargetId, { readonly at: number; readonly until: number }>;
  readonly answered: Map<TargetId, number>;
  /** The targets that were refused since the last answer to any target. */
  readonly inRow: Set<TargetId>;
}

/** A set of targets, or a map by target. */
type Targets = Pick<Set<TargetId>, "size" | "keys">;

/** Stops at the first match, without a copy, because an endpoint may have ten thousand targets. */
function someOf(ids: Iterable<TargetId>, isTrue: (id: TargetId) => boolean): boolean {
  for (const id of ids) if (isTrue(id)) return true;
  return false;
}

function newState(): EndpointState {
  return {
    isSuspect: false,
    isCertain: false,
    trial: undefined,
    pausedUntil: Number.NEGATIVE_INFINITY,
    openSince: Number.NEGATIVE_INFINITY,
    refused: new Map(),
    answered: new Map(),
    inRow: new Set(),
  };
}
