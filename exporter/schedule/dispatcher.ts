import { ENDPOINTS, type Endpoint, type PermitPurpose, type Permit, type Permits } from "../gateway/port.ts";
import type { Clock } from "../time/clock.ts";
import { PausedError } from "../gateway/errors.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Throttling } from "./throttling.ts";

/**
 * Gives out permits: at most `connections` requests are in progress at once, and those of each endpoint are
 * evenly spaced.
 */
export interface Dispatcher {
  /** Begins these jobs as permits become free. */
  serve(jobs: JobSource): void;
  /** Stops beginning jobs until `serve` is called again; further requests of running jobs continue. */
  hold(): void;
  /** Begins every job that may begin now. Call it whenever a job has become due. */
  wake(): void;
  /**
   * Waits for a permit for a further request of a run in progress. Such a request takes precedence over new jobs,
   * because the run's deadline is passing; a retry waits in line with the jobs, so that an outage does not delay
   * targets that have not been polled yet. Rejects with the signal's reason if it is aborted.
   */
  further(endpoint: Endpoint, signal: AbortSignal, purpose: PermitPurpose): Promise<Release>;
}

/** Returns a permit; only the first call counts. */
export type Release = () => void;

/** How many permits are given out; read at each use. */
export interface PermitLimits {
  /** Requests per minute; 0 is unlimited. */
  readonly perMinute: (endpoint: Endpoint) => number;
  readonly connections: () => number;
}

/** The jobs that wait for a permit. */
export interface JobSource {
  /** When the next job of an endpoint may begin, monotonic milliseconds; undefined: no job is waiting. */
  openAt(endpoint: Endpoint): number | undefined;
  /** Begins that job. */
  begin(endpoint: Endpoint, release: Release): void;
}

export function createDispatcher(clock: Clock, { perMinute, connections }: PermitLimits): Dispatcher {
  const lanes: readonly Lane[] = ENDPOINTS.map((endpoint) => ({
    endpoint,
    lastAt: Number.NEGATIVE_INFINITY,
    waiting: { request: new Set(), retry: new Set() },
    timer: undefined,
  }));
  let taken = 0;
  let jobs: JobSource | undefined;
  let firstLane = 0;
  let isServing = false;

  /** Endpoints take turns, so that a long queue of one does not hold up the others. */
  function wake(): void {
    // A run may end at once and wake the dispatcher again.
    if (isServing) return;
    isServing = true;
    for (let idle = 0; idle < lanes.length && taken < connections();) {
      const lane = lanes[firstLane];
      firstLane = (firstLane + 1) % lanes.length;
      idle = lane && serveNext(lane) ? 0 : idle + 1;
    }
    isServing = false;
  }

  function take(): Release {
    taken++;
    let isReturned = false;
    return () => {
      if (isReturned) return;
      isReturned = true;
      taken--;
      wake();
    };
  }

  function serveNext(lane: Lane): boolean {
    const openAt = jobs?.openAt(lane.endpoint);
    const waiter = nextWaiter(lane, openAt);
    const wantedAt = waiter?.wantedAt ?? openAt;
    lane.timer?.();
    lane.timer = undefined;
    if (wantedAt === undefined) return false;
    const readyAt = Math.max(wantedAt, lane.lastAt + distanceOf(perMinute(lane.endpoint)));
    const waitMs = readyAt - clock.monotonic();
    if (waitMs > 0) {
      lane.timer = clock.after(waitMs, wake);
      return false;
    }
    lane.lastAt = Math.max(readyAt, clock.monotonic() - CATCH_UP_MS);
    const release = take();
    if (waiter) waiter.enter(release);
    else jobs?.begin(lane.endpoint, release);
    return true;
  }

  function further(endpoint: Endpoint, signal: AbortSignal, purpose: PermitPurpose): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const waiting = lanes.find((each) => each.endpoint === endpoint)?.waiting[purpose];
      const leave = () => {
        waiting?.delete(waiter);
        reject(signal.reason);
        wake();
      };
      const waiter: Waiter = {
        wantedAt: clock.monotonic(),
        enter: (release) => {
          waiting?.delete(waiter);
          signal.removeEventListener("abort", leave);
          resolve(release);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting?.add(waiter);
      wake();
    });
  }

  return {
    serve: (source) => {
      jobs = source;
      wake();
    },
    hold: () => {
      jobs = undefined;
      // Cancels the timers of endpoints that must not begin jobs now, because they would keep the process alive.
      wake();
    },
    wake,
    further,
  };
}

/** The request that goes before the next job; undefined: the job is next. */
function nextWaiter({ waiting }: Lane, openAt: number | undefined): Waiter | undefined {
  const [request] = waiting.request;
  const [retry] = waiting.retry;
  if (request) return request;
  return retry && (openAt === undefined || retry.wantedAt <= openAt) ? retry : undefined;
}

/**
 * Timers fire some milliseconds late, which must not lower the rate, so delays up to this length are made up for. A
 * longer suspension of the process is not.
 */
const CATCH_UP_MS = 100;

function distanceOf(perMinute: number): number {
  return perMinute === 0 ? 0 : 60_000 / perMinute;
}

interface Lane {
  readonly endpoint: Endpoint;
  /** When its last request was due, monotonic milliseconds: requests are evenly spaced, however late a timer is. */
  lastAt: number;
  readonly waiting: Readonly<Record<PermitPurpose, Set<Waiter>>>;
  /** Cancels the timer that waits for the limiter. */
  timer: (() => void) | undefined;
}

interface Waiter {
  /** On the monotonic clock, milliseconds. */
  readonly wantedAt: number;
  enter(release: Release): void;
}

export interface RunPermitsDependencies {
  readonly clock: Pick<Clock, "monotonic">;
  readonly dispatcher: Pick<Dispatcher, "further">;
  readonly throttling: Pick<Throttling, "answered" | "restMs">;
}

/**
 * The permits of one run. The first one is available at once; a first request that comes later than it lasts gets another.
 * `close` returns the first permit if it was not used.
 */
export function createRunPermits(
  endpoint: Endpoint,
  id: TargetId,
  first: { readonly release: Release; readonly lastsMs: number },
  { clock, dispatcher, throttling }: RunPermitsDependencies,
): Permits & { close(): void } {
  const endsAt = clock.monotonic() + first.lastsMs;
  let unused: Release | undefined = first.release;

  function permitOver(release: Release, signal: AbortSignal): Permit {
    let isReleased = false;
    return {
      release: (outcome) => {
        if (isReleased) return;
        isReleased = true;
        // An aborted run may have used a different secret, so its outcome does not count.
        if (!signal.aborted) throttling.answered(endpoint, id, outcome);
        release();
      },
    };
  }

  function dropFirst(): void {
    unused?.();
    unused = undefined;
  }

  function refuseAtRest(release?: Release): void {
    if (throttling.restMs(id) === 0) return;
    release?.();
    throw new PausedError(id);
  }

  async function further(signal: AbortSignal, purpose: PermitPurpose): Promise<Permit> {
    refuseAtRest();
    const release = await dispatcher.further(endpoint, signal, purpose);
    if (signal.aborted) release();
    signal.throwIfAborted();
    // The rest may have begun while this request waited.
    refuseAtRest(release);
    return permitOver(release, signal);
  }

  return {
    next: async (signal, purpose) => {
      signal.throwIfAborted();
      if (clock.monotonic() > endsAt) dropFirst();
      if (unused) {
        const permit = permitOver(unused, signal);
        unused = undefined;
        return permit;
      }
      return further(signal, purpose);
    },
    close: dropFirst,
  };
}
