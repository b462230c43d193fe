import { PausedError } from "../gateway/errors.ts";
import type { Endpoint, Permit, Permits } from "../gateway/port.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Dispatcher, Release } from "./dispatcher.ts";
import type { Intervals } from "./intervals.ts";
import type { Refusals } from "./refusals.ts";

/** The permits of one run, starting with the first one, which is available at once. */
export interface RunPermits extends Permits {
  /** Returns the first permit if it was not used. */
  close(): void;
}

export interface RunPermitsDependencies {
  readonly dispatcher: Pick<Dispatcher, "further">;
  readonly refusals: Refusals;
  readonly intervals: Pick<Intervals, "at">;
}

export function createRunPermits(
  endpoint: Endpoint,
  id: TargetId,
  first: Release,
  { dispatcher, refusals, intervals }: RunPermitsDependencies,
): RunPermits {
  let unused: Release | undefined = first;

  function permitOver(release: Release, signal: AbortSignal): Permit {
    let isReleased = false;
    return {
      release: (outcome) => {
        if (isReleased) return;
        isReleased = true;
        // An aborted run may have used a different secret, so its outcome does not count.
        if (!signal.aborted) refusals.answered(endpoint, id, outcome, intervals.at(endpoint));
        release();
      },
    };
  }

  function refuseWhilePaused(release?: Release): void {
    if (refusals.mayContinue(endpoint, id)) return;
    release?.();
    throw new PausedError(id);
  }

  return {
    next: async (signal, purpose) => {
      signal.throwIfAborted();
      if (unused) {
        const permit = permitOver(unused, signal);
        unused = undefined;
        return permit;
      }
      refuseWhilePaused();
      const release = await dispatcher.further(endpoint, signal, purpose);
      if (signal.aborted) release();
      signal.throwIfAborted();
      // The pause may have begun while this request waited.
      refuseWhilePaused(release);
      return permitOver(release, signal);
    },
    close: () => {
      unused?.();
      unused = undefined;
    },
  };
}
