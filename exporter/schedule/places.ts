import type { Clock } from "../time/clock.ts";

/** The places in a round that are still to come. */
export interface Places {
  /** Calls back when the place of a target has come and there is room, once however many of its places are overdue. */
  take(ms: number, id: string, run: () => void): void;
  /** Calls back those that are overdue, as far as there is room now. */
  serve(): void;
  /** Gives up what is overdue of a target; what is still to come stays. */
  forgo(id: string): void;
  /** Gives up the places of all targets of which that is true. */
  leave(isConcerned: (id: string) => boolean): void;
}

/**
 * One timer for all: starting one for each of ten thousand keys at once would hold up everything else. Whoever finds no
 * room waits here, where that costs least.
 */
export function createPlaces(clock: Clock, hasRoom: () => boolean): Places {
  /** In the order of time. */
  let waiting: Place[] = [];
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  /** Whose time has come: the next is the last of `front`, after it come those of `back`; those not in `late` have given up. */
  let overdue: { front: Place[]; back: Place[] } = { front: [], back: [] };
  const late = new Set<string>();

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
    timer = first && { at: first.at, cancel: clock.after(first.at - clock.monotonic(), onTime) };
  }

  function onTime(): void {
    timer = undefined;
    const now = clock.monotonic();
    const later = waiting.findIndex(({ at }) => at > now);
    const due = waiting.splice(0, later === -1 ? waiting.length : later);
    awaitFirst();
    for (const place of due) {
      if (!late.has(place.id)) overdue.back.push(place);
      late.add(place.id);
    }
    serve();
  }

  function serve(): void {
    while (late.size > 0 && hasRoom()) {
      if (overdue.front.length === 0) overdue = { front: overdue.back.toReversed(), back: [] };
      const place = overdue.front.pop();
      if (place && late.delete(place.id)) place.run();
    }
  }

  function leave(isConcerned: (id: string) => boolean): void {
    const stays = ({ id }: Place) => !isConcerned(id);
    waiting = waiting.filter(stays);
    overdue = { front: overdue.front.filter(stays), back: overdue.back.filter(stays) };
    for (const id of late) if (isConcerned(id)) late.delete(id);
    awaitFirst();
  }

  return { take, serve, forgo: (id) => void late.delete(id), leave };
}

interface Place {
  /** On the monotonic clock, milliseconds. */
  readonly at: number;
  readonly id: string;
  readonly run: () => void;
}
