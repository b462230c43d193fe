import type { Clock } from "../time/clock.ts";
import type { Packing } from "./packing.ts";
import { leftMs, type TimeToLive } from "./time-to-live.ts";

/** All that may be shown at one instant, and until when. */
export interface View<Packed> {
  /** In the order of the targets; what has not changed since another view is the same object. */
  readonly blocks: readonly Packed[];
  /** Whether one of the samples must no longer be shown, or the clock went back to before the view was taken. */
  outdated(): boolean;
  /** Milliseconds until the first of the samples must no longer be shown; Infinity when none ages. */
  readonly validForMs: number;
}

/** One part of a view: what does not age has no time to live. */
export interface ViewPart<Packed> {
  readonly packed: Packed;
  readonly timeToLive?: TimeToLive | undefined;
}

export function viewOf<Packed>(
  parts: readonly ViewPart<Packed>[],
  { empty, windows }: Packing<Packed>,
  clock: Clock,
): View<Packed> {
  const takenAt = { wallMs: clock.now(), monotonicMs: clock.monotonic() };
  let validForMs = Number.POSITIVE_INFINITY;
  const blocks = parts.map(({ packed, timeToLive }) => {
    if (packed === empty) return empty;
    if (timeToLive) {
      const left = leftMs(timeToLive, clock);
      if (left <= timeToLive.spareMs) return empty;
      validForMs = Math.min(validForMs, left);
    }
    for (const { endMs } of windows(packed)) validForMs = Math.min(validForMs, endMs - takenAt.wallMs);
    return packed;
  });
  const outdated = () => {
    const agesMs = [clock.now() - takenAt.wallMs, clock.monotonic() - takenAt.monotonicMs];
    return agesMs.some((ageMs) => ageMs < 0 || ageMs >= validForMs);
  };
  return { blocks, validForMs, outdated };
}
