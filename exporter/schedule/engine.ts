import { ENDPOINTS, type Endpoint } from "../gateway/port.ts";
import type { Log } from "../log.ts";
import type { ReadingStore } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { createActiveRuns, createJobRunner, type JobRunner, type RunEnd } from "./job-runner.ts";
import { createDispatcher, type JobSource, type Release } from "./dispatcher.ts";
import { createIntervals } from "./intervals.ts";
import type { Job, Plan } from "./job.ts";
import { createJobTable, type Entry, type JobTable, type Run } from "./job-table.ts";
import { createRunQueues } from "./run-queue.ts";
import { createReadyQueue, type ReadyQueue, type ReadyQueueDependencies } from "./ready-queue.ts";
import { createScheduler, type DueTarget, inOrder, type Scheduler } from "./scheduler.ts";
import { createThrottling, type Throttling } from "./throttling.ts";
import { selfFamilies as families } from "../metrics/self-families.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";

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
  /** Until when each endpoint is throttled, epoch milliseconds. */
  readonly throttledUntil: () => ReadonlyMap<Endpoint, number>;
  /** Withdraws what has expired by now. Call it before each view of the readings. */
  readonly expire: () => void;
}

export interface EngineDependencies {
  readonly clock: Clock;
  /** In [0, 1), for the jitter of early retries. */
  readonly random: () => number;
  readonly log: Log;
  readonly readings: ReadingStore;
}

export function createEngine(initial: Plan, dependencies: EngineDependencies): Engine {
  const { clock, readings } = dependencies;
  const table = createJobTable(initial, clock);
  const queues = createRunQueues();
  const scheduler = createScheduler(dependencies);
  const throttling = createThrottling(clock, () => table.plan.limits);
  const intervals = createIntervals({ clock, table, queues, scheduler, throttling });
  const ready = createReadyQueue({ ...dependencies, table, queues, scheduler, throttling, intervals });
  const dispatcher = createDispatcher(clock, {
    perMinute: (endpoint) => throttling.perMinute(endpoint),
    connections: () => table.plan.limits.connections,
  });
  const runner = createJobRunner({ clock, table, readings, throttling, dispatcher, intervals });
  const runs = createActiveRuns(runner, finish);
  const waiting: (() => void)[] = [];
  let onChange: (() => void) | undefined;
  let isStopped = false;
  const isIdle = () => runs.isEmpty && ENDPOINTS.every((endpoint) => ready.openAt(endpoint) === undefined);
  const queued: JobSource = { openAt: (endpoint) => ready.openAt(endpoint), begin };
  configure(table, { readings, runner, scheduler });
  dispatcher.serve(queued);

  function onDue(due: readonly DueTarget[]): void {
    const missed = due.flatMap((target) => ready.add(target) ?? []);
    for (const job of missed) runner.describe(job);
    if (missed.length > 0) onChange?.();
    dispatcher.wake();
  }

  function ask(entries: Iterable<Entry>): void {
    const dueAt = clock.monotonic();
    const jobs = [...entries].flatMap(({ job, group }) => (group.isPaid ? [] : [job]));
    const ids = [true, false].flatMap((isFirst) =>
      inOrder(jobs.filter(({ comesFirst = false }) => comesFirst === isFirst).map(({ id }) => id)),
    );
    onDue(ids.map((id) => ({ id, dueAt, cause: "asked" })));
  }

  function begin(endpoint: Endpoint, release: Release): void {
    const next = ready.take(endpoint);
    if (!next) return release();
    intervals.began(next.entry, next.dueAt);
    runs.begin(next.entry, release);
    // The credits that a paid run reserves are shown while it runs.
    if (next.entry.group.isPaid) onChange?.();
  }

  function finish({ id }: Job, run: Run, end: RunEnd): void {
    const entry = table.get(id);
    if (entry?.run === run) {
      entry.run = undefined;
      runner.describe(entry.job);
      ready.ended(entry, end);
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
    const { former, due, kept } = table.replace(next);
    for (const job of former) forget(job, table.get(job.id)?.job, { ready, throttling, readings, runner });
    configure(table, { readings, runner, scheduler });
    onChange?.();
    await runs.abort((run) => !kept.has(run));
    if (onChange) ask(due);
    // A later plan may be waiting for more runs to end.
    if (isStopped || table.plan !== next) return;
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
      scheduler.stop();
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
    throttledUntil: () => throttling.throttledUntil(),
    expire: () => expire(readings, table, runner),
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

interface Forgetful extends Pick<ReadyQueueDependencies, "readings"> {
  readonly ready: Pick<ReadyQueue, "remove">;
  readonly throttling: Pick<Throttling, "remove">;
  readonly runner: Pick<JobRunner, "release">;
}

/** Forgets the state of a previous job; `present` is the job of the same target in the current plan. */
function forget(
  job: Job,
  present: Job | undefined,
  { ready, throttling, readings, runner }: Forgetful,
): void {
  ready.remove(job);
  runner.release(job, present);
  // While the credential is unchanged, the gateway's request to wait still applies.
  if (present?.identity !== job.identity) throttling.remove(job.id);
  if (!present) readings.remove(job.id);
  else if (job.isRevealing === true && present.isRevealing !== true) readings.withdraw(job.id);
}

/** The descriptions of what has expired show that it is not up any more. */
function expire(readings: ReadingStore, table: JobTable, runner: JobRunner): void {
  for (const id of readings.expire()) {
    const entry = table.get(id);
    if (entry) runner.describe(entry.job);
    else runner.describeDiscovered(id);
  }
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

/** The metrics of the engine: lag and effective interval by collector, and pauses by endpoint. */
export function registerEngineMetrics(registry: SelfRegistry, engine: Engine): void {
  const byCollector = (milliseconds: (collector: string) => number) =>
    engine.groups.map((collector) => [{ collector }, milliseconds(collector) / 1000] as const);
  registry.gauge(families.pollLag, () => byCollector(engine.lagMs));
  registry.gauge(families.pollInterval, () => byCollector(engine.intervalMs));
  registry.gauge(families.throttledUntil, () =>
    [...engine.throttledUntil()].map(([endpoint, untilMs]) => [{ endpoint }, untilMs / 1000] as const),
  );
}
