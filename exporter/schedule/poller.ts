import type { Clock } from "../time/clock.ts";
import type { Collector, Statement, Target } from "../collectors/collector.ts";
import { type FailureReason, GatewayError } from "../gateway/errors.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Log } from "../log.ts";
import { selfFamilies } from "../metrics/self-families.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import type { Store } from "../readings/store.ts";
import { createCurrentPolls } from "./current-polls.ts";
import { type Pace, PausedError } from "./pace.ts";
import type { PollStatus, Statuses } from "../readings/statuses.ts";

/** Runs one collector on one target: turn, outcome, store, self-metrics. A failure ends here. */
export interface Poller {
  /**
   * Never rejects. While an earlier poll of the target still waits or runs, this is that poll; one of the target as it
   * was configured before is aborted first.
   */
  poll(collector: Collector, target: Target, timeToLiveMs: number): Promise<void>;
  /** Aborts the poll of a target that is not configured any more. */
  cancel(id: string): void;
  /** Aborts what is under way and begins nothing new. */
  stop(): void;
}

export interface PollerDependencies {
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly pace: Pace;
  readonly store: Store;
  readonly statuses: Statuses;
  readonly self: SelfRegistry;
  readonly log: Log;
  /** Told after each change of the store. */
  readonly onChange: () => void;
}

export function createPoller(dependencies: PollerDependencies): Poller {
  const { clock, gateway, pace, store, statuses, self } = dependencies;
  const polls = createCurrentPolls();
  const metrics = {
    polls: self.counter(selfFamilies.polls),
    failures: self.counter(selfFamilies.pollFailures),
    refused: self.counter(selfFamilies.refusedAnswers),
    duration: self.histogram(selfFamilies.pollDuration),
  };

  async function run(
    collector: Collector,
    target: Target,
    timeToLiveMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    // Made when there is something to say: thousands of polls may wait for their turn, and few of them say anything.
    const log = () => dependencies.log.child({ collector: collector.name, target: target.id });
    try {
      const release = await pace.reserve(collector.endpoint, target.id, signal);
      await attempt(collector, target, timeToLiveMs, log, signal).finally(release);
    } catch (error) {
      if (error instanceof PausedError) log().debug({}, error.message);
      else if (!signal.aborted) log().error({ error: String(error) }, `Cannot poll ${target.title}`);
    }
  }

  async function attempt(
    collector: Collector,
    target: Target,
    timeToLiveMs: number,
    log: () => Log,
    signal: AbortSignal,
  ): Promise<void> {
    const [askedAtMs, started] = [clock.now(), clock.monotonic()];
    const before = statuses.update(target.id, { lastAttemptMs: askedAtMs });
    try {
      const { samples, spend = [], doubt } = await target.poll(gateway, askedAtMs, signal);
      // What a reload has removed or changed meanwhile is not brought back.
      if (signal.aborted || !before || !statuses.get(target.id)) return;
      succeed(target, before, { askedAtMs, timeToLiveMs, spend }, doubt, log);
      if (!store.put(target.id, { samples, askedAtMs, timeToLiveMs })) {
        metrics.refused.inc({ collector: collector.name });
        log().error({ series: samples.length }, `Cannot show ${target.title}: series_limit is reached`);
      }
    } catch (error) {
      if (signal.aborted || error instanceof PausedError) throw error;
      if (!before || !statuses.get(target.id)) return;
      fail(collector, target, before, asFailure(target, error), log);
    }
    metrics.polls.inc({ collector: collector.name });
    metrics.duration.observe({ collector: collector.name }, (clock.monotonic() - started) / 1000);
    describeTarget(target, store, statuses);
    dependencies.onChange();
  }

  function succeed(
    target: Target,
    before: PollStatus,
    statement: Statement,
    doubt: string | undefined,
    log: () => Log,
  ): void {
    statuses.update(target.id, {
      up: true,
      unauthorized: false,
      attempted: true,
      failure: undefined,
      doubt,
      lastSuccessMs: before.lastAttemptMs,
      lastAnswerMs: before.lastAttemptMs,
      statement,
    });
    if (before.failure) log().info({ reason: before.failure.reason }, `Polling ${target.title} works again`);
    else log().debug({}, `Polled ${target.title}`);
    if (doubt !== undefined && doubt !== before.doubt) log().warn({}, `Polled ${target.title}, but ${doubt}`);
  }

  function fail(
    collector: Collector,
    target: Target,
    before: PollStatus,
    error: GatewayError,
    log: () => Log,
  ): void {
    const { kind, message, status } = error;
    const refused = kind === "bad_request";
    statuses.update(target.id, {
      up: false,
      attempted: true,
      failure: { reason: kind, message },
      ...(kind === "unauthorized" && { unauthorized: true }),
      ...(refused && { lastAnswerMs: before.lastAttemptMs }),
    });
    // A question that the service does not answer any more has no last good value either.
    if (refused) store.withdraw(target.id);
    metrics.failures.inc({ collector: collector.name, reason: kind });
    // Said once, and again only when the reason changes: a failing key would fill the log otherwise.
    const level = before.failure?.reason === kind ? "debug" : MUST_ACT.has(kind) ? "error" : "warn";
    log()[level]({ reason: kind, status }, message);
  }

  return {
    poll: (collector, target, timeToLiveMs) =>
      polls.begin(target, (signal) => run(collector, target, timeToLiveMs, signal)),
    cancel: (id) => polls.abort(id),
    stop: () => polls.stop(),
  };
}

/** Shows what is known of a target besides its answers. */
export function describeTarget(target: Target, store: Store, statuses: Statuses): void {
  const status = statuses.add(target.id);
  store.describe(target.id, [...target.constants, ...target.describe(status)]);
}

/** Reasons that pass only when somebody changes a key, a right or the configuration. */
const MUST_ACT: ReadonlySet<FailureReason> = new Set([
  "unauthorized",
  "forbidden",
  "bad_request",
  "secret_unreadable",
]);

function asFailure(target: Target, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new GatewayError("bad_response", `Cannot use the answer about ${target.title}: ${why}`, {
    cause: error,
  });
}
