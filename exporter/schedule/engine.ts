import { ENDPOINTS, type Endpoint } from "../gateway/port.ts";
import type { Log } from "../log.ts";
import { INTERVALS_TO_LIVE } from "../metrics/thresholds.ts";
import type { ReadingStore } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { CreateTicker } from "../time/ticker.ts";
import { createActiveRuns } from "./active-runs.ts";
import { type Backlog, type BacklogDependencies, createBacklog } from "./backlog.ts";
import { createDispatcher, type JobSource, type Release } from "./dispatcher.ts";
import { createIntervals } from "./intervals.ts";
import type { Job } from "./job.ts";
import { createJobRunner, type JobRunner, type RunEnd } from "./job-runner.ts";
import { createLingering, type Lingering } from "./lingering.ts";
import { createJobTable, type Entry, type JobTable, type Run } from "./job-table.ts";
import type { Plan } from "./plan.ts";
import { createRefusals, type RefusalLimits } from "./refusals.ts";
import { createRunQueues } from "./run-queue.ts";
import { createScheduler, type DueTarget, inOrder, type Scheduler } from "./scheduler.ts";

/** Runs every job, poll or probe, when it is due and has a permit, and stores the readings. */
export interface Engine {
  /** `onChange` is called after each change of the readings. */
  start(onChange: () => void): void;
  /** Aborts all runs in progress and begins no new ones. */
  stop(): Promise<void>;
  /**
   * Applies another plan. An unchanged job keeps its readings, its place in the schedule and its run in progress.
   * Readings of another identity are withdrawn at once. When the promise resolves, every run in progress belongs to
   * the new plan.
   */
  apply(plan: Plan): Promise<void>;
  /**
   * Runs every unpaid job once, and then once more those that lacked answers of others; resolves when each has ended or
   * must wait for the gateway.
   */
  runAll(): Promise<void>;
  /** Makes a job due now. */
  readonly ask: (id: TargetId) => void;
  /** Whether every unpaid job has run once, successfully or not. */
  isAttempted(): boolean;
  /** The names of the groups with unpaid jobs. */
  readonly groups: readonly string[];
  /** The effective interval of a group, milliseconds. */
  readonly intervalMs: (group: string) => number;
  /** How long the most overdue target of a group is overdue, milliseconds. */
  readonly lagMs: (group: string) => number;
  /** Until when each endpoint, or one of its targets, is paused, epoch milliseconds. */
  readonly throttledUntil: () => ReadonlyMap<Endpoint, number>;
  /** Whether readings are shown of targets that another process polls now. */
  readonly isLingering: () => boolean;
}

export interface EngineDependencies {
  readonly clock: Clock;
  /** In [0, 1), for the jitter of early retries. */
  readonly random: () => number;
  readonly log: Log;
  readonly createTicker: CreateTicker;
  readonly readings: ReadingStore;
}

export function createEngine(initial: Plan, dependencies: EngineDependencies): Engine {
  const { clock, readings } = dependencies;
  const table = createJobTable(initial, clock);
  const queues = createRunQueues();
  const scheduler = createScheduler(dependencies);
  const refusals = createRefusals(clock, refusalLimits(table));
  const intervals = createIntervals({ clock, table, queues, scheduler, refusals });
  const backlog = createBacklog({ ...dependencies, table, queues, scheduler, refusals, intervals });
  const dispatcher = createDispatcher(clock, initial.limits);
  const runner = createJobRunner({ clock, table, readings, refusals, dispatcher, intervals });
  const runs = createActiveRuns(runner, finish);
  const lingering = createLingering(clock, readings, () => onChange?.());
  const waiting: (() => void)[] = [];
  let onChange: (() => void) | undefined;
  let isStopped = false;
  const isIdle = () => runs.isEmpty && !ENDPOINTS.some((endpoint) => backlog.isReady(endpoint));
  const queued: JobSource = { openAt: (endpoint) => backlog.openAt(endpoint), begin };
  configure(table, { readings, runner, scheduler });
  dispatcher.serve(queued);

  function onDue(due: readonly DueTarget[]): void {
    const missed = due.flatMap((target) => backlog.add(target) ?? []);
    for (const job of missed) runner.describe(job);
    if (missed.length > 0) onChange?.();
    dispatcher.wake();
  }

  function ask(entries: Iterable<Entry>): void {
    const dueAt = clock.monotonic();
    const ids = [...entries].flatMap(({ job, group }) => (group.isPaid ? [] : [job.id]));
    onDue(inOrder(ids).map((id) => ({ id, dueAt, cause: "asked" })));
  }

  function begin(endpoint: Endpoint, release: Release): void {
    const next = backlog.take(endpoint);
    if (!next) return release();
    intervals.began(next.entry, next.dueAt);
    refusals.begun(endpoint, next.entry.job.id);
    runs.begin(next.entry, release);
    // The credits that a paid run reserves are shown while it runs.
    if (next.entry.group.isPaid) onChange?.();
  }

  function finish({ id, endpoint }: Job, run: Run, end: RunEnd): void {
    refusals.ended(endpoint, id);
    const entry = table.get(id);
    if (entry?.run === run) {
      entry.run = undefined;
      runner.describe(entry.job);
      backlog.ended(entry, end);
      if (run.isRepeated) ask([entry]);
    }
    onChange?.();
    dispatcher.wake();
    if (isIdle()) for (const resolve of waiting.splice(0)) resolve();
  }

  async function runOnce(isMeant: (entry: Entry) => boolean): Promise<void> {
    if (!isStopped) ask([...table.entries()].filter(isMeant));
    if (!isStopped && !isIdle()) await new Promise<void>((resolve) => waiting.push(resolve));
  }

  async function apply(next: Plan): Promise<void> {
    // Nothing begins until everything that an earlier plan began has ended.
    dispatcher.hold();
    lingering.review(next, INTERVALS_TO_LIVE * intervals.at("key"));
    const { former, due, kept } = table.replace(next);
    for (const job of former)
      forget(job, table.get(job.id)?.job, { backlog, refusals, readings, runner, lingering });
    configure(table, { readings, runner, scheduler });
    onChange?.();
    await runs.abort((run) => !kept.has(run));
    if (onChange) ask(due);
    // A later plan may be waiting for more runs to end.
    if (isStopped || table.plan !== next) return;
    dispatcher.setLimits(next.limits);
    dispatcher.serve(queued);
  }

  return {
    start: (callBack) => {
      onChange = callBack;
      scheduler.start(onDue);
      ask(table.entries());
    },
    stop: async () => {
      isStopped = true;
      onChange = undefined;
      for (const part of [scheduler, lingering]) part.stop();
      dispatcher.hold();
      await runs.abort(() => true);
      for (const resolve of waiting.splice(0)) resolve();
    },
    apply,
    runAll: () => runOnce(() => true).then(() => runOnce(({ isEarly }) => isEarly)),
    ask: (id) => onDue([{ id, dueAt: clock.monotonic(), cause: "asked" }]),
    isAttempted: () => [...table.entries()].every((entry) => isAttempted(entry, readings)),
    get groups() {
      return table.plan.groups.flatMap(({ name, isPaid }) => (isPaid ? [] : [name]));
    },
    intervalMs: (name) => intervals.of(name),
    lagMs: (name) => longestLag(table.ofGroup(name), intervals.of(name), clock.monotonic()),
    throttledUntil: () => refusals.throttledUntil(),
    isLingering: () => lingering.isAny(),
  };
}

interface Configured {
  readonly readings: ReadingStore;
  readonly runner: Pick<JobRunner, "describe">;
  readonly scheduler: Pick<Scheduler, "apply">;
}

/** Adds the targets of the plan to the readings, with their descriptions. */
function configure(table: JobTable, { readings, runner, scheduler }: Configured): void {
  for (const job of inRenderingOrder(table.entries())) {
    readings.configure(job.id, job.identity);
    runner.describe(job);
  }
  scheduler.apply(table.plan.groups);
}

function refusalLimits(table: Pick<JobTable, "plan">): RefusalLimits {
  return {
    maxPauseMs: () => table.plan.limits.maxPauseMs,
    targetsOf: (endpoint) =>
      table.plan.groups.reduce(
        (sum, { jobs }) => sum + (jobs[0]?.endpoint === endpoint ? jobs.length : 0),
        0,
      ),
  };
}

/**
 * Readings are rendered in the order in which their targets are added. Many targets are added in the polling order, so
 * that those that change together are rendered together; a few, in the order of the configuration.
 */
function inRenderingOrder(entries: Iterable<Entry>): readonly Job[] {
  const jobs = new Map([...entries].map(({ job }) => [job.id, job]));
  const ids = [...jobs.keys()];
  return (ids.length > MANY_TARGETS ? inOrder(ids) : ids).flatMap((id) => jobs.get(id) ?? []);
}

const MANY_TARGETS = 1000;

interface Forgetful extends Pick<BacklogDependencies, "refusals" | "readings"> {
  readonly backlog: Backlog;
  readonly runner: Pick<JobRunner, "release">;
  readonly lingering: Pick<Lingering, "keeps">;
}

/** Forgets the state of a previous job; `present` is the job of the same target in the current plan. */
function forget(
  job: Job,
  present: Job | undefined,
  { backlog, refusals, readings, runner, lingering }: Forgetful,
): void {
  backlog.remove(job);
  runner.release(job, present);
  // While the credential is unchanged, the gateway's request to wait still applies.
  if (present?.identity !== job.identity) refusals.remove(job.id);
  if (!present && lingering.keeps(job)) return;
  if (!present) readings.remove(job.id);
  else if (job.isRevealing === true && present.isRevealing !== true) readings.withdraw(job.id);
}

function isAttempted({ job, group }: Entry, readings: ReadingStore): boolean {
  return group.isPaid || readings.status(job.id)?.attempted === true;
}

/** A target that was never polled has been waiting since it was configured. */
function longestLag(entries: readonly Entry[], intervalMs: number, now: number): number {
  let longest = 0;
  for (const { job, addedAt, beganAt = addedAt } of entries) {
    longest = Math.max(longest, now - beganAt - Math.max(intervalMs, job.minIntervalMs));
  }
  return longest;
}
