import { describe, expect, test } from "vitest";
import { type FailureReason, GatewayError, PausedError } from "../../../exporter/gateway/errors.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import type { Result } from "../../../exporter/schedule/job.ts";
import { createEventLog } from "../../../exporter/schedule/event-log.ts";
import { createJobRunner } from "../../../exporter/schedule/job-runner.ts";
import { createPollReporters } from "../../../exporter/schedule/poll-reporter.ts";
import { createRefusals } from "../../../exporter/schedule/refusals.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { createManualClock } from "../../support/clock.ts";
import { createRecordingLog } from "../../support/log.ts";
import { createFakeGateway } from "./fake-gateway.ts";
import { result, testGroup, testJob } from "./test-jobs.ts";

const MINUTE = 60_000;

interface Options {
  readonly seriesLimit?: number;
  readonly minIntervalMs?: number;
}

/** A runner with the reporter of polls, and one job whose effective interval is a minute. */
function setUp({ seriesLimit = 100, minIntervalMs = 0 }: Options = {}) {
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
      get: () => undefined,
    },
    refusals: createRefusals(clock, { maxPauseMs: () => MINUTE, targetsOf: () => 3 }),
    dispatcher: { further: () => Promise.reject(new Error("Not used here")) },
    intervals: {
      of: () => MINUTE,
      at: () => MINUTE,
      began: () => {},
      lifeOf: () => ({ timeToLiveMs: 3 * MINUTE }),
    },
  });
  const group = testGroup({
    reporter: createPollReporters(registry, log, createEventLog(log, clock))("key"),
  });
  const aborter = new AbortController();
  const released: string[] = [];
  readings.configure("key/a", "the same");
  const run = (answer: () => Promise<Result | undefined>) =>
    runner.run(testJob("a", { run: answer, minIntervalMs }), group, () => released.push("released"), aborter);
  /** The counters that are not 0. */
  const counted = async () =>
    (await registry.render("text"))
      .toString()
      .split("\n")
      .filter((line) => /^aigateway_exporter_(polls|poll_failures|refused).* [1-9]\d*$/.test(line))
      .map((line) => line.slice("aigateway_exporter_".length));
  return {
    clock,
    readings,
    runner,
    run,
    released,
    counted,
    lines,
    abort: () => aborter.abort(new Error("Stop")),
    isShown: () => readings.shown("key/a") !== undefined,
    status: () => readings.status("key/a"),
    logged: () =>
      lines.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level}: ${message}`),
  };
}

const good = () => Promise.resolve(result(1));
const bad = (reason: FailureReason) => () =>
  Promise.reject(new GatewayError(reason, `Cannot read key "a": ${reason}`));

describe("createJobRunner()", () => {
  test("a good answer is kept and counted", async () => {
    const { clock, run, isShown, status, counted, released } = setUp();
    expect(await run(good)).toBe("learnt");
    const nowMs = clock.now();
    expect(isShown()).toBe(true);
    expect(status()).toMatchObject({
      up: true,
      unauthorized: false,
      attempted: true,
      failure: undefined,
      lastAttemptMs: nowMs,
      lastSuccessMs: nowMs,
      lastAnswerMs: nowMs,
    });
    expect(await counted()).toEqual(['polls_total{collector="key"} 1']);
    expect(released).toEqual(["released"]);
  });

  test("a failure is reported at once, and the last good values stay for three intervals", async () => {
    const { clock, run, isShown, status, counted } = setUp();
    await run(good);
    await clock.advance(MINUTE);
    const failure = await run(bad("network"));
    expect(failure).toMatchObject({ kind: "network" });
    expect([status()?.up, isShown()]).toEqual([false, true]);
    expect(status()?.failure).toEqual({ reason: "network", message: 'Cannot read key "a": network' });
    await clock.advance(2 * MINUTE - 1);
    expect(isShown()).toBe(true);
    await clock.advance(1);
    expect(isShown()).toBe(false);
    expect(await counted()).toEqual([
      'polls_total{collector="key"} 2',
      'poll_failures_total{collector="key",reason="network"} 1',
    ]);
  });

  test("values of a job with a longer minimum interval stay for three of those", async () => {
    const { clock, run, isShown } = setUp({ minIntervalMs: 60 * MINUTE });
    await run(good);
    await clock.advance(180 * MINUTE - 1);
    expect(isShown()).toBe(true);
    await clock.advance(1);
    expect(isShown()).toBe(false);
  });

  test("an answer counts from the time when the service computed it, if that precedes the request", async () => {
    const { clock, readings, run } = setUp();
    const computedAtMs = clock.now() - 5000;
    await run(() => Promise.resolve({ ...result(1), computedAtMs }));
    expect(readings.latest("key/a")).toMatchObject({ askedAtMs: clock.now(), asOfMs: computedAtMs });
    await run(() => Promise.resolve({ ...result(1), computedAtMs: clock.now() + 5000 }));
    expect(readings.latest("key/a")?.asOfMs).toBe(clock.now());
  });

  test("an answer counts from the beginning of its run", async () => {
    const { clock, readings, run } = setUp();
    const day = windowAt("day", clock.now());
    clock.set(day.endMs - 1000);
    const ending = run(() => clock.sleep(120_000).then(() => result(1, windowAt("day", day.endMs))));
    await clock.advance(120_000);
    await ending;
    expect(readings.isWhole("key/a")).toBe(false);
  });

  test.each<[FailureReason, boolean | undefined]>([
    ["unauthorized", true],
    ["forbidden", undefined],
    ["timeout", undefined],
  ])("a first answer of %s leaves unauthorized at %s", async (reason, expected) => {
    const { run, status } = setUp();
    await run(bad(reason));
    expect(status()).toMatchObject({ up: false, unauthorized: expected, attempted: true });
  });

  test("unauthorized stays through other failures until a success", async () => {
    const { run, status } = setUp();
    await run(bad("unauthorized"));
    await run(bad("network"));
    expect(status()?.unauthorized).toBe(true);
    await run(good);
    expect(status()?.unauthorized).toBe(false);
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

  test("a requested pause counts neither as a poll nor as a failure", async () => {
    const { run, isShown, status, counted, released } = setUp();
    await run(good);
    expect(await run(() => Promise.reject(new PausedError("key/a")))).toBe("paused");
    expect([isShown(), status()?.up]).toEqual([true, true]);
    expect(await counted()).toEqual(['polls_total{collector="key"} 1']);
    expect(released).toHaveLength(2);
  });

  test("a job that sends no request does not count as a poll, and returns its permit", async () => {
    const { run, status, counted, released } = setUp();
    expect(await run(() => Promise.resolve(undefined))).toBe("unfinished");
    expect([status()?.attempted, await counted(), released]).toEqual([false, [], ["released"]]);
  });

  test("an answer beyond the series limit is refused, counted and logged", async () => {
    const { run, isShown, status, counted, logged } = setUp({ seriesLimit: 0 });
    await run(good);
    expect([isShown(), status()?.up]).toEqual([false, true]);
    expect(await counted()).toContain('refused_answers_total{collector="key"} 1');
    expect(logged()).toEqual(['error: Cannot show key "a": series_limit is reached']);
  });

  test.each<[string, () => Promise<Result>]>([
    ["never answers", () => Promise.withResolvers<Result>().promise],
    ["fails", () => Promise.reject(new Error("Aborted"))],
    ["is answered", good],
  ])("an aborted run that %s is neither stored, counted nor logged", async (_, answer) => {
    const { run, abort, isShown, status, counted, lines, released } = setUp();
    const running = run(answer);
    abort();
    expect(await running).toBe("unfinished");
    expect([isShown(), status()?.attempted, await counted(), lines, released]).toEqual([
      false,
      false,
      [],
      [],
      ["released"],
    ]);
  });

  test("describe() shows the outcome and the constants of a configured target", () => {
    const { readings, runner } = setUp();
    const [constant] = result(1).samples;
    const described = result(2).samples;
    const job = { constants: constant ? [constant] : [], describe: () => described };
    runner.describe(testJob("a", job));
    runner.describe(testJob("nobody", job));
    expect([readings.series, readings.ids()]).toEqual([2, ["key/a"]]);
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
    expect(lines[0]?.fields).toEqual({
      collector: "key",
      target: "key/a",
      reason: "network",
      status: undefined,
    });
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

  test("counters begin at 0, and durations are observed", async () => {
    const clock = createManualClock();
    const registry = createSelfRegistry(clock);
    const { log } = createRecordingLog();
    const text = async () => (await registry.render("text")).toString();
    const reporter = createPollReporters(registry, log, createEventLog(log, clock))("key");
    expect(await text()).toContain('aigateway_exporter_polls_total{collector="key"} 0');
    expect(await text()).toContain('poll_failures_total{collector="key",reason="rate_limited"} 0');
    expect(await text()).toContain('poll_duration_seconds_count{collector="key"} 0');
    reporter.ended(
      testJob("a"),
      { durationMs: 1500, failure: undefined, warning: undefined, concealedLabels: 0 },
      BEFORE,
    );
    expect(await text()).toContain('poll_duration_seconds_sum{collector="key"} 1.5');
  });
});

const BEFORE = {
  up: undefined,
  unauthorized: undefined,
  lastAttemptMs: undefined,
  attempted: false,
  lastSuccessMs: undefined,
  lastAnswerMs: undefined,
  failure: undefined,
  warning: undefined,
};

const NO_LIMITS = { perMinute: { key: 0, analytics: 0, account: 0, transcription: 0 }, connections: 4 };
