import { createKeyDirectory, type KeyDirectory } from "./key-directory.ts";
import { createTotalsMemory, type TotalsMemory } from "./unwatched-difference.ts";
import type { Clock } from "../time/clock.ts";
import type { TargetReadings } from "./watched-keys.ts";

/** What collectors share, and what they keep across reloads. */
export interface CollectorContext {
  readonly directory: KeyDirectory;
  readonly readings: TargetReadings;
  readonly totals: TotalsMemory;
}

export function createCollectorContext(
  readings: TargetReadings = NO_READINGS,
  clock: Pick<Clock, "now" | "monotonic"> = NO_CLOCK,
): CollectorContext {
  return { directory: createKeyDirectory(), readings, totals: createTotalsMemory(clock) };
}

/** For lists of jobs that are not run. */
const NO_CLOCK = { now: () => 0, monotonic: () => 0 };

const NO_READINGS: TargetReadings = {
  ids: () => [],
  status: () => undefined,
  latest: () => undefined,
  isCurrent: () => false,
};
