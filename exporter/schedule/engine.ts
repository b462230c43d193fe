import type { Endpoint } from "../gateway/port.ts";
import { ENDPOINTS } from "../gateway/port.ts";
import type { Log } from "../log.ts";
import { INTERVALS_TO_LIVE } from "../metrics/thresholds.ts";
import type { ReadingStore } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { CreateTicker } from "../time/ticker.ts";
import { createBacklog } from "./backlog.ts";
import { createDispatcher, type Release } from "./dispatcher.ts";
import { createIntervals } from "./intervals.ts";
import type { Job } from "./job.ts";
import { createJobRunner, type RunEnd } from "./job-runner.ts";
import { createJobTable, type Entry, type Run } from "./job-table.ts";
import type { Plan } from "./plan.ts";
import { createRefusals } from "./refusals.ts";
import { createRunQueues } from "./run-queue.ts";
import { createScheduler, type DueTarget, inOrder } from "./scheduler.ts";

/** Runs every job, poll or probe: when it is due and has a permit, and keeps what it learns. */
export interface Engine {
  /** `onChange` is called after each change of the readings. */
  start(onChange: () => void): void;
  /** Aborts what is under way and begins nothing new. */
  stop(): Promise<void>;
  /**
   * Follows another plan. A job that was not changed keeps its readings, its place in the schedule and the run under way.
   * Readings of another identity are withdrawn at once. When the result resolves, nothing asks by the former plan.
   */
  apply(plan: Plan): Promise<void>;
  /** Runs every job once that costs nothing; resolves when each has ended or must wait for the gateway. */
  runAll(): Promise<void>;
  /** Makes a job due now. */
  ask(id: TargetId): void;
  /** Whether every job that runs at the start has run once, successfully or not. */
  isAttempted(): boolean;
  /** The groups that cost nothing, by name. */
  readonly groups: readonly string[];
  /** The effective interval of a group, milliseconds. */
  intervalMs(group: string): number;
  /** How long the most overdue target of a group is overdue, milliseconds. */
  lagMs(group: string): number;
  /** Until when each endpoint, or some target of it, is left alone, epoch milliseconds. */
  throttledUntil(): ReadonlyMap<Endpoint, number>;
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
  const table = createJobTable(initial);
  const queues = createRunQueues();
  const scheduler = createScheduler(dependencies);
  const intervals = createIntervals({ clock, table, queues, scheduler });
  const refusals = createRefusals(clock, {
    intervalMs: intervals.at,
    maxPauseMs: () => table.plan.limits.maxPauseMs,
  });
  const backlog = createBacklog({ ...dependencies, table, queues, scheduler, refusals, intervals });
  const dispatcher = createDispatcher(clock, initial.limits);
  const runner = createJobRunner({
    ...{ clock, readings, refusals, dispatcher, gateway: () => table.plan.gateway },
    timeToLiveMs: (job, { name }) => INTERVALS_TO_LIVE * Math.max(intervals.of(name), job.minIntervalMs),
  });
  const runs = new Set<Run>();
  const waiting: (() => void)[] = [];
  let onChange: (() => void) | undefined;
  configure();
  dispatcher.serve({ openAt: backlog.openAt, begin });

  function onDue(due: readonly DueTarget[]): void {
    const missed = due.flatMap((target) => backlog.add(target) ?? []);
    for (const job of missed) runner.describe(job);
    if (missed.length > 0) onChange?.();
    dispatcher.wake();
  }

  function ask(entries: Iterable<Entry>): void {
    const dueAt = clock.monotonic();
    const ids = [...entries].flatMap(({ job, group }) => (group.isPaid ? [] : [job.id]));
    onDue(inOrder(ids).map((id) => ({ id, dueAt, cause: "again" })));
  }

  function begin(endpoint: Endpoint, release: Release): void {
    const next = backlog.next(endpoint);
    const entry = next && table.get(next.id);
    if (!next || !entry) return release();
    const { job, group } = entry;
    backlog.remove(job);
    // Time that the endpoint asked to be left alone is not the exporter's lateness.
    intervals.began(group.name, clock.monotonic() - Math.max(next.dueAt, refusals.openSince(endpoint)));
    refusals.begun(endpoint, job.id);
    const aborter = new AbortController();
    const run: Run = {
      isRepeated: false,
      abort: () => aborter.abort(new AbortedError()),
      ended: runner.run(job, group, release, aborter.signal).then((end) => finish(job, run, end)),
    };
    entry.run = run;
    runs.add(run);
    // The credits that a paid run sets aside as it begins are shown while it runs.
    if (group.isPaid) onChange?.();
  }

  function finish(job: Job, run: Run, end: RunEnd): void {
    runs.delete(run);
    refusals.ended(job.endpoint, job.id);
    const entry = table.get(job.id);
    if (entry?.run === run) {
      entry.run = undefined;
      if (end === "learnt") entry.failures = 0;
      else if (end !== "unfinished") backlog.retryEarly(entry, end.kind);
      if (run.isRepeated) ask([entry]);
    }
    onChange?.();
    dispatcher.wake();
    if (isIdle()) for (const resolve of waiting.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return runs.size === 0 && ENDPOINTS.every((endpoint) => backlog.next(endpoint) === undefined);
  }

  /** Makes the targets of the plan known, and what is known of them without asking. */
  function configure(): void {
    for (const { job } of table.entries()) {
      readings.configure(job.id, job.identity);
      runner.describe(job);
    }
    scheduler.apply(table.plan.groups);
  }

  async function apply(next: Plan): Promise<void> {
    // Nothing begins until everything that the former plan began has ended.
    dispatcher.hold();
    const { changed, former, leftOver } = table.replace(next);
    for (const job of former) {
      backlog.remove(job);
      refusals.remove(job.id);
      if (!table.get(job.id)) readings.remove(job.id);
    }
    configure();
    onChange?.();
    await abort(leftOver);
    dispatcher.setLimits(next.limits);
    dispatcher.serve({ openAt: backlog.openAt, begin });
    if (onChange) ask(changed);
  }

  async function abort(some: Iterable<Run>): Promise<void> {
    const ended = [...some].map((run) => {
      run.abort();
      return run.ended;
    });
    await Promise.all(ended);
  }

  return {
    start: (callBack) => {
      onChange = callBack;
      scheduler.start(onDue);
      ask(table.entries());
    },
    stop: async () => {
      onChange = undefined;
      scheduler.stop();
      dispatcher.hold();
      await abort(runs);
    },
    apply,
    runAll: () =>
      new Promise((resolve) => {
        ask(table.entries());
        if (isIdle()) resolve();
        else waiting.push(resolve);
      }),
    ask: (id) => onDue([{ id, dueAt: clock.monotonic(), cause: "again" }]),
    isAttempted: () =>
      [...table.entries()].every(({ job, group }) => group.isPaid || readings.status(job.id)?.attempted),
    get groups() {
      return table.plan.groups.flatMap(({ name, isPaid }) => (isPaid ? [] : [name]));
    },
    intervalMs: intervals.of,
    lagMs: (name) => longestLag(name, [...table.entries()], intervals.of(name), { readings, clock }),
    throttledUntil: refusals.throttledUntil,
  };
}

/** A target that was never asked waits since it was configured. */
function longestLag(
  name: string,
  entries: readonly Entry[],
  intervalMs: number,
  { readings, clock }: Pick<EngineDependencies, "readings" | "clock">,
): number {
  const now = clock.now();
  let longest = 0;
  for (const { job, group } of entries) {
    if (group.name !== name) continue;
    const status = readings.status(job.id);
    const attemptMs = status?.lastAttemptMs ?? status?.addedMs ?? now;
    longest = Math.max(longest, now - attemptMs - Math.max(intervalMs, job.minIntervalMs));
  }
  return longest;
}

/** Why a run ends whose result is not wanted any more. */
class AbortedError extends Error {
  override readonly name = "AbortedError";

  constructor() {
    super("The exporter is stopping, or its configuration has changed");
  }
}
