import { GatewayError, PausedError } from "../gateway/errors.ts";
import type { Gateway } from "../gateway/port.ts";
import type { ReadingStore, TargetStatus } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";
import type { Dispatcher, Release } from "./dispatcher.ts";
import type { Job, Result } from "./job.ts";
import type { JobGroup } from "./plan.ts";
import type { Refusals } from "./refusals.ts";
import { createRunPermits } from "./run-permits.ts";

/** Runs one job with its first permit and keeps what comes of it. A failure ends here. */
export interface JobRunner {
  /** Never rejects. Nothing is kept or reported once the signal is aborted. */
  run(job: Job, group: JobGroup, release: Release, signal: AbortSignal): Promise<RunEnd>;
  /** Shows what is known of a target besides its reading. */
  describe(job: Job): void;
}

/** How a run ended; unfinished: it was aborted, the gateway asked to wait, or the job decided not to ask. */
export type RunEnd = "learnt" | "unfinished" | GatewayError;

export interface JobRunnerDependencies {
  readonly clock: Clock;
  readonly gateway: () => Gateway;
  readonly readings: ReadingStore;
  readonly refusals: Refusals;
  readonly dispatcher: Pick<Dispatcher, "further">;
  readonly timeToLiveMs: (job: Job, group: JobGroup) => number;
}

export function createJobRunner(dependencies: JobRunnerDependencies): JobRunner {
  const { clock, gateway, readings, refusals, dispatcher, timeToLiveMs } = dependencies;

  async function run(job: Job, group: JobGroup, release: Release, signal: AbortSignal): Promise<RunEnd> {
    const { endpoint, id, name } = job;
    // A paid run keeps its permit until it has ended: only then is known what the next one may spend.
    const early = group.isPaid ? () => {} : release;
    const permits = createRunPermits(endpoint, id, early, { dispatcher, refusals });
    const [askedAtMs, started] = [clock.now(), clock.monotonic()];
    const before = readings.status(id);
    const ended = (failure?: GatewayError, warning?: string) => {
      if (before)
        group.reporter.ended(job, { durationMs: clock.monotonic() - started, failure, warning }, before);
    };
    readings.update(id, { lastAttemptMs: askedAtMs });
    try {
      const client = gateway().clientFor({ endpoint, name, permits, signal });
      const result = await orAborted(job.run(client, askedAtMs), signal);
      if (!result) return "unfinished";
      learn(job, group, result, askedAtMs);
      ended(undefined, result.warning);
      return "learnt";
    } catch (error) {
      if (signal.aborted) return "unfinished";
      if (error instanceof PausedError) {
        group.reporter.paused(job);
        return "unfinished";
      }
      const failure = asFailure(job, error);
      ended(failure);
      fail(job, failure, askedAtMs);
      return failure;
    } finally {
      permits.close();
      release();
      if (!signal.aborted) describe(job);
    }
  }

  function learn(job: Job, group: JobGroup, result: Result, askedAtMs: number): void {
    const { value, samples, spend = [], computedAtMs = askedAtMs, warning } = result;
    readings.update(job.id, {
      up: true,
      unauthorized: false,
      attempted: true,
      failure: undefined,
      warning,
      lastSuccessMs: askedAtMs,
      lastAnswerMs: askedAtMs,
    });
    const asOfMs = Math.min(askedAtMs, computedAtMs);
    const reading = { value, askedAtMs, asOfMs, timeToLiveMs: timeToLiveMs(job, group), spend };
    if (!readings.learn(job.id, reading, samples)) group.reporter.refused(job, samples.length);
  }

  function fail(job: Job, { kind, message }: GatewayError, askedAtMs: number): void {
    const isRefused = kind === "bad_request";
    readings.update(job.id, {
      up: false,
      attempted: true,
      failure: { reason: kind, message },
      ...(kind === "unauthorized" && { unauthorized: true }),
      ...(isRefused && { lastAnswerMs: askedAtMs }),
    });
    // A question that the service does not answer any more has no last good value either.
    if (isRefused) readings.withdraw(job.id);
  }

  function describe(job: Job): void {
    const status: TargetStatus | undefined = readings.status(job.id);
    if (status) readings.describe(job.id, [...job.constants, ...job.describe(status)]);
  }

  return { run, describe };
}

function asFailure(job: Job, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new GatewayError("bad_response", `Cannot use the answer about ${job.title}: ${why}`, {
    cause: error,
  });
}

/** The promise, or a rejection as soon as the signal is aborted: a run that is not wanted any more holds up nothing. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
