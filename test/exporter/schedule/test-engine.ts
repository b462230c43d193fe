import { Secret } from "../../../exporter/secrets/secret.ts";
import type { GatewayClient, Caller, Gateway } from "../../../exporter/gateway/port.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createEngine } from "../../../exporter/schedule/engine.ts";
import type { Job, Result, Reporter, JobGroup, Plan } from "../../../exporter/schedule/job.ts";
import type { Window } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";
import { type Family, gauge, sample } from "../../../exporter/metrics/family.ts";
import { ANY_VALUE } from "../../support/fake-readings.ts";
import { type FailureReason, GatewayError } from "../../../exporter/gateway/errors.ts";
import type { Clock } from "../../../exporter/time/clock.ts";
import { askWithPermit, NO_ANSWERS } from "../../support/fake-client.ts";
import type { KeyInformation } from "../../../exporter/gateway/account.ts";

export interface TestEngineOptions {
  readonly start?: string;
  readonly groups?: readonly JobGroup[];
  /** Requests per minute of the endpoint `key`. */
  readonly perMinute?: number;
  readonly connections?: number;
  readonly random?: () => number;
}

/** An engine that has not started, over a scripted gateway and real readings. Answers are good and immediate until changed. */
export function createTestEngine(options: TestEngineOptions = {}) {
  const { start = "2026-11-18T12:00:00Z", groups = [], random = () => 0 } = options;
  const clock = createManualClock(start);
  const readings = createReadings(clock, createPacking(), () => 1000);
  const answers = new Map<string, Answer>();
  const newGateway = () => createFakeGateway(clock, (name) => answers.get(name) ?? { credits: 1 });
  const gateway = newGateway();
  const limits = {
    perMinute: { key: options.perMinute ?? 0, analytics: 0, account: 0, transcription: 0 },
    connections: options.connections ?? 8,
    maxPauseMs: 300_000,
  };
  const plan: Plan = { gateway, limits, groups };
  const engine = createEngine(plan, { clock, random, log: silentLog, readings });
  /** The requests since the previous call, with their times in seconds since the clock began. */
  const taken = (from: FakeGateway = gateway) =>
    from.requests.splice(0).map(([name, at]): [string, number] => [name, at / 1000]);
  return {
    clock,
    readings,
    gateway,
    newGateway,
    plan,
    engine,
    answers,
    taken,
    begin: () => engine.start(() => {}),
    /** The times of a target's requests since the previous call, in seconds. */
    times: () => taken().map(([, at]) => at),
    names: () => taken().map(([name]) => name),
    apply: (change: Partial<Plan>) => engine.apply({ ...plan, ...change }),
    /** The credits that are shown of a target. */
    shown: (name: string) => shownCredits(readings.shown(targetId("key", name))?.value),
    latest: (name: string) => shownCredits(readings.latest(targetId("key", name))?.value),
    status: (name: string) => readings.status(targetId("key", name)),
  };
}

/** An engine that has polled each target once, and then lets time pass. */
export async function createStartedEngine(
  names: readonly string[],
  options: { perMinute?: number; connections?: number } = {},
) {
  const own = createTestEngine({ ...options, groups: [askingGroup(names)] });
  own.begin();
  await own.clock.advance(10_000);
  own.taken();
  return own;
}

/** A job that sends a number of requests in sequence, and keeps the last answer. */
export function askingJob(
  name: string,
  change: Partial<Job> & { readonly windowOf?: (requestedAtMs: number) => Window } = {},
): Job {
  const { windowOf, ...changed } = change;
  const job = testJob(name, changed);
  const run = async (client: GatewayClient, requestedAtMs: number): Promise<Result> => {
    for (let count = 1; count < job.requests; count++) await client.currentKey(SECRET);
    const { usage } = await client.currentKey(SECRET);
    return creditsOf(usage.total ?? 0, windowOf?.(requestedAtMs));
  };
  return { ...job, run: changed.run ?? run };
}

/** A group of such jobs. */
export function askingGroup(names: readonly string[], change: Partial<JobGroup> = {}): JobGroup {
  return testGroup({ jobs: names.map((name) => askingJob(name)), ...change });
}

/** A reporter that records its calls. */
export function createRecordingReporter() {
  const reports: string[] = [];
  const reporter: Reporter = {
    ended: ({ name }, { failure }) => void reports.push(`${name} ended: ${failure?.kind ?? "good"}`),
    refused: ({ name }) => void reports.push(`${name} refused`),
    paused: ({ name }) => void reports.push(`${name} paused`),
    missed: ({ name }, why) => void reports.push(`${name} missed: ${why}`),
  };
  return { reporter, reports };
}

function creditsOf(credits: number, window?: Window): Result {
  const { samples, value } = result(credits, window);
  return { samples, value: value?.kind === "probe" ? { ...value, durationMs: credits } : value };
}

/** Stores the credits in a field that any kind of value has. */
function shownCredits(value: Result["value"] | undefined): number | undefined {
  return value?.kind === "probe" ? value.durationMs : undefined;
}

const SECRET = { origin: "the test", read: () => Promise.resolve(new Secret("sk-test-0123456789")) };

/** A job of the endpoint `key`. By default it succeeds at once without a request. */
export function testJob(name: string, change: Partial<Job> = {}): Job {
  return {
    id: targetId("key", name),
    title: `key "${name}"`,
    name,
    endpoint: "key",
    requests: 1,
    minIntervalMs: 0,
    identity: "the same",
    fingerprint: "the same",
    constants: [],
    run: () => Promise.resolve(result(1)),
    describe: () => [],
    ...change,
  };
}

export function testGroup(change: Partial<JobGroup> = {}): JobGroup {
  return {
    name: "key",
    expression: { kind: "interval", ms: 60_000 },
    jobs: [],
    reporter: silentReporter,
    isPaid: false,
    ...change,
  };
}

/** The result of a run: one sample, of a window if given. */
export function result(credits: number, window?: Window): Result {
  return { value: ANY_VALUE, samples: sample(creditsFamily, { key: "a" }, credits, window) };
}

const silentReporter: Reporter = { ended() {}, refused() {}, paused() {} };

const creditsFamily: Family<"key"> = gauge({
  name: "aigateway_test_credits",
  help: "Test.",
  labels: ["key"],
  absent: "never",
});

/** The outcome of one request. `ms` is its duration. */
export type Answer = { readonly ms?: number; readonly credits: number } | Refusal | "never";

interface Refusal {
  readonly ms?: number;
  readonly failure: FailureReason;
  readonly retryAfterMs?: number;
}

export interface FakeGateway extends Gateway {
  /** The targets of the requests, with their times in milliseconds of the monotonic clock. */
  readonly requests: [name: string, at: number][];
  readonly underWay: number;
}

/** A gateway with scripted answers, without a network. It waits for permits like the adapter. */
export function createFakeGateway(clock: Clock, answerTo: (name: string) => Answer): FakeGateway {
  const requests: [string, number][] = [];
  let underWay = 0;

  async function currentKey({ name, signal }: Caller): Promise<KeyInformation> {
    requests.push([name, clock.monotonic()]);
    underWay++;
    try {
      const answer = answerTo(name);
      await (answer === "never" ? endOf(signal) : clock.sleep(answer.ms ?? 0, signal));
      if (answer === "never") throw signal.reason;
      if ("failure" in answer) throw failed(name, answer);
      return keyInformation({ usage: { ...keyInformation().usage, total: answer.credits } });
    } finally {
      underWay--;
    }
  }

  return {
    requests,
    get underWay() {
      return underWay;
    },
    clientFor: (caller) => ({
      ...NO_ANSWERS,
      currentKey: () => askWithPermit(caller, () => currentKey(caller)),
    }),
    close: () => Promise.resolve(),
  };
}

function failed(name: string, { failure, retryAfterMs }: Refusal): GatewayError {
  return new GatewayError(failure, `Cannot read key "${name}"`, { status: STATUS[failure], retryAfterMs });
}

/** The other failures are without an answer. */
const STATUS: Partial<Record<FailureReason, number>> = {
  unauthorized: 401,
  rate_limited: 429,
  upstream_error: 503,
};

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** An answer about a key of which only these fields are known: a new field concerns no test that does not name it. */
function keyInformation(known: Partial<KeyInformation> = {}): KeyInformation {
  return {
    label: undefined,
    limitCredits: undefined,
    limitReset: undefined,
    remainingCredits: undefined,
    byokInLimit: undefined,
    usage: NO_SPEND,
    byokUsage: NO_SPEND,
    freeTier: undefined,
    expiresAtMs: undefined,
    freeRequests: { limit: undefined, used: undefined, remaining: undefined },
    ...known,
  };
}

const NO_SPEND = { total: undefined, day: undefined, week: undefined, month: undefined };
