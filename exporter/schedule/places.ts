import type { Clock } from "../clock.ts";

/** The places in a round that are still to come. */
export interface Places {
  /** Calls back when the place of a target has come. */
  take(ms: number, id: string, run: () => void): void;
  /** Gives up the places of all targets of which that is true. */
  leave(isConcerned: (id: string) => boolean): void;
}

/** One timer for all: starting one for each of ten thousand keys at once would hold up everything else. */
export function createPlaces(clock: Clock): Places {
  /** In the order of time. */
  let waiting: Place[] = [];
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  function take(ms: number, id: string, run: () => void): void {
    const place = { at: clock.monotonic() + ms, id, run };
    // They come in order but for the few of a round that another timetable has cut short.
    let index = waiting.length;
    while (index > 0 && (waiting[index - 1]?.at ?? 0) > place.at) index--;
    if (index === waiting.length) waiting.push(place);
    else waiting.splice(index, 0, place);
    awaitFirst();
  }

  function awaitFirst(): void {
    const [first] = waiting;
    if (timer && timer.at === first?.at) return;
    timer?.cancel();
    timer = first && { at: first.at, cancel: clock.after(first.at - clock.monotonic(), serve) };
  }

  function serve(): void {
    timer = undefined;
    const now = clock.monotonic();
    const later = waiting.findIndex(({ at }) => at > now);
    const due = waiting.splice(0, later === -1 ? waiting.length : later);
    awaitFirst();
    for (const { run } of due) run();
  }

  return {
    take,
    leave: (isConcerned) => {
      waiting = waiting.filter(({ id }) => !isConcerned(id));
      awaitFirst();
    },
  };
}

interface Place {
  /** On the monotonic clock, milliseconds. */
  readonly at: number;
  readonly id: string;
  readonly run: () => void;
}
