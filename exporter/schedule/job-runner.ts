import { inspect } from "node:util";
import { GatewayError, PausedError } from "../gateway/errors.ts";
import { PERMIT_LASTS_MS } from "../gateway/port.ts";
import { INTERVALS_TO_LIVE } from "../metrics/thresholds.ts";
import type { Reading } from "../readings/reading.ts";
import type { ReadingStore, TargetStatus } from "../readings/readings.ts";
import { type Clock, onAbort } from "../time/clock.ts";
import type { Dispatcher, Release } from "./dispatcher.ts";
import type { Intervals } from "./intervals.ts";
import type { Job, Result } from "./job.ts";
import type { JobTable } from "./job-table.ts";
import { createMembers, type Members } from "./members.ts";
import type { JobGroup } from "./plan.ts";
import type { Refusals } from "./refusals.ts";
import { createRunPermits, type FirstPermit } from "./run-permits.ts";

/** Runs one job with its first permit and stores the result. Handles every failure. */
export interface JobRunner {
  /**
   * Nothing is kept or reported once the controller is aborted. A request that the job did not await is aborted at the
   * end.
   */
  run(job: Job, group: JobGroup, release: Release, aborter: AbortController): Promise<RunEnd>;
  /** Shows the description of a target. */
  describe(job: Job): void;
  /** Removes the members of a former job that the present plan does not keep. */
  readonly release: Members["release"];
}

/**
 * How a run ended. Unsettled: the answer is too early to be trusted for all of its windows. Early: answers of
 * other jobs are missing. Unfinished: the run was aborted, or the job decided not to send a request. Paused:
 * the gateway asked to wait.
 */
export type RunEnd = "learnt" | "unsettled" | "early" | "unfinished" | "paused" | GatewayError;

export interface JobRunnerDependencies {
  readonly clock: Clock;
  readonly table: Pick<JobTable, "plan" | "get">;
  readonly readings: ReadingStore;
  readonly refusals: Refusals;
  readonly dispatcher: Pick<Dispatcher, "further">;
  readonly intervals: Intervals;
}

export function createJobRunner(dependencies: JobRunnerDependencies): JobRunner {
  const { clock, table, readings, intervals } = dependencies;
  const members = createMembers(readings);

  async function run(job: Job, group: JobGroup, release: Release, aborter: AbortController): Promise<RunEnd> {
    const { endpoint, id, name } = job;
    const { signal } = aborter;
    const permits = createRunPermits(endpoint, id, firstPermit(group, release), dependencies);
    const [askedAtMs, started] = [clock.now(), clock.monotonic()];
    const before = readings.status(id);
    const ended = (failure?: GatewayError, { warning, concealedLabels = 0 }: Partial<Result> = {}) => {
      const durationMs = clock.monotonic() - started;
      if (before) group.reporter.ended(job, { durationMs, failure, warning, concealedLabels }, before);
    };
    readings.update(id, { lastAttemptMs: askedAtMs });
    let isPartial = false;
    try {
      const client = table.plan.gateway.clientFor({ endpoint, name, permits, signal });
      const result = await orAborted(job.run(client, askedAtMs), signal);
      // The answer may have come just before the run was aborted.
      signal.throwIfAborted();
      if (!result) return "unfinished";
      if (result.isEarly) return early(job);
      const asked = [askedAtMs, started] as const;
      if (result.members) {
        const reading = readingOf(job, group, intervals, askedAtMs, result.computedAtMs);
        const answer = { reading, askedAt: started, signal };
        const refused = await members.learn(job, result.members, answer);
        if (refused > 0) group.reporter.refused(job, refused);
      }
      isPartial = result.failure !== undefined;
      if (result.failure) throw result.failure;
      const end = learn(job, group, result, asked);
      ended(undefined, result);
      return end;
    } catch (error) {
      if (signal.aborted) return "unfinished";
      if (error instanceof PausedError) {
        group.reporter.paused(job);
        return "paused";
      }
      const failure = asFailure(job, error);
      ended(failure);
      fail(job, failure, askedAtMs);
      if (!isPartial) await members.fail(job, failure, signal);
      return failure;
    } finally {
      permits.close();
      if (permits.isInUse) aborter.abort(new Error("The run has ended"));
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
  function learn(
    job: Job,
    group: JobGroup,
    result: Result,
    [askedAtMs, askedAt]: readonly [number, number],
  ): "learnt" | "unsettled" {
    const { value, samples, computedAtMs, warning } = result;
    const reading = { value, ...readingOf(job, group, intervals, askedAtMs, computedAtMs) };
    const hasRoom = readings.learn(job.id, reading, samples, askedAt);
    if (!hasRoom) group.reporter.refused(job, samples.length);
    const isSettled = !hasRoom || readings.isWhole(job.id);
    readings.update(job.id, {
      up: true,
      unauthorized: false,
      attempted: true,
      failure: undefined,
      warning,
      lastSuccessMs: askedAtMs,
      ...(isSettled && { lastAnswerMs: askedAtMs }),
    });
    return isSettled ? "learnt" : "unsettled";
  }

  function fail(job: Job, { kind, message }: GatewayError, askedAtMs: number): void {
    const isRefused = kind === "bad_request";
    readings.update(job.id, {
      up: false,
      attempted: true,
      failure: { reason: kind, message },
      ...(kind === "unauthorized" && { unauthorized: true }),
      // The next tick asks again, however rarely the target is polled.
      lastAnswerMs: isRefused ? askedAtMs : undefined,
    });
    // If the service rejects the request itself, the last good values are withdrawn as well.
    if (isRefused) readings.withdraw(job.id);
  }

  function describe(job: Job): void {
    const status: TargetStatus | undefined = readings.status(job.id);
    if (status) readings.describe(job.id, [...job.constants, ...job.describe(status)]);
  }

  readings.onLapse((id) => {
    const entry = table.get(id);
    if (entry) describe(entry.job);
    else members.describe(id);
  });
  return { run, describe, release: members.release };
}

/** When an answer was requested, and how long it may be shown. */
function readingOf(
  job: Job,
  group: JobGroup,
  intervals: Intervals,
  askedAtMs: number,
  computedAtMs = askedAtMs,
): Omit<Reading, "value"> {
  return {
    askedAtMs,
    asOfMs: Math.min(askedAtMs, computedAtMs),
    timeToLiveMs: INTERVALS_TO_LIVE * Math.max(intervals.of(group.name), job.minIntervalMs),
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

/** Rejects as soon as the signal is aborted, so that an obsolete run delays nothing. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    promise.then(
      (value) => {
        forget();
        resolve(value);
      },
      (error: unknown) => {
        forget();
        reject(error);
      },
    );
  });
}

/** A paid run keeps its permit until it ends, because only then is the budget of the next run known. */
function firstPermit({ isPaid }: JobGroup, release: Release): FirstPermit {
  return isPaid
    ? { release: () => {}, lastsMs: Number.POSITIVE_INFINITY }
    : { release, lastsMs: PERMIT_LASTS_MS };
}
