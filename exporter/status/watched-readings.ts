import type { ReadingSource } from "../readings/readings.ts";
import { timeToLiveMs } from "../readings/time-to-live.ts";
import type { Clock } from "../time/clock.ts";

/** Readings that note until when everything that was read of them may be shown. */
export interface WatchedReadings extends ReadingSource {
  /** What was read may be shown for this long at most. */
  limit(forMs: number): void;
  /** Whether everything that was read may still be shown. */
  isCurrent(): boolean;
}

export function watchReadings(
  readings: ReadingSource & { readonly withdrawals: number },
  clock: Pick<Clock, "now" | "monotonic">,
): WatchedReadings {
  const [wallMs, monotonicMs] = [clock.now(), clock.monotonic()];
  const taken = readings.withdrawals;
  let validForMs = Number.POSITIVE_INFINITY;

  /** Something that was read later began to age later. */
  function limit(forMs: number): void {
    validForMs = Math.min(validForMs, forMs + clock.monotonic() - monotonicMs);
  }

  return {
    status: (id) => readings.status(id),
    shown: (id) => {
      const shown = readings.shown(id);
      if (!shown) return undefined;
      limit(shown.leftMs);
      const shows: typeof shown.shows = (window) => {
        const isShown = shown.shows(window);
        if (isShown) limit(window.endMs - clock.now());
        return isShown;
      };
      return { ...shown, shows };
    },
    latest: (id) => {
      const latest = readings.latest(id);
      const leftMs = latest ? latest.askedAtMs + timeToLiveMs(latest) - clock.now() : 0;
      // Afterwards its values count as old, which is an answer as well.
      if (leftMs > 0) limit(leftMs);
      return latest;
    },
    limit,
    isCurrent: () => {
      const agesMs = [clock.now() - wallMs, clock.monotonic() - monotonicMs];
      return readings.withdrawals === taken && agesMs.every((ageMs) => ageMs >= 0 && ageMs < validForMs);
    },
  };
}
