import type { QueuedJob, RunQueues } from "./run-queue.ts";
import { type FailureReason, GatewayError } from "../gateway/errors.ts";
import type { Endpoint } from "../gateway/port.ts";
import type { ReadingStore } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";
import { isSettled, windowAt } from "../time/window.ts";
import type { Intervals } from "./intervals.ts";
import type { Job } from "./job.ts";
import type { RunEnd } from "./job-runner.ts";
import type { Entry, JobTable } from "./job-table.ts";
import type { Throttling } from "./throttling.ts";
import type { DueTarget, Scheduler } from "./scheduler.ts";

/** Decides which due jobs wait in the run queues, and which job is next. */
export interface ReadyQueue {
  /**
   * Adds a due job to its run queue, unless the job is running, must rest, or its last answer is recent enough.
   * Returns the job if it is paid and misses its tick.
   */
  add(target: DueTarget): Job | undefined;
  /** Records the end of a run. A target that cannot show everything is polled again before its next tick. */
  ended(entry: Entry, end: RunEnd): void;
  /** Takes the next job of an endpoint that may begin now. */
  take(endpoint: Endpoint): DueEntry | undefined;
  /**
   * When the next job of an endpoint became due, monotonic milliseconds; undefined: none waits.
   */
  openAt(endpoint: Endpoint): number | undefined;
  remove(job: Job): void;
}

export interface DueEntry {
  readonly entry: Entry;
  /** On the monotonic clock, milliseconds. */
  readonly dueAt: number;
}

export interface ReadyQueueDependencies {
  readonly clock: Clock;
  /** In [0, 1), for the jitter of early retries. */
  readonly random: () => number;
  readonly readings: ReadingStore;
  readonly table: JobTable;
  readonly queues: RunQueues;
  readonly scheduler: Scheduler;
  readonly throttling: Pick<Throttling, "restMs">;
  readonly intervals: Intervals;
}

/** The delay of the first early retry; it doubles with each further one. */
const FIRST_RETRY_MS = 5000;
/** The same after a refusal. */
const REFUSED_RETRY_MS = 30_000;

export function createReadyQueue(dependencies: ReadyQueueDependencies): ReadyQueue {
  const { clock, random, readings, table, queues, scheduler, throttling, intervals } = dependencies;

  function add({ id, dueAt, cause }: DueTarget): Job | undefined {
    const entry = table.get(id);
    if (!entry || (cause === "tick" && !isWanted(entry))) return undefined;
    // A planned retry is obsolete if the target was polled for another reason in the meantime.
    if (cause === "again" && !isPlanned(entry)) return undefined;
    entry.againAt = undefined;
    const { job, group, run } = entry;
    const restMs = throttling.restMs(id);
    if (group.isPaid) {
      const obstacle = obstacleOf(entry);
      if (obstacle === undefined) return enqueue(entry, dueAt);
      group.reporter.missed?.(job, obstacle);
      return job;
    }
    // A run that began before midnight cannot be trusted and must be repeated; any other run is as good as the next.
    if (run) run.isRepeated ||= cause === "midnight";
    else if (restMs > 0) runAgain(entry, restMs);
    else enqueue(entry, dueAt);
    return undefined;
  }

  function obstacleOf({ job, run }: Entry): "running" | "paused" | undefined {
    if (run) return "running";
    return throttling.restMs(job.id) > 0 ? "paused" : undefined;
  }

  function isPlanned({ againAt }: Entry): boolean {
    return againAt !== undefined && againAt <= clock.monotonic();
  }

  function enqueue({ job, group }: Entry, dueAt: number): undefined {
    // A target with nothing to show is as urgent as the rest of its group, however rarely it is polled.
    const leastMs = readings.isWhole(job.id) ? job.minIntervalMs : 0;
    queues[job.endpoint].add(job.id, dueAt, group.name, leastMs);
  }

  /**
   * Whether another answer is wanted: the last one is old enough (with half a tick of tolerance), cannot be shown any
   * more, or a later run failed.
   */
  function isWanted({ job, group }: Entry): boolean {
    const { failure, lastAnswerMs, lastAttemptMs } = readings.status(job.id) ?? {};
    if (lastAnswerMs === undefined || lastAnswerMs !== lastAttemptMs) return true;
    if (!failure && !readings.isWhole(job.id)) return true;
    const ageMs = clock.now() - lastAnswerMs;
    // An answer from the future means that the clock was wrong then, or is wrong now.
    return ageMs < 0 || ageMs >= job.minIntervalMs - scheduler.gapMs(group.name) / 2;
  }

  function ended(entry: Entry, end: RunEnd): void {
    entry.isEarly = end === "early";
    if (end === "stored") entry.failures = 0;
    else if (end === "early") runSoon(entry, FIRST_RETRY_MS);
    else if (end === "paused" || (end === "unsettled" && isDaySettled())) retryEarly(entry, FIRST_RETRY_MS);
    else if (end instanceof GatewayError && PASSING.has(end.kind))
      retryEarly(entry, end.kind === "rate_limited" ? REFUSED_RETRY_MS : FIRST_RETRY_MS);
  }

  /** Before the day has settled no early retry is needed, because every target is polled when it has. */
  function isDaySettled(): boolean {
    return isSettled(windowAt("day", clock.now()), clock.now());
  }

  function retryEarly(entry: Entry, firstMs: number): void {
    if (!readings.isWhole(entry.job.id)) runSoon(entry, firstMs);
  }

  /** The delay doubles with each consecutive failure, until the next tick comes earlier. */
  function runSoon(entry: Entry, firstMs: number): void {
    const { job, group } = entry;
    const backoffMs = firstMs * 2 ** entry.failures;
    if (group.isPaid || backoffMs >= intervals.of(group.name)) return;
    entry.failures++;
    runAgain(entry, Math.max(backoffMs * (1 - random() / 4), throttling.restMs(job.id)));
  }

  function runAgain(entry: Entry, delayMs: number): void {
    const at = clock.monotonic() + delayMs;
    if (entry.againAt !== undefined && entry.againAt <= at) return;
    entry.againAt = at;
    scheduler.at(entry.job.id, at);
  }

  function next(endpoint: Endpoint): QueuedJob | undefined {
    return queues[endpoint].next(clock.monotonic(), (group) => intervals.of(group));
  }

  return {
    add,
    ended,
    take: (endpoint) => {
      const job = next(endpoint);
      if (job) queues[endpoint].remove(job.id);
      const entry = job && table.get(job.id);
      return entry && { entry, dueAt: job.dueAt };
    },
    openAt: (endpoint) => next(endpoint)?.dueAt,
    remove: ({ id, endpoint }) => queues[endpoint].remove(id),
  };
}

/** Failures that may pass by themselves; the others wait for the next tick. */
const PASSING: ReadonlySet<FailureReason> = new Set([
  "rate_limited",
  "timeout",
  "upstream_error",
  "bad_response",
  "network",
  "secret_unreadable",
]);
