import type { Clock } from "../../exporter/time/clock.ts";
import { sleepOn } from "../support/clock.ts";

/** The time of a simulated world: the true time, and the two clocks of the exporter's machine. */
export interface WorldClock {
  /** The exporter's clock. */
  readonly clock: Clock;
  /** True time, epoch milliseconds. */
  readonly trueMs: () => number;
  /** True milliseconds since the start. */
  readonly elapsedMs: () => number;
  /** How far the exporter's wall clock is ahead of the true time, milliseconds. */
  readonly skewMs: () => number;
  /** Steps the exporter's wall clock. */
  readonly step: (ms: number) => void;
  /** True time passes while nothing runs; then all due timers run late. Frozen: the monotonic clock stops meanwhile. */
  suspend(ms: number, isFrozen: boolean): Promise<void>;
  /** Lets time pass until `elapsedMs`: each timer runs at its own time. */
  runTo(elapsedMs: number): Promise<void>;
  /** Runs `run` after `ms` of the monotonic clock, before the exporter's timers of the same instant. */
  readonly after: Clock["after"];
  /** Waits until all code has come to rest. */
  settle(): Promise<void>;
  /** Replaces the timers of the process, which time limits of the network use; the result restores them. */
  install(): () => void;
}

export function createWorldClock(startMs: number): WorldClock {
  const timers = createTimers();
  let elapsed = 0;
  let frozen = 0;
  let skew = 0;
  let immediates = 0;

  const after = (ms: number, run: () => void) => timers.add(elapsed + Math.max(0, ms), run);
  const trueMs = () => startMs + elapsed + frozen;

  async function settle(): Promise<void> {
    await new Promise((resolve) => original.setImmediate(resolve));
    if (immediates > 0) await settle();
  }

  async function runTo(elapsedMs: number): Promise<void> {
    const end = elapsedMs - frozen;
    for (let next = timers.take(end); next; next = timers.take(end)) {
      elapsed = Math.max(elapsed, next.dueAt);
      next.run();
      await settle();
    }
    elapsed = Math.max(elapsed, end);
  }

  async function suspend(ms: number, isFrozen: boolean): Promise<void> {
    if (isFrozen) {
      frozen += ms;
      return;
    }
    elapsed += ms;
    for (let next = timers.take(elapsed); next; next = timers.take(elapsed)) {
      next.run();
      await settle();
    }
  }

  function install(): () => void {
    const pending = new WeakSet<object>();
    Object.assign(globalThis, {
      setTimeout: (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
        const timer = { cancel: after(ms, () => run(...values)), ref: () => timer, unref: () => timer };
        pending.add(timer);
        return timer;
      },
      clearTimeout: (timer: { cancel: () => void } | undefined) => {
        if (timer && pending.has(timer)) timer.cancel();
      },
      setImmediate: (run: (...values: unknown[]) => void, ...values: unknown[]) => {
        immediates++;
        return original.setImmediate(() => {
          immediates--;
          run(...values);
        });
      },
    });
    return () => void Object.assign(globalThis, original);
  }

  return {
    clock: {
      now: () => Math.floor(trueMs() + skew),
      monotonic: () => elapsed,
      after,
      sleep: sleepOn(after),
    },
    trueMs,
    elapsedMs: () => elapsed + frozen,
    skewMs: () => skew,
    step: (ms) => void (skew += ms),
    suspend,
    runTo,
    after,
    settle,
    install,
  };
}

const original = { setTimeout, clearTimeout, setImmediate };

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  isCancelled: boolean;
  readonly run: () => void;
}

interface Timers {
  /** The result cancels the timer. */
  add(dueAt: number, run: () => void): () => void;
  /** Removes the earliest timer and returns it, if it is due. */
  take(nowMs: number): Timer | undefined;
}

/** A binary heap, because months hold millions of timers. */
function createTimers(): Timers {
  const heap: Timer[] = [];
  let count = 0;

  function isLess(index: number, other: number): boolean {
    const [one, two] = [heap[index], heap[other]];
    if (!one || !two) return false;
    return one.dueAt < two.dueAt || (one.dueAt === two.dueAt && one.order < two.order);
  }

  function swap(index: number, other: number): void {
    const [one, two] = [heap[index], heap[other]];
    if (one && two) [heap[index], heap[other]] = [two, one];
  }

  function removeFirst(): void {
    swap(0, heap.length - 1);
    heap.pop();
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const smaller = isLess(right, left) ? right : left;
      if (!isLess(smaller, index)) return;
      swap(smaller, index);
      index = smaller;
    }
  }

  return {
    add: (dueAt, run) => {
      const timer = { dueAt, order: count++, isCancelled: false, run };
      heap.push(timer);
      for (let index = heap.length - 1; index > 0;) {
        const parent = (index - 1) >> 1;
        if (!isLess(index, parent)) break;
        swap(index, parent);
        index = parent;
      }
      return () => void (timer.isCancelled = true);
    },
    take: (nowMs) => {
      for (let first = heap[0]; first && (first.isCancelled || first.dueAt <= nowMs); first = heap[0]) {
        removeFirst();
        if (!first.isCancelled) return first;
      }
      return undefined;
    },
  };
}
