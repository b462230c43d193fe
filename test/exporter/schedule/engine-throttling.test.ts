import { describe, expect, test } from "vitest";
import type { Result } from "../../../exporter/schedule/job.ts";
import { askingGroup, askingJob, createRecordingReporter, createTestEngine } from "./test-engine.ts";
import { result, testGroup, testJob } from "./test-jobs.ts";

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
