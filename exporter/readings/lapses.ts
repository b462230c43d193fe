import type { TargetStatus } from "./readings.ts";
import type { TargetId } from "./target-id.ts";
import { type Aging, hasAged } from "./time-to-live.ts";

/** A target that is up until its last good reading outlives its time to live, for example because its runs are skipped. */
export interface Lapsing {
  readonly status: TargetStatus;
  readonly learnt: Aging | undefined;
  /** Whether its description shows it as not up because of that. */
  wasLapsed: boolean;
}

export function isLapsed({ status, learnt }: Lapsing, wallMs: number, monotonicMs: number): boolean {
  return status.up === true && learnt !== undefined && hasAged(learnt, wallMs, monotonicMs);
}

/** Reports targets whose description must follow. */
export interface Lapses {
  readonly onLapse: (run: (id: TargetId) => void) => void;
  notice(id: TargetId, target: Lapsing, wallMs: number, monotonicMs: number): void;
}

export function createLapses(): Lapses {
  let report: ((id: TargetId) => void) | undefined;
  return {
    onLapse: (run) => {
      report = run;
    },
    notice: (id, target, wallMs, monotonicMs) => {
      const lapsed = isLapsed(target, wallMs, monotonicMs);
      if (lapsed === target.wasLapsed) return;
      target.wasLapsed = lapsed;
      report?.(id);
    },
  };
}
