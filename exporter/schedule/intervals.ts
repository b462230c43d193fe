import type { Endpoint } from "../gateway/port.ts";
import type { Clock } from "../time/clock.ts";
import { INTERVALS_TO_LIVE } from "../metrics/thresholds.ts";
import type { GroupLife } from "../readings/reading.ts";
import type { Entry, JobTable } from "./job-table.ts";
import type { JobGroup } from "./job.ts";
import type { Throttling } from "./throttling.ts";
import type { RunQueues } from "./run-queue.ts";
import type { Scheduler } from "./scheduler.ts";

/** The effective interval at which the jobs of each group run. */
export interface Intervals {
  /** Records that a job begins now. `dueAt` is when it became due, on the monotonic clock. */
  began(entry: LastRun, dueAt: number): void;
  /**
   * The effective interval of a group, milliseconds: the longest of the schedule's present gap, the time that the rate limit
   * needs for all jobs, the time between the last two runs of any job, and the waits of jobs that are due.
   */
  of(group: string): number;
  /**
   * The time to live of a group's answers, which changes with the interval. Jobs that still wait do not prolong it: a
   * target that gets no turn must not be shown for ever.
   */
  lifeOf(group: string): GroupLife;
  /** How long an answer of a group that is requested now may be shown at least, milliseconds: until its third planned poll. */
  ownLifeMs(group: string): number;
}

export type LastRun = Pick<Entry, "group" | "beganAt">;

export interface IntervalsDependencies {
  readonly clock: Pick<Clock, "monotonic">;
  readonly table: Pick<JobTable, "plan">;
  readonly queues: RunQueues;
  readonly scheduler: Pick<Scheduler, "gapMs" | "threeGapsMs">;
  readonly throttling: Pick<Throttling, "perMinute">;
}

export function createIntervals(dependencies: IntervalsDependencies): Intervals {
  const { clock, table, queues, scheduler, throttling } = dependencies;
  const gaps = new Map<string, Gaps>();
  const lives = new Map<string, { timeToLiveMs: number }>();

  function intervalOf(group: JobGroup): number {
    const { scheduledMs, achievedMs } = achieved(group);
    const [first] = group.jobs;
    const longestMs = Math.max(achievedMs, first ? waitingMs(first.endpoint) : 0);
    // In whole seconds, so that the value in HELP texts does not flicker.
    return longestMs === scheduledMs ? scheduledMs : Math.ceil(longestMs / 1000) * 1000;
  }

  function intervalOfName(name: string): number {
    const group = table.plan.groups.find((each) => each.name === name);
    return group ? intervalOf(group) : 0;
  }

  /** The intervals by the schedule and by the recent polls. Sets the time to live of the group. */
  function achieved(group: JobGroup): { readonly scheduledMs: number; readonly achievedMs: number } {
    const scheduledMs = scheduledMsOf(group);
    const { presentMs, formerMs } = gapsOf(group.name, scheduledMs);
    const achievedMs = Math.max(scheduledMs, presentMs, formerMs);
    lifeOf(group.name).timeToLiveMs = INTERVALS_TO_LIVE * achievedMs;
    return { scheduledMs, achievedMs };
  }

  function lifeOf(name: string): { timeToLiveMs: number } {
    const life = lives.get(name) ?? { timeToLiveMs: 0 };
    lives.set(name, life);
    return life;
  }

  /** The schedule's present gap, or the time that the rate limit needs for one run of each job. */
  function scheduledMsOf({ name, jobs }: JobGroup): number {
    const [first] = jobs;
    const perMinute = first ? throttling.perMinute(first.endpoint) : 0;
    const rateMs = first && perMinute > 0 ? (jobs.length * first.requests * 60_000) / perMinute : 0;
    return Math.max(scheduler.gapMs(name), rateMs);
  }

  /**
   * The longest gaps of the current and the previous interval, so that a single late run is forgotten after two
   * intervals.
   */
  function gapsOf(name: string, scheduledMs: number): Gaps {
    const now = clock.monotonic();
    const known = gaps.get(name) ?? { since: now, presentMs: 0, formerMs: 0 };
    const passed = (now - known.since) / Math.max(scheduledMs, known.presentMs, known.formerMs);
    if (passed < 1) return known;
    const next = { since: now, presentMs: 0, formerMs: passed < 2 ? known.presentMs : 0 };
    gaps.set(name, next);
    return next;
  }

  function waitingMs(endpoint: Endpoint): number {
    const oldest = queues[endpoint].oldest();
    return oldest === undefined ? 0 : clock.monotonic() - oldest;
  }

  /** The time since the last run of a job, without the time that the gateway or the job itself asked to wait. */
  function gapBefore({ group, beganAt }: LastRun, dueAt: number): number {
    const lateMs = clock.monotonic() - dueAt;
    if (beganAt === undefined) return lateMs;
    return Math.min(clock.monotonic() - beganAt, scheduler.gapMs(group.name) + lateMs);
  }

  return {
    began: (entry, dueAt) => {
      const { group } = entry;
      const known = gapsOf(group.name, scheduledMsOf(group));
      const presentMs = Math.max(known.presentMs, gapBefore(entry, dueAt));
      gaps.set(group.name, { ...known, presentMs });
      entry.beganAt = clock.monotonic();
      achieved(group);
    },
    of: intervalOfName,
    lifeOf,
    ownLifeMs: (name) => Math.max(INTERVALS_TO_LIVE * intervalOfName(name), scheduler.threeGapsMs(name)),
  };
}

interface Gaps {
  readonly since: number;
  readonly presentMs: number;
  readonly formerMs: number;
}
