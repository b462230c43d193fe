import { setTimeout as sleep } from "node:timers/promises";

/**
 * Time as the exporter sees it, passed to everything that needs it, so that a test can step through months in seconds.
 * Real time decides timeouts of sockets, the expiry of certificates, waits for files, and the times in the log.
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch (UTC). May be stepped either way. */
  now(): number;
  /** Milliseconds that never go back; for durations, never for dates. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `run` once after `ms`, or after 24 days if that is earlier; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/**
 * The longest time to rely on a timer: code that waits for a wall-clock time reads the clock again after this
 * long, because no timer fires when the clock is stepped or the process is suspended.
 */
export const LONGEST_TIMER_MS = 30_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await sleep(wholeMs(ms), undefined, { signal });
    } catch (error) {
      throw signal?.aborted ? reasonOf(signal) : error;
    }
  },
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(wholeMs(ms), MOST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Node's timers fire at once if they are longer. */
const MOST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once when the signal is aborted; the result cancels that. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}

/** Node's timers drop fractions and start in the middle of a millisecond, so they could fire up to 2 ms early. */
function wholeMs(ms: number): number {
  return Math.ceil(ms) + 1;
}

/** The reason of an aborted signal, as an error. */
export function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(`Aborted: ${String(signal.reason)}`);
}
