import { ENDPOINTS, type Endpoint, type PermitPurpose } from "../gateway/port.ts";
import type { Clock } from "../time/clock.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";
import { createSemaphore } from "./semaphore.ts";

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
  setLimits(limits: PermitLimits): void;
}

/** Returns a permit; only the first call counts. */
export type Release = () => void;

/** How many permits are given out. */
export interface PermitLimits {
  /** Requests per minute by endpoint; 0 is unlimited. */
  readonly perMinute: Readonly<Record<Endpoint, number>>;
  readonly connections: number;
}

/** The jobs that wait for a permit. */
export interface JobSource {
  /** When the next job of an endpoint may begin, monotonic milliseconds; undefined: no job is waiting. */
  openAt(endpoint: Endpoint): number | undefined;
  /** Begins that job. */
  begin(endpoint: Endpoint, release: Release): void;
}

export function createDispatcher(clock: Clock, initial: PermitLimits): Dispatcher {
  const lanes: readonly Lane[] = ENDPOINTS.map((endpoint) => ({
    endpoint,
    limiter: createRateLimiter(clock, initial.perMinute[endpoint]),
    waiting: { request: new Set(), retry: new Set() },
    timer: undefined,
  }));
  const semaphore = createSemaphore(initial.connections, wake);
  let jobs: JobSource | undefined;
  let firstLane = 0;
  let isServing = false;

  /** Endpoints take turns, so that a long queue of one does not hold up the others. */
  function wake(): void {
    // A run may end at once and wake the dispatcher again.
    if (isServing) return;
    isServing = true;
    for (let idle = 0; idle < lanes.length && semaphore.free > 0;) {
      const lane = lanes[firstLane];
      firstLane = (firstLane + 1) % lanes.length;
      idle = lane && serveNext(lane) ? 0 : idle + 1;
    }
    isServing = false;
  }

  function serveNext(lane: Lane): boolean {
    const openAt = jobs?.openAt(lane.endpoint);
    const waiter = nextWaiter(lane, openAt);
    const wantedAt = waiter?.wantedAt ?? openAt;
    lane.timer?.();
    lane.timer = undefined;
    if (wantedAt === undefined) return false;
    const waitMs = lane.limiter.readyAt(wantedAt) - clock.monotonic();
    if (waitMs > 0) {
      lane.timer = clock.after(waitMs, wake);
      return false;
    }
    const release = semaphore.tryTake();
    if (!release) return false;
    lane.limiter.use(wantedAt);
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
    setLimits: ({ perMinute, connections }) => {
      for (const { endpoint, limiter } of lanes) limiter.setRate(perMinute[endpoint]);
      semaphore.resize(connections);
    },
  };
}

/** The request that goes before the next job; undefined: the job is next. */
function nextWaiter({ waiting }: Lane, openAt: number | undefined): Waiter | undefined {
  const [request] = waiting.request;
  const [retry] = waiting.retry;
  if (request) return request;
  return retry && (openAt === undefined || retry.wantedAt <= openAt) ? retry : undefined;
}

interface Lane {
  readonly endpoint: Endpoint;
  readonly limiter: RateLimiter;
  readonly waiting: Readonly<Record<PermitPurpose, Set<Waiter>>>;
  /** Cancels the timer that waits for the limiter. */
  timer: (() => void) | undefined;
}

interface Waiter {
  /** On the monotonic clock, milliseconds. */
  readonly wantedAt: number;
  enter(release: Release): void;
}
