import type { Endpoint } from "../gateway/port.ts";
import type { Clock } from "../time/clock.ts";
import type { JobTable } from "./job-table.ts";
import type { JobGroup } from "./plan.ts";
import type { Refusals } from "./refusals.ts";
import type { RunQueues } from "./run-queue.ts";
import type { Scheduler } from "./scheduler.ts";

/** How often the jobs of each group really run. */
export interface Intervals {
  /** A job of a group begins, which became due at a time of the monotonic clock. */
  began(group: string, endpoint: Endpoint, dueAt: number): void;
  /**
   * The effective interval of a group: the longest of the schedule's gap, what the rate limit takes for all its jobs, and
   * what the last jobs waited, those that still wait included. Milliseconds.
   */
  of(group: string): number;
  /** The longest of the groups that ask an endpoint. */
  at(endpoint: Endpoint): number;
}

export interface IntervalsDependencies {
  readonly clock: Pick<Clock, "monotonic">;
  readonly table: Pick<JobTable, "plan">;
  readonly queues: RunQueues;
  readonly scheduler: Pick<Scheduler, "longestGapMs">;
  readonly refusals: Pick<Refusals, "openSince">;
}

export function createIntervals(dependencies: IntervalsDependencies): Intervals {
  const { clock, table, queues, scheduler, refusals } = dependencies;
  const waits = new Map<string, Waits>();

  function intervalOf(group: JobGroup): number {
    const { name, jobs } = group;
    const scheduledMs = Math.max(scheduler.longestGapMs(name), rateMs(group));
    const longestMs = Math.max(
      longestWait(name, scheduledMs),
      ...jobs.slice(0, 1).map(({ endpoint }) => waitingMs(endpoint)),
    );
    // Whole seconds: what people read must not flicker.
    return longestMs <= scheduledMs ? scheduledMs : Math.ceil(longestMs / 1000) * 1000;
  }

  /** What the rate limit takes for one run of each job. */
  function rateMs({ jobs }: JobGroup): number {
    const [first] = jobs;
    const perMinute = first ? table.plan.limits.perMinute[first.endpoint] : 0;
    return first && perMinute > 0 ? (jobs.length * first.requests * 60_000) / perMinute : 0;
  }

  function waitingMs(endpoint: Endpoint): number {
    const oldest = queues[endpoint].oldest();
    return oldest === undefined ? 0 : lateBy(endpoint, oldest);
  }

  /** Time that the endpoint asked to be left alone is not the exporter's lateness. */
  function lateBy(endpoint: Endpoint, dueAt: number): number {
    return clock.monotonic() - Math.max(dueAt, refusals.openSince(endpoint));
  }

  /** The longest wait of the present interval and the one before it: a single late run is forgotten after two. */
  function longestWait(name: string, scheduledMs: number): number {
    const known = waits.get(name);
    if (!known) return 0;
    const longestMs = Math.max(known.presentMs, known.formerMs);
    if (clock.monotonic() - known.since >= Math.max(scheduledMs, longestMs)) {
      waits.set(name, { since: clock.monotonic(), presentMs: 0, formerMs: known.presentMs });
    }
    return longestMs;
  }

  return {
    began: (name, endpoint, dueAt) => {
      const lateMs = lateBy(endpoint, dueAt);
      const known = waits.get(name) ?? { since: clock.monotonic(), presentMs: 0, formerMs: 0 };
      waits.set(name, { ...known, presentMs: Math.max(known.presentMs, lateMs) });
    },
    of: (name) => {
      const group = table.plan.groups.find((each) => each.name === name);
      return group ? intervalOf(group) : 0;
    },
    at: (endpoint) => {
      const asking = table.plan.groups.filter(({ jobs }) => jobs[0]?.endpoint === endpoint);
      return Math.max(0, ...asking.map(intervalOf));
    },
  };
}

interface Waits {
  readonly since: number;
  readonly presentMs: number;
  readonly formerMs: number;
}
