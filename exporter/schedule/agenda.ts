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
  let waiting: readonly AgendaEntry[] = [];
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  function awaitFirst(): void {
    const [first] = waiting;
    if (timer && timer.at === first?.at) return;
    timer?.cancel();
    timer = first && { at: first.at, cancel: clock.after(first.at - clock.monotonic(), onTime) };
  }

  function onTime(): void {
    timer = undefined;
    const now = clock.monotonic();
    const later = waiting.findIndex(({ at }) => at > now);
    const due = later === -1 ? waiting : waiting.slice(0, later);
    waiting = later === -1 ? [] : waiting.slice(later);
    awaitFirst();
    onDue(due);
  }

  return {
    add: (entries) => {
      const isLater = (entries[0]?.at ?? 0) >= (waiting.at(-1)?.at ?? 0);
      const all = [...waiting, ...entries];
      // Merges two sorted lists in linear time.
      waiting = isLater ? all : all.toSorted((one, other) => one.at - other.at);
      awaitFirst();
    },
    remove: (isConcerned) => {
      waiting = waiting.filter(({ id }) => !isConcerned(id));
      awaitFirst();
    },
  };
}
