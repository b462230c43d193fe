import type { Clock } from "../time/clock.ts";
import type { Packing } from "./packing.ts";
import { leftMs, type TimeToLive } from "./time-to-live.ts";

/** Everything that may be shown at one instant, and how long it stays valid. */
export interface View<Packed> {
  /** In the order of the targets; unchanged parts are the same objects as in other views. */
  readonly blocks: readonly Packed[];
  /** Whether a sample has expired, or the clock was set back to before the view was taken. */
  outdated(): boolean;
  /** Milliseconds until the first sample expires; Infinity if none does. */
  readonly validForMs: number;
}

/** One part of a view. Parts that do not age have no time to live. */
export interface ViewPart<Packed> {
  readonly packed: Packed;
  readonly timeToLive?: TimeToLive | undefined;
}

export function viewOf<Packed>(
  parts: readonly ViewPart<Packed>[],
  { empty, windows }: Packing<Packed>,
  { clock, isWithdrawn }: { readonly clock: Clock; readonly isWithdrawn: () => boolean },
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
    return isWithdrawn() || agesMs.some((ageMs) => ageMs < 0 || ageMs >= validForMs);
  };
  return { blocks, validForMs, outdated };
}
