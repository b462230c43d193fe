import type { Clock } from "../clock.ts";
import { ENDPOINTS, type Endpoint, type Ticket } from "../gateway/http.ts";
import { createSlots } from "./slots.ts";

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
  const states = new Map<Endpoint, EndpointState>(ENDPOINTS.map((endpoint) => [endpoint, newState()]));

  function stateOf(endpoint: Endpoint): EndpointState {
    const state = states.get(endpoint) ?? newState();
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
    const waitMs = turnIn(state, options.perMinute[endpoint]);
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    const release = await slots.take(signal);
    try {
      // The pause may have begun while this one queued.
      refuseWhilePaused(state, target);
    } catch (error) {
      release();
      throw error;
    }
    const isTrial = state.trial === "due";
    if (isTrial) state.trial = "under way";
    return {
      done: ({ throttled, hintMs }) => {
        release();
        if (isTrial) state.trial = "none";
        if (throttled) pause(state, endpoint, target, hintMs, isTrial);
        else state.refusals.delete(target);
      },
    };
  }

  function refuseWhilePaused(state: EndpointState, target: string): void {
    const now = clock.monotonic();
    const targetUntil = state.targets.get(target) ?? 0;
    if (targetUntil <= now) state.targets.delete(target);
    if (now < state.until || targetUntil > now || state.trial === "under way") throw new PausedError(target);
  }

  /** The time until the next free turn of the endpoint, which is taken by asking. */
  function turnIn(state: EndpointState, perMinute: number): number {
    if (perMinute === 0) return 0;
    const now = clock.monotonic();
    const at = Math.max(now, state.nextTurn);
    state.nextTurn = at + 60_000 / perMinute;
    return at - now;
  }

  /** One refused target is left alone; a second within the interval, or a refused trial, speaks for the whole endpoint. */
  function pause(
    state: EndpointState,
    endpoint: Endpoint,
    target: string,
    hintMs: number | undefined,
    wasTrial: boolean,
  ): void {
    const now = clock.monotonic();
    if (hintMs !== undefined) state.targets.set(target, now + Math.min(hintMs, options.maxPauseMs));
    for (const [other, at] of state.refusals) {
      if (now - at > options.intervalMs(endpoint)) state.refusals.delete(other);
    }
    state.refusals.set(target, now);
    if (state.refusals.size < 2 && !wasTrial) return;
    state.until = now + Math.min(hintMs ?? DEFAULT_PAUSE_MS, options.maxPauseMs);
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
  /** Monotonic milliseconds, as all times here. */
  nextTurn: number;
  until: number;
  /** After a pause of the whole endpoint one request tries; the others wait for what becomes of it. */
  trial: "none" | "due" | "under way";
  readonly targets: Map<string, number>;
  /** When each target was last refused, within the interval. */
  readonly refusals: Map<string, number>;
}

function newState(): EndpointState {
  const never = Number.NEGATIVE_INFINITY;
  return { nextTurn: never, until: never, trial: "none", targets: new Map(), refusals: new Map() };
}
