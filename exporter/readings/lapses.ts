import type { Clock } from "../time/clock.ts";
import type { TargetId } from "./target-id.ts";
import { type Aging, hasAged } from "./time-to-live.ts";

/**
 * Reports targets that lapse, and targets that are forgotten. A target lapses, so that it is not up any more,
 * if its runs are skipped until the time to live of its last good reading has ended.
 */
export interface Lapses {
  /** Reports each target once. */
  notice(targets: ReadonlyMap<TargetId, Lapsing>, clock: Pick<Clock, "monotonic">): void;
  /** Replaces the function that gets the reports. */
  readonly onLapse: (run: (id: TargetId) => void) => void;
  /** Reports a target whose readings are withdrawn for good. */
  forgotten(id: TargetId): void;
  /** Replaces the function that gets these reports. */
  readonly onForget: (run: (id: TargetId) => void) => void;
}

export interface Lapsing {
  readonly status: { readonly up: boolean | undefined };
  readonly learnt: Aging | undefined;
  /** Whether it was reported. */
  wasLapsed: boolean;
}

export function createLapses(): Lapses {
  let report: ((id: TargetId) => void) | undefined;
  let reportForgotten: ((id: TargetId) => void) | undefined;
  return {
    notice: (targets, clock) => {
      const monotonicMs = clock.monotonic();
      // Unlike a loop, this makes no pair for each of ten thousand targets.
      targets.forEach((target, id) => {
        if (target.wasLapsed || !isLapsed(target, monotonicMs)) return;
        target.wasLapsed = true;
        report?.(id);
      });
    },
    onLapse: (run) => {
      report = run;
    },
    forgotten: (id) => reportForgotten?.(id),
    onForget: (run) => {
      reportForgotten = run;
    },
  };
}

/** Whether a target is not up although its last run succeeded. */
export function isLapsed({ status, learnt, wasLapsed }: Lapsing, monotonicMs: number): boolean {
  if (status.up !== true || learnt === undefined) return false;
  return wasLapsed || hasAged(learnt, monotonicMs);
}
