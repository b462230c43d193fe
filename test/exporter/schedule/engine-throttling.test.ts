import { describe, expect, test } from "vitest";
import type { Result } from "../../../exporter/schedule/job.ts";
import {
  askingGroup,
  askingJob,
  createRecordingReporter,
  createTestEngine,
  result,
  testGroup,
  testJob,
} from "./test-engine.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createThrottling } from "../../../exporter/schedule/throttling.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WAITS = Promise.resolve("waits");
const HOURLY = { kind: "interval", ms: HOUR } as const;

describe("createEngine(), 429 answers", () => {
  test("targets that are always refused do not hold up the others", async () => {
    const { clock, begin, taken, answers } = createTestEngine({
      groups: [askingGroup(["a", "b", "c"])],
    });
    for (const name of ["a", "b"]) answers.set(name, { failure: "rate_limited" });
    answers.set("c", { ms: 100, credits: 1 });
    begin();
    await clock.advance(10 * MINUTE);
    const times = taken().flatMap(([name, at]) => (name === "c" ? [at] : []));
    const gaps = times.slice(2).map((at, index) => at - (times[index + 1] ?? 0));
    expect(times).toHaveLength(10);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(61);
  });

  test("a gateway that answers fewer requests than the pace gets fewer, and nearly every target keeps its values", async () => {
    const names = Array.from({ length: 200 }, (_, index) => `${index}`);
    const { clock, begin, gateway, answers, engine, shown } = createTestEngine({
      groups: [askingGroup(names)],
      perMinute: 600,
    });
    const CAPACITY = 60;
    answers.get = () => {
      const since = clock.monotonic() - MINUTE;
      const recent = gateway.requests.filter(([, at]) => at > since).length;
      return recent > CAPACITY ? { failure: "rate_limited", retryAfterMs: MINUTE } : { credits: 1 };
    };
    begin();
    await clock.advance(60 * MINUTE);
    expect(engine.intervalMs("key")).toBeGreaterThan(2 * MINUTE);
    expect(names.filter((name) => shown(name) === undefined).length).toBeLessThan(10);
  });
});

describe("createEngine(), runAll() and stop()", () => {
  test("runAll() runs every unpaid job once, and resolves when all have ended", async () => {
    const paid = askingGroup(["paid"], { name: "probe", isPaid: true });
    const { clock, engine, answers, taken } = createTestEngine({
      groups: [askingGroup(["a", "b", "c"]), paid],
      perMinute: 60,
    });
    answers.set("a", { ms: 5000, credits: 1 });
    answers.set("b", { failure: "network" });
    const all = engine.runAll().then(() => clock.monotonic());
    await clock.advance(20_000);
    expect(await Promise.race([all, WAITS])).toBeGreaterThanOrEqual(5000);
    expect(taken()).toHaveLength(3);
    await engine.stop();
    expect(clock.pending()).toEqual([]);
  });

  test("runAll() runs a job that lacks answers of other jobs once more, after these", async () => {
    const runs: string[] = [];
    const needy = (name: string, lacks: () => boolean) =>
      testJob(name, {
        run: () => {
          runs.push(name);
          return Promise.resolve(lacks() ? { samples: [], isEarly: true } : result(1));
        },
      });
    const { clock, engine, answers, status } = createTestEngine({
      groups: [
        testGroup({
          name: "needy",
          jobs: [needy("late", () => status("a")?.up !== true), needy("never", () => true)],
        }),
        askingGroup(["a"]),
      ],
    });
    answers.set("a", { ms: 5000, credits: 1 });
    const all = engine.runAll();
    await clock.advance(20_000);
    await all;
    expect(runs.toSorted()).toEqual(["late", "late", "never", "never"]);
    expect([status("late")?.up, status("never")?.up]).toEqual([true, undefined]);
    await engine.stop();
    expect(clock.pending()).toEqual([]);
  });

  test("stop() aborts all runs without a report, and leaves no timer", async () => {
    const { reporter, reports } = createRecordingReporter();
    const { clock, begin, engine, gateway, answers, taken } = createTestEngine({
      groups: [askingGroup(["a", "b", "c", "d"], { reporter })],
      perMinute: 60,
    });
    for (const name of ["a", "b"]) answers.set(name, "never");
    answers.set("c", { failure: "network" });
    begin();
    await clock.advance(2500);
    expect(taken()).toHaveLength(3);
    const before = reports.length;
    await engine.stop();
    expect([reports.length, gateway.underWay, clock.pending()]).toEqual([before, 0, []]);
    engine.ask("key/a");
    await clock.advance(24 * HOUR);
    expect(taken()).toEqual([]);
  });
});

describe("createEngine(), failing runs", () => {
  const odd: readonly [string, () => Promise<Result | undefined>][] = [
    ["null", () => Promise.reject(null)],
    ["an object without a prototype", () => Promise.reject(Object.create(null))],
    ["a text", () => Promise.reject("no")],
    [
      "an error at once",
      () => {
        throw new TypeError("A defect");
      },
    ],
  ];

  test.each(odd)("%s thrown by a job is a bad_response, and the engine continues", async (_, run) => {
    const { reporter, reports } = createRecordingReporter();
    const jobs = [testJob("odd", { run }), askingJob("good")];
    const { clock, begin, engine, shown, status } = createTestEngine({
      groups: [testGroup({ jobs, reporter, expression: HOURLY })],
      connections: 1,
    });
    begin();
    await clock.advance(1000);
    expect(status("odd")?.failure?.reason).toBe("bad_response");
    expect(status("odd")?.failure?.message).toMatch(/^Cannot use the answer about key "odd": /);
    expect([engine.isAttempted(), shown("good")]).toEqual([true, 1]);
    await clock.advance(4000);
    expect(reports.filter((report) => report.startsWith("odd"))).toEqual([
      "odd ended: bad_response",
      "odd ended: bad_response",
    ]);
    await engine.stop();
  });
});

describe("createEngine(), paid jobs", () => {
  test("run at the ticks of their schedule only", async () => {
    const { clock, begin, times, answers } = createTestEngine({
      start: "2026-11-18T23:59:00Z",
      groups: [paidGroup(["a"])],
    });
    answers.set("a", { failure: "network" });
    begin();
    await clock.advance(4 * MINUTE);
    expect(times()).toEqual([60, 120, 180, 240]);
  });

  test("miss a tick that comes while they run", async () => {
    const { reporter, reports } = createRecordingReporter();
    const { clock, begin, times, answers } = createTestEngine({ groups: [paidGroup(["a"], reporter)] });
    answers.set("a", { ms: 100_000, credits: 1 });
    begin();
    await clock.advance(4 * MINUTE);
    expect(reports).toEqual(["a missed: running", "a ended: good", "a missed: running"]);
    expect(times()).toEqual([60, 180]);
  });
});

function paidGroup(names: readonly string[], reporter = createRecordingReporter().reporter) {
  return askingGroup(names, { isPaid: true, reporter });
}

const A: TargetId = "key/a";

function setUp(keyPerMinute = 160) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const perMinute = { key: keyPerMinute, analytics: 10, account: 0, transcription: 0 };
  const throttling = createThrottling(clock, () => ({ maxPauseMs: 5 * MINUTE, perMinute }));
  const refuse = (id: TargetId, retryAfterMs?: number) =>
    throttling.answered("key", id, { answered: true, throttled: true, retryAfterMs });
  /** Twenty answers within a minute, some of which are refusals. */
  const minute = async (refused: number) => {
    await clock.advance(MINUTE);
    for (let index = 0; index < 20; index++)
      throttling.answered("key", targetId("key", `${index}`), { answered: true, throttled: index < refused });
    return throttling.perMinute("key");
  };
  return { clock, throttling, refuse, minute, until: () => throttling.throttledUntil().get("key") };
}

describe("createThrottling(), rests", () => {
  test("a refused target rests as long as the gateway asks, and others do not", async () => {
    const { clock, throttling, refuse, until } = setUp();
    refuse(A, 30_000);
    expect([throttling.restMs(A), throttling.restMs("key/b")]).toEqual([30_000, 0]);
    expect(until()).toBe(clock.now() + 30_000);
    // A step of the wall clock neither shortens nor prolongs a rest.
    clock.set(clock.now() - 60 * MINUTE);
    expect([throttling.restMs(A), until()]).toEqual([30_000, clock.now() + 30_000]);
    await clock.advance(30_000);
    expect([throttling.restMs(A), until()]).toEqual([0, undefined]);
  });

  test("no target rests longer than max_pause, nor without a hint, nor after it was removed", () => {
    const { throttling, refuse } = setUp();
    refuse(A, 60 * MINUTE);
    expect(throttling.restMs(A)).toBe(5 * MINUTE);
    throttling.remove(A);
    refuse("key/b");
    expect([throttling.restMs(A), throttling.restMs("key/b")]).toEqual([0, 0]);
  });
});

describe("createThrottling(), the pace", () => {
  test("falls by half while more than a fifth of the answers are refusals, and rises by a sixteenth a minute", async () => {
    const { clock, minute, throttling, until } = setUp();
    expect([await minute(4), until(), await minute(5), await minute(20)]).toEqual([160, undefined, 80, 40]);
    expect(until()).toBe(clock.now() + 12 * MINUTE);
    expect([await minute(0), await minute(4)]).toEqual([50, 60]);
    for (let count = 0; count < 9; count++) await minute(0);
    expect(await minute(0)).toBe(160);
    expect(throttling.perMinute("analytics")).toBe(10);
  });

  test("of an endpoint without a limit is limited while it refuses", async () => {
    const { minute } = setUp(0);
    expect([await minute(0), await minute(20)]).toEqual([0, 300]);
    for (let count = 0; count < 8; count++) await minute(0);
    expect(await minute(0)).toBe(0);
  });
});
