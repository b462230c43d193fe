import type { Clock } from "../time/clock.ts";
import type { Packing } from "./packing.ts";
import { type Aging, leftAt, spareMs, STEP_MS } from "./time-to-live.ts";

/** Everything that may be shown at one instant, and how long it stays valid. */
export interface View<Packed> {
  /** In the order of the targets; unchanged parts are the same objects as in other views. */
  readonly blocks: readonly Packed[];
  /** Whether a sample has expired, or the wall clock was set back. */
  outdated(): boolean;
  /** Milliseconds until the first sample expires; Infinity if none does. */
  readonly validForMs: number;
}

/** Gathers a view part by part: a list of all parts of ten thousand targets would be garbage each second. */
export interface ViewBuilder<Packed> {
  /** Returns the milliseconds left; 0 or less: it has expired. A description does not age. */
  add(packed: Packed, aging?: Aging): number;
  done(): View<Packed>;
}

export function createViewBuilder<Packed>(
  { empty, windows }: Packing<Packed>,
  { clock, isWithdrawn }: { readonly clock: Clock; readonly isWithdrawn: () => boolean },
): ViewBuilder<Packed> {
  const [wallMs, monotonicMs] = [clock.now(), clock.monotonic()];
  const blocks: Packed[] = [];
  let validForMs = Number.POSITIVE_INFINITY;

  function add(packed: Packed, aging?: Aging): number {
    const left = aging ? leftAt(aging, wallMs, monotonicMs) : Number.POSITIVE_INFINITY;
    const isShown = packed !== empty && !(aging && left <= spareMs(aging));
    blocks.push(isShown ? packed : empty);
    if (!isShown) return left;
    validForMs = Math.min(validForMs, left);
    for (const { endMs } of windows(packed)) validForMs = Math.min(validForMs, endMs - wallMs);
    return left;
  }

  return {
    add,
    done: () => ({
      blocks,
      validForMs,
      outdated: () => {
        const [wallAgeMs, ageMs] = [clock.now() - wallMs, clock.monotonic() - monotonicMs];
        const isSetBack = wallAgeMs < Math.max(0, ageMs - STEP_MS);
        return isWithdrawn() || isSetBack || Math.max(wallAgeMs, ageMs) >= validForMs;
      },
    }),
  };
}
