import { describe, expect, test } from "vitest";
import { type FailureReason, GatewayError } from "../../../exporter/gateway/errors.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import type { Job, Result, DiscoveredTarget, Discovery } from "../../../exporter/schedule/job.ts";
import { createEventLog } from "../../../exporter/schedule/event-log.ts";
import { createJobRunner } from "../../../exporter/schedule/job-runner.ts";
import { createPollReporters } from "../../../exporter/schedule/poll-reporter.ts";
import { createThrottling } from "../../../exporter/schedule/throttling.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { createDiscoveredTargets } from "../../../exporter/schedule/discovered-targets.ts";
import { result, testGroup, testJob, createFakeGateway } from "./test-engine.ts";

const MINUTE = 60_000;

/** A runner with the reporter of polls, and one job whose effective interval is a minute. */
function setUp(seriesLimit = 100) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const readings = createReadings(clock, createPacking(), () => seriesLimit);
  const registry = createSelfRegistry(clock);
  const { log, lines } = createRecordingLog();
  const gateway = createFakeGateway(clock, () => ({ credits: 1 }));
  const runner = createJobRunner({
    clock,
    readings,
    table: {
      plan: { gateway, limits: { ...NO_LIMITS, maxPauseMs: MINUTE }, groups: [] },
    },
    throttling: createThrottling(clock, () => ({ ...NO_LIMITS, maxPauseMs: MINUTE })),
    dispatcher: { further: () => Promise.reject(new Error("Not used here")) },
    intervals: {
      of: () => MINUTE,
      began: () => {},
      lifeOf: () => ({ timeToLiveMs: 3 * MINUTE }),
      ownLifeMs: () => 3 * MINUTE,
    },
  });
  const group = testGroup({
    reporter: createPollReporters(registry, log, createEventLog(log, clock))("key"),
  });
  const { signal } = new AbortController();
  readings.configure("key/a", "the same");
  const run = (answer: () => Promise<Result | undefined>, change: Partial<Job> = {}) =>
    runner.run(testJob("a", { run: answer, ...change }), group, () => {}, signal);
  /** The counters that are not 0. */
  const counted = async () =>
    (await registry.parts("text")).own
      .toString()
      .split("\n")
      .filter((line) => /^aigateway_exporter_(polls|poll_failures|refused).* [1-9]\d*$/.test(line))
      .map((line) => line.slice("aigateway_exporter_".length));
  return {
    clock,
    readings,
    run,
    counted,
    lines,
    isShown: () => readings.shown("key/a") !== undefined,
    status: () => readings.status("key/a"),
    logged: () =>
      lines.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level}: ${message}`),
  };
}

const good = () => Promise.resolve(result(1));
const bad = (reason: FailureReason) => () =>
  Promise.reject(new GatewayError(reason, `Cannot read key "a": ${reason}`));
const refused = () => Promise.reject(new GatewayError("forbidden", "Cannot", { status: 403 }));

describe("createJobRunner()", () => {
  test("an answer counts from the time when the service computed it, if that precedes the request", async () => {
    const { clock, readings, run } = setUp();
    const computedAtMs = clock.now() - 5000;
    await run(() => Promise.resolve({ ...result(1), computedAtMs }));
    expect(readings.latest("key/a")).toMatchObject({ requestedAtMs: clock.now(), asOfMs: computedAtMs });
    await run(() => Promise.resolve({ ...result(1), computedAtMs: clock.now() + 5000 }));
    expect(readings.latest("key/a")?.asOfMs).toBe(clock.now());
  });

  test("a refused question has no last good value, and need not be repeated soon", async () => {
    const { clock, run, isShown, status } = setUp();
    await run(good);
    await clock.advance(1000);
    await run(bad("bad_request"));
    expect([isShown(), status()?.lastAnswerMs, status()?.lastSuccessMs]).toEqual([
      false,
      clock.now(),
      clock.now() - 1000,
    ]);
  });

  test("an answer beyond the series limit is refused, counted and logged", async () => {
    const { run, isShown, status, counted, logged } = setUp(0);
    await run(good);
    expect([isShown(), status()?.up]).toEqual([false, true]);
    expect(await counted()).toContain('refused_answers_total{collector="key"} 1');
    expect(logged()).toEqual(['error: Cannot show key "a": series_limit is reached']);
  });
});

describe("createPollReporters()", () => {
  test("logs a failure once, again when its reason changes, and when it ends", async () => {
    const { run, logged, lines } = setUp();
    for (const reason of ["network", "network", "unauthorized", "unauthorized"] as const)
      await run(bad(reason));
    await run(good);
    expect(logged()).toEqual([
      'warn: Cannot read key "a": network',
      'error: Cannot read key "a": unauthorized',
      'info: Polling key "a" works again',
    ]);
    expect(lines[0]?.fields).toMatchObject({
      collector: "key",
      target: "key/a",
      reason: "network",
      status: undefined,
      cause: "cut",
    });
  });

  test("blames the permission instead of a management key that works elsewhere", async () => {
    const { run, lines, status } = setUp();
    await run(refused, { endpoint: "account" });
    expect(status()?.failure?.cause?.name).toBe("ordinary_as_management");
    await run(good, { endpoint: "analytics" });
    await run(refused, { endpoint: "account" });
    expect(status()?.failure?.cause?.name).toBe("not_permitted");
    expect(lines.at(-1)?.fields).toMatchObject({ cause: "not_permitted" });
  });

  test("logs the unusable part of a good answer once, and again when it changes", async () => {
    const { clock, run, logged } = setUp();
    for (const warning of [
      undefined,
      "a row is odd",
      "a row is odd",
      "two are odd",
      undefined,
      "two are odd",
    ]) {
      await run(() => Promise.resolve({ ...result(1), warning }));
      await clock.advance(MINUTE);
    }
    expect(logged()).toEqual([
      'warn: Polled key "a", but a row is odd',
      'warn: Polled key "a", but two are odd',
      'warn: Polled key "a", but two are odd',
    ]);
  });
});

const NO_LIMITS = { perMinute: { key: 0, analytics: 0, account: 0, transcription: 0 }, connections: 4 };

const JOB: Job = {
  id: targetId("discovery", "default"),
  title: "the list",
  name: "default",
  endpoint: "account",
  requests: 1,
  minIntervalMs: 0,
  identity: "account",
  fingerprint: "",
  constants: [],
  run: () => Promise.reject(new Error("Not run")),
  describe: () => [],
};

function target(kind: string, hash: string, name: string): DiscoveredTarget {
  return { id: targetId(kind, hash), name, value: undefined, samples: () => [], describe: () => [] };
}

/** The targets after several lists, all of which are younger than their time to live. */
async function after(...lists: readonly (Discovery & { job?: Job })[]): Promise<readonly string[]> {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const readings = createReadings(clock, createPacking(), () => Number.POSITIVE_INFINITY);
  const discovered = createDiscoveredTargets(readings);
  const signal = new AbortController().signal;
  for (const { job = JOB, ...list } of lists) {
    const times = { requestedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs: 60_000 };
    await discovered.store(job, list, { reading: times, requestedAt: clock.monotonic(), signal });
  }
  return readings.ids();
}

test.each<[Discovery["proves"], readonly string[]]>([
  ["nothing", ["listed/two", "behind/one", "listed/new"]],
  ["expired", ["listed/two", "behind/one", "listed/new"]],
  ["all", ["listed/new"]],
])(
  "a discovered target with the name of another one of its kind replaces it in a list that proves %s",
  async (proves, ids) => {
    const before = [
      target("listed", "one", "search"),
      target("listed", "two", "batch"),
      target("behind", "one", "search"),
    ];
    const next = [target("listed", "new", "search")];
    expect(await after({ targets: before, proves: "all" }, { targets: next, proves })).toEqual(ids);
  },
);

test("a discovered target with the name of one in another list replaces it, because a new secret may be in another workspace", async () => {
  const other = { ...JOB, id: targetId("discovery", "other") };
  const before = [target("listed", "one", "mine"), target("listed", "two", "batch")];
  const next = [target("listed", "new", "mine")];
  expect(
    await after({ targets: before, proves: "all" }, { targets: next, proves: "all", job: other }),
  ).toEqual(["listed/two", "listed/new"]);
});
