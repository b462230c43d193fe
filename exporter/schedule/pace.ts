import type { Clock } from "../time/clock.ts";
import { ENDPOINTS, type Endpoint, type Ticket } from "../gateway/http.ts";
import { createSlots } from "./slots.ts";
import { createTurns, type Turns } from "./turns.ts";

/** One budget for all calls to the gateway, so that it is never asked faster than configured or than it wishes. */
export interface Pace {
  /**
   * Waits for the turn of a poll's first request, so that the poll itself begins when it can be sent; `admit` then
   * gives that turn. Call the result when the poll has ended. Throws as `admit`.
   */
  reserve(endpoint: Endpoint, target: string, signal: AbortSignal): Promise<() => void>;
  /**
   * Waits for a turn. At most `connections` requests are under way at once, and those of an endpoint are evenly spread.
   * @throws PausedError when the endpoint or the target is to be left alone; the signal's reason when it is aborted.
   */
  readonly admit: (endpoint: Endpoint, target: string, signal: AbortSignal) => Promise<Ticket>;
  /** Until when each endpoint, or some target of it, is left alone, epoch milliseconds. */
  throttledUntil(): ReadonlyMap<Endpoint, number>;
}

/** The gateway asked to be left alone: the poll is left out, it did not fail. */
export class PausedError extends Error {
  constructor(target: string) {
    super(`Cannot poll "${target}" now: the gateway asked to wait`);
    this.name = "PausedError";
  }
}

export interface PaceOptions {
  /** Requests per minute by endpoint; 0 is unpaced. */
  readonly perMinute: Readonly<Record<Endpoint, number>>;
  /** The time within which 429 answers to two targets speak for the endpoint, milliseconds. */
  readonly intervalMs: (endpoint: Endpoint) => number;
  readonly connections: number;
  readonly maxPauseMs: number;
}

/** For an endpoint that refuses without saying for how long. */
const DEFAULT_PAUSE_MS = 30_000;

/** Waits run on the monotonic clock: a step of the wall clock neither shortens nor prolongs them. */
export function createPace(clock: Clock, options: PaceOptions): Pace {
  const slots = createSlots(options.connections);
  const reserved = new Map<string, Ticket>();
  const newState = (endpoint: Endpoint) => stateOver(createTurns(clock, slots, options.perMinute[endpoint]));
  const states = new Map<Endpoint, EndpointState>(
    ENDPOINTS.map((endpoint) => [endpoint, newState(endpoint)]),
  );

  function stateOf(endpoint: Endpoint): EndpointState {
    const state = states.get(endpoint) ?? newState(endpoint);
    states.set(endpoint, state);
    return state;
  }

  async function reserve(endpoint: Endpoint, target: string, signal: AbortSignal): Promise<() => void> {
    const ticket = await turn(endpoint, target, signal);
    reserved.set(target, ticket);
    return () => {
      if (reserved.delete(target)) ticket.done({ throttled: false });
    };
  }

  async function admit(endpoint: Endpoint, target: string, signal: AbortSignal): Promise<Ticket> {
    const ticket = reserved.get(target);
    return reserved.delete(target) && ticket ? ticket : turn(endpoint, target, signal);
  }

  async function turn(endpoint: Endpoint, target: string, signal: AbortSignal): Promise<Ticket> {
    const state = stateOf(endpoint);
    refuseWhilePaused(state, target);
    return state.turns.take(signal, (release) => {
      // The pause may have begun while this one queued.
      refuseWhilePaused(state, target);
      const isTrial = state.trial === "due";
      if (isTrial) state.trial = "under way";
      return {
        done: ({ throttled, hintMs }) => {
          release();
          if (isTrial) state.trial = "none";
          if (hintMs !== undefined) rest(state, target, hintMs);
          if (throttled) pause(state, endpoint, target, hintMs, isTrial);
          else state.refusals.delete(target);
        },
      };
    });
  }

  function refuseWhilePaused(state: EndpointState, target: string): void {
    const now = clock.monotonic();
    const targetUntil = state.targets.get(target) ?? 0;
    if (targetUntil <= now) state.targets.delete(target);
    if (now < state.until || targetUntil > now || state.trial === "under way") throw new PausedError(target);
  }

  /** Whoever was told to wait is left alone, be it by a 429 or a 503 (contract 7, rule 4). */
  function rest(state: EndpointState, target: string, hintMs: number): void {
    state.targets.set(target, clock.monotonic() + Math.min(hintMs, options.maxPauseMs));
  }

  /** A second refused target within the interval, or a refused trial, speaks for the whole endpoint. */
  function pause(
    state: EndpointState,
    endpoint: Endpoint,
    target: string,
    hintMs: number | undefined,
    wasTrial: boolean,
  ): void {
    const now = clock.monotonic();
    for (const [other, at] of state.refusals) {
      if (now - at > options.intervalMs(endpoint)) state.refusals.delete(other);
    }
    state.refusals.set(target, now);
    if (state.refusals.size < 2 && !wasTrial) return;
    // One that was under way already may say less than what is known.
    state.until = Math.max(state.until, now + Math.min(hintMs ?? DEFAULT_PAUSE_MS, options.maxPauseMs));
    state.trial = "due";
    state.refusals.clear();
  }

  function throttledUntil(): ReadonlyMap<Endpoint, number> {
    const [now, wall] = [clock.monotonic(), clock.now()];
    const untils = [...states].map(([endpoint, state]): [Endpoint, number] => [
      endpoint,
      Math.max(state.until, ...state.targets.values()),
    ]);
    return new Map(
      untils.filter(([, until]) => until > now).map(([endpoint, until]) => [endpoint, wall + until - now]),
    );
  }

  return { reserve, admit, throttledUntil };
}

interface EndpointState {
  readonly turns: Turns;
  /** Monotonic milliseconds, as all times here. */
  until: number;
  /** After a pause of the whole endpoint one request tries; the others wait for what becomes of it. */
  trial: "none" | "due" | "under way";
  readonly targets: Map<string, number>;
  /** When each target was last refused, within the interval. */
  readonly refusals: Map<string, number>;
}

function stateOver(turns: Turns): EndpointState {
  const until = Number.NEGATIVE_INFINITY;
  return { turns, until, trial: "none", targets: new Map(), refusals: new Map() };
}
