import { type Clock, onAbort } from "../time/clock.ts";
import type { Slots } from "./slots.ts";

/** Turns of one endpoint, in the order of asking and evenly spread, however late a timer or a free place comes. */
export interface Turns {
  /**
   * Waits for a turn and a place, then enters: `enter` gets what gives the place back. When it throws, the turn is the
   * next one's. Rejects with the signal's reason when it is aborted.
   */
  take<T>(signal: AbortSignal, enter: (release: () => void) => T): Promise<T>;
}

/**
 * Timers come some milliseconds late, which must not slow the pace down: so much may be made up for. A process that stood
 * still for longer goes on at the pace's speed.
 */
const CATCH_UP_MS = 100;

/** `perMinute` 0 is unpaced. */
export function createTurns(clock: Clock, slots: Slots, perMinute: number): Turns {
  const distanceMs = perMinute === 0 ? 0 : 60_000 / perMinute;
  const waiting = new Set<Waiter>();
  let nextTurn = Number.NEGATIVE_INFINITY;
  let serving = false;

  /** One after the other: who waits for a place or a timer holds up those behind, so that they never come all at once. */
  async function serve(): Promise<void> {
    serving = true;
    for (const waiter of waiting) {
      const dueAt = Math.max(nextTurn, waiter.askedAt);
      const release = await entry(dueAt, waiter.signal).catch(() => undefined);
      if (!waiting.delete(waiter)) release?.();
      else if (release && waiter.enter(release)) {
        nextTurn = Math.max(dueAt, clock.monotonic() - CATCH_UP_MS) + distanceMs;
      }
    }
    serving = false;
  }

  async function entry(dueAt: number, signal: AbortSignal): Promise<() => void> {
    for (let now = clock.monotonic(); now < dueAt; now = clock.monotonic()) {
      await clock.sleep(dueAt - now, signal);
    }
    return slots.take(signal);
  }

  return {
    take: (signal, enter) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const waiter: Waiter = {
          signal,
          askedAt: clock.monotonic(),
          enter: (release) => {
            forget();
            try {
              resolve(enter(release));
              return true;
            } catch (error) {
              release();
              reject(error);
              return false;
            }
          },
        };
        const forget = onAbort(signal, () => {
          waiting.delete(waiter);
          reject(signal.reason);
        });
        waiting.add(waiter);
        if (!serving) void serve();
      }),
  };
}

interface Waiter {
  readonly signal: AbortSignal;
  readonly askedAt: number;
  /** Whether the turn was used. */
  enter(release: () => void): boolean;
}
