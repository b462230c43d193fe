import { describe, expect, test } from "vitest";
import type { Result } from "../../../exporter/schedule/job.ts";
import { askingGroup, askingJob, createRecordingReporter, createTestEngine } from "./test-engine.ts";
import { result, testGroup, testJob } from "./test-jobs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WAITS = Promise.resolve("waits");
const HOURLY = { kind: "interval", ms: HOUR } as const;

describe("createEngine(), an endpoint that refuses every target", () => {
  test("gets requests from one target at a time, and none during the pause", async () => {
    const { clock, begin, taken, answers, engine, status } = createTestEngine({
      groups: [askingGroup(["a", "b", "c", "d"], { expression: HOURLY })],
      connections: 1,
    });
    for (const name of ["a", "b", "c", "d"])
      answers.set(name, { failure: "rate_limited", retryAfterMs: 100_000 });
    begin();
    await clock.advance(99_000);
    // Two refusals raise the suspicion; the others are trials, one after the other.
    expect(taken().map(([, at]) => at)).toEqual([0, 0, 0, 0]);
    expect(engine.isAttempted()).toBe(true);
    for (const name of ["a", "b", "c", "d"]) answers.set(name, { credits: 1 });
    await clock.advance(1000);
    expect(taken().map(([, at]) => at)).toEqual([100, 100, 100, 100]);
    expect(["a", "b", "c", "d"].map((name) => status(name)?.up)).toEqual([true, true, true, true]);
  });

  test("a requested pause does not prolong the effective interval", async () => {
    const { clock, begin, answers, engine, shown } = createTestEngine({
      groups: [askingGroup(["a", "b", "c", "d"])],
      connections: 1,
    });
    const names = ["a", "b", "c", "d"];
    for (const name of names) answers.set(name, { failure: "rate_limited", retryAfterMs: HOUR });
    begin();
    await clock.advance(2 * HOUR);
    expect(engine.intervalMs("key")).toBe(MINUTE);
    for (const name of names) answers.set(name, { credits: 1 });
    await clock.advance(6 * MINUTE);
    expect(names.map(shown)).toEqual([1, 1, 1, 1]);
    for (const name of names) answers.set(name, "never");
    expect(engine.intervalMs("key")).toBe(MINUTE);
    await clock.advance(4 * MINUTE);
    expect(names.map(shown)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("two targets that are always refused do not pause the endpoint for the others", async () => {
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
    expect(new Set(gaps)).toEqual(new Set([60]));
  });

  test("runAll() resolves when the endpoint is paused", async () => {
    const { clock, engine, answers } = createTestEngine({
      groups: [askingGroup(["a", "b", "c", "d"])],
      connections: 1,
    });
    for (const name of ["a", "b", "c", "d"])
      answers.set(name, { failure: "rate_limited", retryAfterMs: 100_000 });
    const all = engine.runAll().then(() => clock.monotonic());
    await clock.advance(1000);
    expect(await Promise.race([all, WAITS])).toBe(0);
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

  test("runAll() resolves when there is nothing to run, and after a stop", async () => {
    const nothing = createTestEngine();
    await expect(nothing.engine.runAll()).resolves.toBeUndefined();
    const { engine, answers } = createTestEngine({ groups: [askingGroup(["a"])], perMinute: 1 });
    answers.set("a", "never");
    const all = engine.runAll();
    await engine.stop();
    await expect(all).resolves.toBeUndefined();
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

  test("stop() leaves no timer while the endpoint is paused", async () => {
    const { clock, begin, engine, answers } = createTestEngine({
      groups: [askingGroup(["a", "b", "c", "d"])],
      connections: 1,
    });
    for (const name of ["a", "b", "c", "d"])
      answers.set(name, { failure: "rate_limited", retryAfterMs: 100_000 });
    begin();
    await clock.advance(1000);
    await engine.stop();
    expect(clock.pending()).toEqual([]);
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

  test("a request that a job does not await is aborted at the end of its run", async () => {
    const dangling: Promise<unknown>[] = [];
    const job = askingJob("a", {
      run: (client) => {
        dangling.push(client.currentKey(SECRET).catch((error: unknown) => error));
        return Promise.resolve(result(1));
      },
    });
    const { clock, begin, gateway, answers } = createTestEngine({
      groups: [testGroup({ jobs: [job], expression: HOURLY })],
    });
    answers.set("a", "never");
    begin();
    await clock.advance(1000);
    expect(gateway.underWay).toBe(0);
    expect(String(await dangling[0])).toBe("Error: The run has ended");
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

  test("run when ask() is called", async () => {
    const { clock, begin, engine, times } = createTestEngine({ groups: [paidGroup(["a"])] });
    begin();
    await clock.advance(10_000);
    engine.ask("key/a");
    await clock.advance(0);
    expect(times()).toEqual([10]);
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

  test("miss a tick that comes while they rest, and do not run when the rest ends", async () => {
    const { reporter, reports } = createRecordingReporter();
    const { clock, begin, times, answers } = createTestEngine({ groups: [paidGroup(["a"], reporter)] });
    answers.set("a", { failure: "rate_limited", retryAfterMs: 100_000 });
    begin();
    await clock.advance(4 * MINUTE);
    const [refused, missed] = ["a ended: rate_limited", "a missed: paused"];
    expect(reports).toEqual([refused, missed, refused, missed]);
    expect(times()).toEqual([60, 180]);
  });
});

function paidGroup(names: readonly string[], reporter = createRecordingReporter().reporter) {
  return askingGroup(names, { isPaid: true, reporter });
}

const SECRET = { origin: "the test", read: () => Promise.reject(new Error("Not read here")) };
