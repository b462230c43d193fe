import { inspect } from "node:util";
import { causeOf } from "../gateway/causes.ts";
import { GatewayError, PausedError } from "../gateway/errors.ts";
import { PERMIT_LASTS_MS } from "../gateway/port.ts";
import { INTERVALS_TO_LIVE } from "../metrics/thresholds.ts";
import type { Reading } from "../readings/reading.ts";
import type { Failure, ReadingStore, TargetStatus } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";
import { type Dispatcher, type Release, createRunPermits } from "./dispatcher.ts";
import type { Intervals } from "./intervals.ts";
import type { Job, JobGroup, Result, RunOutcome } from "./job.ts";
import type { JobTable, Entry, Run } from "./job-table.ts";
import { createDiscoveredTargets, type DiscoveredTargets } from "./discovered-targets.ts";
import type { Throttling } from "./throttling.ts";

/** Runs one job with its first permit and stores the result. Handles every failure. */
export interface JobRunner {
  /** Nothing is kept or reported once the signal is aborted. */
  run(job: Job, group: JobGroup, release: Release, signal: AbortSignal): Promise<RunEnd>;
  /** Shows the description of a target. */
  describe(job: Job): void;
  /** Shows the description of a discovered target. */
  readonly describeDiscovered: DiscoveredTargets["describe"];
  /** Removes the discovered targets of a former job that the present plan does not keep. */
  readonly release: DiscoveredTargets["release"];
}

/**
 * How a run ended. Unsettled: the answer is too early to be trusted for all of its windows. Early: answers of
 * other jobs are missing. Unfinished: the run was aborted, or the job decided not to send a request. Paused:
 * the gateway asked to wait.
 */
export type RunEnd = "stored" | "unsettled" | "early" | "unfinished" | "paused" | GatewayError;

export interface JobRunnerDependencies {
  readonly clock: Clock;
  readonly table: Pick<JobTable, "plan">;
  readonly readings: ReadingStore;
  readonly throttling: Throttling;
  readonly dispatcher: Pick<Dispatcher, "further">;
  readonly intervals: Intervals;
}

export function createJobRunner(dependencies: JobRunnerDependencies): JobRunner {
  const { clock, table, readings, intervals } = dependencies;
  const discovered = createDiscoveredTargets(readings);
  /** The identities of the account that got an answer: their secret is right. */
  const worked = new Set<string>();

  async function run(job: Job, group: JobGroup, release: Release, signal: AbortSignal): Promise<RunEnd> {
    const { endpoint, id, name } = job;
    // A paid run keeps its permit until it ends, because only then is the budget of the next run known.
    const first = group.isPaid ? () => {} : release;
    const lastsMs = group.isPaid ? Infinity : PERMIT_LASTS_MS;
    const permits = createRunPermits(endpoint, id, { release: first, lastsMs }, dependencies);
    const [requestedAtMs, started] = [clock.now(), clock.monotonic()];
    const before = readings.status(id);
    const ended = (outcome: Partial<RunOutcome>) => {
      const { failure, cause, warning, concealedLabels = 0, isUnanswered = false } = outcome;
      const durationMs = clock.monotonic() - started;
      const whole = { durationMs, failure, cause, warning, concealedLabels, isUnanswered };
      if (before) group.reporter.ended(job, whole, before);
    };
    readings.update(id, { lastAttemptMs: requestedAtMs });
    let isPartial = false;
    try {
      const client = table.plan.gateway.clientFor({ endpoint, id, name, permits, signal });
      const result = await Promise.race([job.run(client, requestedAtMs), abortOf(signal)]);
      // The answer may have come just before the run was aborted.
      signal.throwIfAborted();
      if (!result) return "unfinished";
      if (result.isEarly) return early(job);
      const asked = [requestedAtMs, started] as const;
      if (result.discovered) {
        const reading = readingOf(job, group, intervals, requestedAtMs, result.computedAtMs);
        const answer = { reading, requestedAt: started, signal };
        const refused = await discovered.store(job, result.discovered, answer);
        if (refused > 0) group.reporter.refused(job, refused);
      }
      isPartial = result.failure !== undefined;
      if (result.failure) throw result.failure;
      const end = store(job, group, result, asked);
      ended(result);
      return end;
    } catch (error) {
      if (signal.aborted) return "unfinished";
      if (error instanceof PausedError) {
        group.reporter.paused(job);
        return "paused";
      }
      const failure = asFailure(job, error);
      const cause = causeOf(failure, { endpoint, doesSecretWork: worked.has(job.identity) });
      ended({ failure, cause });
      const why = { reason: failure.kind, message: failure.message, cause };
      fail(job, why, requestedAtMs);
      if (!isPartial) await discovered.fail(job, why, signal);
      return failure;
    } finally {
      permits.close();
      if (group.isPaid) release();
    }
  }

  /** Nothing was asked, so it is no success; former values may be about what is not configured any more. */
  function early({ id }: Job): "early" {
    readings.update(id, { attempted: true });
    readings.withdraw(id);
    return "early";
  }

  /** `asked`: when the run began, by both clocks. */
  function store(
    job: Job,
    group: JobGroup,
    result: Result,
    [requestedAtMs, requestedAt]: readonly [number, number],
  ): "stored" | "unsettled" {
    const { value, samples, computedAtMs, warning } = result;
    const reading = { value, ...readingOf(job, group, intervals, requestedAtMs, computedAtMs) };
    const hasRoom = readings.store(job.id, reading, samples, requestedAt);
    if (!hasRoom) group.reporter.refused(job, samples.length);
    if (job.endpoint !== "key") worked.add(job.identity);
    const isSettled = !hasRoom || readings.isWhole(job.id);
    readings.update(job.id, {
      up: true,
      unauthorized: false,
      attempted: true,
      failure: undefined,
      warning,
      lastSuccessMs: requestedAtMs,
      ...(isSettled && { lastAnswerMs: requestedAtMs }),
    });
    return isSettled ? "stored" : "unsettled";
  }

  function fail(job: Job, failure: Failure, requestedAtMs: number): void {
    const isRefused = failure.reason === "bad_request";
    readings.update(job.id, {
      up: false,
      attempted: true,
      failure,
      ...(failure.reason === "unauthorized" && { unauthorized: true }),
      // The next tick asks again, however rarely the target is polled.
      lastAnswerMs: isRefused ? requestedAtMs : undefined,
    });
    // If the service rejects the request itself, the last good values are withdrawn as well.
    if (isRefused) readings.withdraw(job.id);
  }

  function describe(job: Job): void {
    const status: TargetStatus | undefined = readings.status(job.id);
    if (status) readings.describe(job.id, [...job.constants, ...job.describe(status)]);
  }

  return { run, describe, describeDiscovered: discovered.describe, release: discovered.release };
}

/** When an answer was requested, and how long it may be shown. */
function readingOf(
  job: Job,
  group: JobGroup,
  intervals: Intervals,
  requestedAtMs: number,
  computedAtMs = requestedAtMs,
): Omit<Reading, "value"> {
  return {
    requestedAtMs,
    asOfMs: Math.min(requestedAtMs, computedAtMs),
    timeToLiveMs: Math.max(intervals.ownLifeMs(group.name), INTERVALS_TO_LIVE * job.minIntervalMs),
    groupLife: intervals.lifeOf(group.name),
  };
}

function asFailure(job: Job, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const why = error instanceof Error ? error.message : inspect(error);
  return new GatewayError("bad_response", `Cannot use the answer about ${job.title}: ${why}`, {
    cause: error,
  });
}

/** Rejects when the signal is aborted, so that an obsolete run delays nothing. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * The runs in progress, including those of earlier plans. `onEnd` is called for each run that has ended, whatever its
 * outcome.
 */
export function createActiveRuns(runner: JobRunner, onEnd: (job: Job, run: Run, end: RunEnd) => void) {
  const runs = new Set<Run>();
  return {
    /** Begins a run of a job with its first permit. */
    begin: (entry: Entry, release: Release): void => {
      const { job, group } = entry;
      const aborter = new AbortController();
      const abort = () => aborter.abort(new Error("The exporter stops, or its configuration has changed"));
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const run: Run = { isRepeated: false, abort, ended };
      // Registered before it begins, because the job may become due during its first synchronous steps.
      entry.run = run;
      runs.add(run);
      void runner.run(job, group, release, aborter.signal).then((end) => {
        runs.delete(run);
        onEnd(job, run, end);
        resolve();
      });
    },
    /** Aborts the runs that match and waits until they have ended. */
    abort: async (matches: (run: Run) => boolean): Promise<void> => {
      const matching = [...runs].filter(matches);
      for (const run of matching) run.abort();
      await Promise.all(matching.map(({ ended }) => ended));
    },
    get isEmpty() {
      return runs.size === 0;
    },
  };
}
