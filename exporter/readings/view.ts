import type { Clock } from "../time/clock.ts";
import { contains, type Window } from "../time/window.ts";
import { type Learnt, shownWindows } from "./learnt.ts";
import type { Packing } from "./packing.ts";
import { agesInMs, hasAged, isLasting, leftAt, setBackMs, STEP_MS } from "./time-to-live.ts";

/** Everything that may be shown at one instant, and how long it stays valid. */
export interface ReadingsView<Packed> {
  /** In the order of the targets; unchanged parts are the same objects as in other views. */
  readonly blocks: readonly Packed[];
  /** Whether a sample has expired, or the wall clock was set back. */
  outdated(): boolean;
  /** Milliseconds until the first sample expires; Infinity if none does. */
  readonly validForMs: number;
}

/** Gathers a view part by part: a list of all parts of ten thousand targets would be garbage each second. */
export interface ViewBuilder<Packed> {
  /** A description does not age. */
  add(packed: Packed): void;
  addLearnt(learnt: Learnt<Packed> | undefined): void;
  /** Whether a reading is part of the view. */
  shows(learnt: Learnt<Packed> | undefined): boolean;
  done(): ReadingsView<Packed>;
}

export function createViewBuilder<Packed>(
  { empty, only, windows }: Packing<Packed>,
  { clock, isWithdrawn }: { readonly clock: Clock; readonly isWithdrawn: () => boolean },
): ViewBuilder<Packed> {
  const [wallMs, monotonicMs] = [clock.now(), clock.monotonic()];
  const blocks: Packed[] = [];
  let validForMs = Number.POSITIVE_INFINITY;
  // What was packed was settled when it was learnt; one function for all, since there may be ten thousand.
  const isRunning = (window: Window) => contains(window, wallMs);

  function add(packed: Packed, left = Number.POSITIVE_INFINITY): void {
    if (packed === empty) return void blocks.push(empty);
    validForMs = Math.min(validForMs, left);
    for (const { endMs } of windows(packed)) validForMs = Math.min(validForMs, endMs - wallMs);
    blocks.push(packed);
  }

  function addLearnt(learnt: Learnt<Packed> | undefined): void {
    const left = learnt ? leftAt(learnt, wallMs, monotonicMs) : 0;
    // What has expired once must not come back when the clock is set back.
    if (learnt && left <= 0) learnt.isWithdrawn = true;
    if (!learnt || !isLasting(learnt, left)) {
      // Without values the target may still be up, until that time has passed.
      if (learnt && !hasAged(learnt, monotonicMs))
        validForMs = Math.min(validForMs, agesInMs(learnt, monotonicMs));
      return void blocks.push(empty);
    }
    const isSteady = setBackMs(learnt, wallMs - monotonicMs) === 0;
    add(only(learnt.values, isSteady ? isRunning : shownWindows(learnt, clock)), left);
  }

  return {
    add: (packed) => add(packed),
    addLearnt,
    shows: (learnt) => learnt !== undefined && isLasting(learnt, leftAt(learnt, wallMs, monotonicMs)),
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
