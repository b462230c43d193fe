import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";

/**
 * The times at which jobs become due. A single timer serves them all, because ten thousand simultaneous timers would
 * block the event loop.
 */
export interface Agenda {
  /** Adds times on the monotonic clock, in ascending order. */
  add(entries: readonly AgendaEntry[]): void;
  /** Drops all times of these targets. */
  remove(isConcerned: (id: TargetId) => boolean): void;
}

export interface AgendaEntry {
  readonly id: TargetId;
  /** On the monotonic clock, milliseconds. */
  readonly at: number;
}

/** `onDue` is called with everything that has become due, ordered by time. */
export function createAgenda(clock: Clock, onDue: (entries: readonly AgendaEntry[]) => void): Agenda {
  /** Sorted by time; everything before `head` has become due. A copy for each timer would be garbage of megabytes. */
  let waiting: AgendaEntry[] = [];
  let head = 0;
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  function awaitFirst(): void {
    const first = waiting[head];
    if (timer && timer.at === first?.at) return;
    timer?.cancel();
    timer = first && { at: first.at, cancel: clock.after(first.at - clock.monotonic(), onTime) };
  }

  function onTime(): void {
    timer = undefined;
    const now = clock.monotonic();
    const due: AgendaEntry[] = [];
    for (let first = waiting[head]; first && first.at <= now; first = waiting[head]) {
      due.push(first);
      head++;
    }
    if (head > waiting.length / 2) {
      waiting.splice(0, head);
      head = 0;
    }
    awaitFirst();
    onDue(due);
  }

  /** Mostly at the end; a time between others is found by halving. */
  function insert(entry: AgendaEntry): void {
    let [from, to] = [head, waiting.length];
    if ((waiting.at(-1)?.at ?? Number.NEGATIVE_INFINITY) <= entry.at) from = to;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((waiting[middle]?.at ?? 0) <= entry.at) from = middle + 1;
      else to = middle;
    }
    if (from === waiting.length) waiting.push(entry);
    else waiting.splice(from, 0, entry);
  }

  return {
    add: (entries) => {
      for (const entry of entries) insert(entry);
      awaitFirst();
    },
    remove: (isConcerned) => {
      waiting = waiting.slice(head).filter(({ id }) => !isConcerned(id));
      head = 0;
      awaitFirst();
    },
  };
}
