import type { ShownReading } from "../readings/learnt.ts";
import type { ReadingSource } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";

/** Readings that note until when everything that was read of them may be shown. */
export interface WatchedReadings extends ReadingSource {
  /** What was read may be shown for this long at most. */
  limit(forMs: number): void;
  /** Whether everything that was read may still be shown. */
  isValid(): boolean;
}

/** Readings whose time to live ends within `marginMs` already count as old. */
export function watchReadings(
  readings: ReadingSource & { readonly withdrawals: number },
  clock: Pick<Clock, "now" | "monotonic">,
  marginMs: number,
): WatchedReadings {
  const [wallMs, monotonicMs] = [clock.now(), clock.monotonic()];
  const taken = readings.withdrawals;
  let validForMs = Number.POSITIVE_INFINITY;

  /** Something that was read later began to age later. Most of ten thousand values last longer than another one. */
  function limit(forMs: number): void {
    if (forMs < validForMs) validForMs = Math.min(validForMs, forMs + clock.monotonic() - monotonicMs);
  }

  function shownOf(id: TargetId): ShownReading | undefined {
    const shown = readings.shown(id);
    if (!shown || shown.leftMs <= marginMs) return undefined;
    limit(shown.leftMs);
    return shown;
  }

  return {
    status: (id) => readings.status(id),
    shown: (id) => {
      const shown = shownOf(id);
      if (!shown) return undefined;
      const shows: typeof shown.shows = (window) => {
        const isShown = shown.shows(window);
        // The end of the window is the same for all values of it, and needs no look at the clock.
        if (isShown) validForMs = Math.min(validForMs, window.endMs - wallMs);
        return isShown;
      };
      return { ...shown, shows };
    },
    latest: (id) => readings.latest(id),
    isCurrent: (id) => shownOf(id) !== undefined,
    limit,
    isValid: () => {
      const agesMs = [clock.now() - wallMs, clock.monotonic() - monotonicMs];
      return readings.withdrawals === taken && agesMs.every((ageMs) => ageMs >= 0 && ageMs < validForMs);
    },
  };
}
