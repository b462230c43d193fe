import { subscribe } from "node:diagnostics_channel";

import type { Clock } from "../../exporter/time/clock.ts";

/** The only clock double: time stops until the test moves it. */
export interface ManualClock extends Clock {
  /** Steps the wall clock (NTP, an operator): timers and `monotonic()` do not notice. May go back. */
  set(epochMs: number): void;
  /** Lets time pass: each due timer runs at its own due time, in order, and may start further timers. */
  advance(ms: number): Promise<void>;
  /** Lets time pass until the wall clock shows `epochMs`. */
  advanceTo(epochMs: number): Promise<void>;
  /**
   * The same for code that uses real sockets: time passes in steps, or to the next timer, and each step waits until the
   * requests that it caused have their answers.
   */
  runTo(epochMs: number, stepMs?: number): Promise<void>;
  /** Waits, without moving time, until every request of this process has its answer. */
  answered(): Promise<void>;
  /** A suspended process: time leaps, then every due timer runs once, all at the new time. */
  jump(epochMs: number): Promise<void>;
  /** Wall-clock due times of the timers that wait, earliest first. */
  pending(): readonly number[];
  /** Resolves once at least `count` timers wait: the code under test has gone to sleep. */
  untilPending(count: number): Promise<void>;
}

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

/** Creates a clock that shows `start` (epoch milliseconds or an ISO 8601 text). */
export function createManualClock(start: number | string = "2026-11-18T12:00:00Z"): ManualClock {
  trackRequests();
  let wall = finite("start", typeof start === "number" ? start : Date.parse(start));
  // Timers live on the monotonic clock, as Node's do: a stepped wall clock must not fire them.
  let elapsed = 0;
  const timers = new Set<Timer>();
  const watchers = new Set<() => void>();

  function after(ms: number, run: () => void): () => void {
    const timer = { dueAt: elapsed + Math.max(0, finite("ms", ms)), run };
    timers.add(timer);
    for (const watcher of watchers) watcher();
    return () => void timers.delete(timer);
  }

  function moveTo(target: number): void {
    wall += target - elapsed;
    elapsed = target;
  }

  async function advance(ms: number): Promise<void> {
    const end = elapsed + notNegative(ms);
    await settle();
    for (let next = earliest(timers); next && next.dueAt <= end; next = earliest(timers)) {
      moveTo(Math.max(elapsed, next.dueAt));
      timers.delete(next);
      next.run();
      await settle();
    }
    moveTo(end);
  }

  async function jump(epochMs: number): Promise<void> {
    moveTo(elapsed + notNegative(finite("epochMs", epochMs) - wall));
    const due = inOrder(timers).filter((timer) => timer.dueAt <= elapsed);
    for (const timer of due) {
      // An earlier timer may have cancelled this one.
      if (timers.delete(timer)) timer.run();
    }
    await settle();
  }

  async function runTo(epochMs: number, stepMs = STEP_MS): Promise<void> {
    finite("epochMs", epochMs);
    for (let left = epochMs - wall; left > 0; left = epochMs - wall) {
      const idleMs = (earliest(timers)?.dueAt ?? Infinity) - elapsed;
      await advance(Math.min(Math.max(stepMs, idleMs), left));
      await answered();
    }
  }

  function untilPending(count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (timers.size < count) return;
        watchers.delete(check);
        resolve();
      };
      watchers.add(check);
      check();
    });
  }

  return {
    // Whole milliseconds, as Date.now() returns, although timers may be due in between.
    now: () => Math.floor(wall),
    monotonic: () => elapsed,
    after,
    sleep: sleepOn(after),
    set: (epochMs) => void (wall = finite("epochMs", epochMs)),
    advance,
    advanceTo: (epochMs) => advance(finite("epochMs", epochMs) - wall),
    runTo,
    answered,
    jump,
    pending: () => inOrder(timers).map((timer) => wall + timer.dueAt - elapsed),
    untilPending,
  };
}

/** The `sleep` of a clock that has these timers. */
export function sleepOn(after: Clock["after"]): Clock["sleep"] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = after(ms, () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
}

const STEP_MS = 1000;

/** Some answers never come, which is for the code under test to handle; time goes on without them. */
const LONGEST_WAIT_MS = 10_000;

/** Code that an answer wakes may need a few turns of the event loop before it sends the next request. */
const QUIET_TURNS = 5;

/** The requests of this process without a complete answer, as undici reports them. */
const underWay = new Set<unknown>();

async function answered(): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await settle();
    if (underWay.size > 0) turns = -1;
    if (performance.now() > deadline) underWay.clear();
  }
}

let isTracking = false;

function trackRequests(): void {
  if (isTracking) return;
  isTracking = true;
  subscribe("undici:request:create", (message) => underWay.add(requestOf(message)));
  for (const end of ["undici:request:trailers", "undici:request:error"]) {
    subscribe(end, (message) => underWay.delete(requestOf(message)));
  }
}

function requestOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message
    ? message.request
    : undefined;
}

/** A full turn of the event loop: code that a timer woke runs until it waits for input. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** By due time; timers of the same moment in the order they were started. */
function inOrder(timers: ReadonlySet<Timer>): Timer[] {
  return [...timers].toSorted((one, other) => one.dueAt - other.dueAt);
}

function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (first === undefined || timer.dueAt < first.dueAt) first = timer;
  return first;
}

function finite(name: string, value: number): number {
  if (!Number.isFinite(value))
    throw new RangeError(`Cannot use "${name}" of a manual clock: ${value} is not a finite number`);
  return value;
}

function notNegative(ms: number): number {
  if (!(ms >= 0))
    throw new RangeError(
      `Cannot advance a manual clock by ${ms} ms: want 0 or more, use "set" to step the wall clock back`,
    );
  return ms;
}
