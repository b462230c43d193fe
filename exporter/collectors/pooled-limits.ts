import { type Sample, sample, seconds } from "../metrics/family.ts";
import type { KeyLayer } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { contains, isSettled } from "../time/window.ts";
import { sharedLimitFamilies as families } from "./layer-families.ts";

/**
 * The budgets that several keys share, each as the newest answer about one of its keys shows it: one series for each
 * budget, not for each key.
 */
export interface PooledLimits {
  /** Takes the shared layers of an answer. */
  add(target: TargetId, layers: readonly KeyLayer[], requestedAtMs: number): void;
  /** What may be shown now. */
  readonly samples: () => readonly Sample[];
}

export function createPooledLimits(
  readings: Pick<ReadingSource, "isCurrent">,
  clock: Pick<Clock, "now">,
): PooledLimits {
  const newest = new Map<string, Shared>();
  return {
    add: (target, layers, requestedAtMs) => {
      for (const layer of layers)
        if (layer.sharedId !== undefined)
          newest.set(JSON.stringify([layer.source, layer.sharedId]), { layer, target, requestedAtMs });
    },
    samples: () => {
      for (const [id, { target }] of newest) if (!readings.isCurrent(target)) newest.delete(id);
      return [...newest.values()].flatMap((shared) => samplesOf(shared, clock.now()));
    },
  };
}

interface Shared {
  readonly layer: KeyLayer;
  /** The key whose answer it is; it is shown as long as that. */
  readonly target: TargetId;
  readonly requestedAtMs: number;
}

function samplesOf({ layer, requestedAtMs }: Shared, nowMs: number): readonly Sample[] {
  const { source, sharedId: id = "", window } = layer;
  if (window && !(contains(window, nowMs) && isSettled(window, requestedAtMs))) return [];
  const labels = { source, id };
  return [
    ...sample(families.limit, labels, layer.limitCredits, window),
    ...sample(families.spent, labels, layer.spentCredits, window),
    ...sample(families.remaining, labels, layer.remainingCredits, window),
    ...sample(families.nextReset, labels, seconds(layer.nextResetMs), window),
  ];
}
