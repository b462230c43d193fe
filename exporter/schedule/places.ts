import type { Clock } from "../clock.ts";

/** The places in a round that are still to come. */
export interface Places {
  /** Calls back when the place of a target has come. */
  take(ms: number, id: string, run: () => void): void;
  /** Gives up the places of all targets of which that is true. */
  leave(isConcerned: (id: string) => boolean): void;
}

export function createPlaces(clock: Clock): Places {
  const waiting = new Set<{ readonly id: string; readonly cancel: () => void }>();
  return {
    take: (ms, id, run) => {
      const cancel = clock.after(ms, () => {
        waiting.delete(place);
        run();
      });
      const place = { id, cancel };
      waiting.add(place);
    },
    leave: (isConcerned) => {
      for (const place of waiting) {
        if (!isConcerned(place.id)) continue;
        place.cancel();
        waiting.delete(place);
      }
    },
  };
}
