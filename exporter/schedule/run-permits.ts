import { PausedError } from "../gateway/errors.ts";
import type { Endpoint, Permit, PermitPurpose, Permits } from "../gateway/port.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { Dispatcher, Release } from "./dispatcher.ts";
import type { Intervals } from "./intervals.ts";
import type { Refusals } from "./refusals.ts";

/** The permits of one run, starting with the first one, which is available at once. */
export interface RunPermits extends Permits {
  /** Returns the first permit if it was not used, and refuses every further one. */
  close(): void;
  /** Whether a request of the run is in progress, or waits for its permit. */
  readonly isInUse: boolean;
}

/** The permit that a run begins with. */
export interface FirstPermit {
  readonly release: Release;
  /** A first request that comes later gets another permit, milliseconds. */
  readonly lastsMs: number;
}

export interface RunPermitsDependencies {
  readonly clock: Pick<Clock, "monotonic">;
  readonly dispatcher: Pick<Dispatcher, "further">;
  readonly refusals: Refusals;
  readonly intervals: Pick<Intervals, "at">;
}

export function createRunPermits(
  endpoint: Endpoint,
  id: TargetId,
  first: FirstPermit,
  { clock, dispatcher, refusals, intervals }: RunPermitsDependencies,
): RunPermits {
  const endsAt = clock.monotonic() + first.lastsMs;
  let unused: Release | undefined = first.release;
  let inUse = 0;
  let isClosed = false;

  function permitOver(release: Release, signal: AbortSignal): Permit {
    let isReleased = false;
    return {
      release: (outcome) => {
        if (isReleased) return;
        isReleased = true;
        inUse--;
        // An aborted run may have used a different secret, so its outcome does not count.
        if (!signal.aborted) refusals.answered(endpoint, id, outcome, intervals.at(endpoint));
        release();
      },
    };
  }

  function dropFirst(): void {
    unused?.();
    unused = undefined;
  }

  function refuseWhilePaused(release?: Release): void {
    if (refusals.mayContinue(endpoint, id)) return;
    release?.();
    throw new PausedError(id);
  }

  async function further(signal: AbortSignal, purpose: PermitPurpose): Promise<Permit> {
    refuseWhilePaused();
    const release = await dispatcher.further(endpoint, signal, purpose);
    if (signal.aborted) release();
    signal.throwIfAborted();
    // The pause may have begun while this request waited.
    refuseWhilePaused(release);
    return permitOver(release, signal);
  }

  return {
    next: async (signal, purpose) => {
      signal.throwIfAborted();
      if (isClosed) throw new Error("The run has ended");
      inUse++;
      if (clock.monotonic() > endsAt) dropFirst();
      if (unused) {
        const permit = permitOver(unused, signal);
        unused = undefined;
        return permit;
      }
      return further(signal, purpose).catch((error: unknown) => {
        inUse--;
        throw error;
      });
    },
    close: () => {
      isClosed = true;
      dropFirst();
    },
    get isInUse() {
      return inUse > 0;
    },
  };
}
