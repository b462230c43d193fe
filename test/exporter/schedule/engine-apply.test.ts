import { describe, expect, test } from "vitest";
import type { Job, Result } from "../../../exporter/schedule/job.ts";
import type { Plan } from "../../../exporter/schedule/plan.ts";
import {
  askingGroup,
  askingJob,
  createRecordingReporter,
  createStartedEngine,
  createTestEngine,
} from "./test-engine.ts";
import { result, testGroup, testJob } from "./test-jobs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOURLY = { kind: "interval", ms: HOUR } as const;

describe("engine.apply(), an unchanged job", () => {
  test("keeps its readings and its place, and is not polled again", async () => {
    const { clock, apply, taken, shown } = await createStartedEngine(["a", "b"]);
    await clock.advance(55_000);
    await apply({ groups: [askingGroup(["b", "a"])] });
    expect([shown("a"), shown("b")]).toEqual([1, 1]);
    await clock.advance(50_000);
    expect(taken().map(([, at]) => at)).toEqual([75, 105]);
  });

  test("keeps its run in progress", async () => {
    const { clock, apply, engine, times, answers, shown } = await createStartedEngine(["a"]);
    answers.set("a", { ms: 5000, credits: 2 });
    engine.ask("key/a");
    await clock.advance(1000);
    await apply({ groups: [askingGroup(["a"])] });
    await clock.advance(5000);
    expect([times(), shown("a")]).toEqual([[10], 2]);
  });

  test("keeps its early retry", async () => {
    const { clock, begin, apply, times, answers } = createTestEngine({
      groups: [askingGroup(["a"], { expression: HOURLY })],
    });
    answers.set("a", { failure: "network" });
    begin();
    await clock.advance(1000);
    await apply({ groups: [askingGroup(["a"], { expression: HOURLY })] });
    await clock.advance(5000);
    expect(times()).toEqual([0, 5]);
  });

  test("that waits for a permit runs once", async () => {
    const { clock, begin, apply, names } = createTestEngine({
      groups: [askingGroup(["a", "b", "c"])],
      perMinute: 60,
    });
    begin();
    await apply({ groups: [askingGroup(["a", "b", "c"])] });
    await clock.advance(10_000);
    expect(names().toSorted()).toEqual(["a", "b", "c"]);
  });

  test("is described by the current configuration when its run ends", async () => {
    const described: string[] = [];
    const job = (version: string, run: () => Promise<Result>) =>
      testJob("a", {
        run,
        describe: () => {
          described.push(version);
          return [];
        },
      });
    const answer = Promise.withResolvers<Result>();
    const run = () => answer.promise;
    const { clock, begin, apply } = createTestEngine({ groups: [testGroup({ jobs: [job("old", run)] })] });
    begin();
    await apply({ groups: [testGroup({ jobs: [job("new", run)] })] });
    described.length = 0;
    answer.resolve(result(1));
    await clock.advance(0);
    expect(described).toEqual(["new"]);
  });

  test("is polled at once when its schedule has changed, because the next tick may be far away", async () => {
    const { clock, apply, times } = await createStartedEngine(["a"]);
    await apply({ groups: [askingGroup(["a"], { expression: { kind: "interval", ms: 24 * HOUR } })] });
    await clock.advance(HOUR);
    expect(times()).toEqual([10]);
  });

  test("that is paid does not run when its schedule has changed", async () => {
    const paid = { name: "probe", isPaid: true };
    const { clock, begin, apply, times } = createTestEngine({ groups: [askingGroup(["a"], paid)] });
    begin();
    await apply({ groups: [askingGroup(["a"], { ...paid, expression: HOURLY })] });
    await clock.advance(30 * MINUTE);
    expect(times()).toEqual([]);
  });
});

describe("engine.apply(), a changed job", () => {
  test("with another fingerprint is polled again and keeps its values until the answer", async () => {
    const { clock, apply, taken, answers, shown } = await createStartedEngine(["a", "b"]);
    answers.set("a", { ms: 1000, credits: 2 });
    await apply(changed({ fingerprint: "another" }));
    await clock.advance(999);
    expect([taken(), shown("a")]).toEqual([[["a", 10]], 1]);
    await clock.advance(1);
    expect(shown("a")).toBe(2);
  });

  test("that no longer shows a part of the secret withdraws its values at once, and keeps the reading", async () => {
    const { clock, begin, apply, shown, latest, answers, engine } = createTestEngine({
      groups: [testGroup({ jobs: [askingJob("a", { isRevealing: true, fingerprint: "shows" })] })],
    });
    begin();
    await clock.advance(0);
    answers.set("a", { failure: "upstream_error" });
    await apply({ groups: [testGroup({ jobs: [askingJob("a", { isRevealing: false })] })] });
    await clock.advance(0);
    expect([shown("a"), latest("a")]).toEqual([undefined, 1]);
    await engine.stop();
  });

  test("with another fingerprint drops the answer of the run in progress", async () => {
    const { clock, apply, engine, taken, answers, shown } = await createStartedEngine(["a", "b"]);
    answers.set("a", { ms: 5000, credits: 2 });
    engine.ask("key/a");
    await clock.advance(1000);
    answers.set("a", { ms: 10_000, credits: 3 });
    await apply(changed({ fingerprint: "another" }));
    await clock.advance(9999);
    expect([taken(), shown("a")]).toEqual([
      [
        ["a", 10],
        ["a", 11],
      ],
      1,
    ]);
    await clock.advance(1);
    expect(shown("a")).toBe(3);
  });

  test("with another identity withdraws everything at once, from budgets as well", async () => {
    const { clock, apply, answers, shown, latest, status } = await createStartedEngine(["a", "b"]);
    answers.set("a", "never");
    const applied = apply(changed({ identity: "another" }));
    expect([shown("a"), latest("a"), status("a")?.up]).toEqual([undefined, undefined, undefined]);
    expect([shown("b"), latest("b")]).toEqual([1, 1]);
    await applied;
    await clock.advance(1000);
    expect(latest("a")).toBeUndefined();
  });

  test("never shows an answer of another identity, however close to the change", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const answer = Promise.withResolvers<Result>();
      const late = testJob("a", { run: () => answer.promise });
      const { clock, begin, apply, latest, readings } = createTestEngine({
        groups: [testGroup({ jobs: [late] })],
      });
      begin();
      await clock.advance(0);
      answer.resolve(result(1));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const applied = apply({
        groups: [testGroup({ jobs: [testJob("a", { identity: "another", run: neverEnding })] })],
      });
      expect(latest("a")).toBeUndefined();
      await applied;
      await clock.advance(1000);
      expect([turns, readings.latest("key/a"), readings.status("key/a")?.up]).toEqual([
        turns,
        undefined,
        undefined,
      ]);
    }
  });

  test("with the same identity continues to rest, with another one it does not", async () => {
    const { clock, apply, engine, taken, answers } = await createStartedEngine(["a", "b"]);
    answers.set("a", { failure: "rate_limited", retryAfterMs: 30_000 });
    engine.ask("key/a");
    await clock.advance(1000);
    taken();
    await apply(changed({ fingerprint: "another" }));
    await clock.advance(10_000);
    expect(taken()).toEqual([]);
    await apply(changed({ fingerprint: "another", identity: "another" }));
    await clock.advance(0);
    expect(taken()).toEqual([["a", 21]]);
  });
});

describe("engine.apply(), jobs that come and go", () => {
  test("a new job runs at once", async () => {
    const { clock, apply, taken } = await createStartedEngine(["a"]);
    await apply({ groups: [askingGroup(["a", "c"])] });
    await clock.advance(0);
    expect(taken()).toEqual([["c", 10]]);
  });

  test("a removed job is forgotten at once, and its run aborted without a report", async () => {
    const { reporter, reports } = createRecordingReporter();
    const { clock, begin, apply, gateway, answers, status, latest } = createTestEngine({
      groups: [askingGroup(["a"], { reporter })],
    });
    answers.set("a", "never");
    begin();
    await clock.advance(1000);
    await apply({ groups: [] });
    expect([status("a"), latest("a"), gateway.underWay, reports]).toEqual([undefined, undefined, 0, []]);
  });

  test("a job that waits for a connection and is removed never runs", async () => {
    const { clock, begin, apply, engine, names, answers } = createTestEngine({
      groups: [askingGroup(["a"]), askingGroup(["paid"], { name: "probe", isPaid: true })],
      connections: 1,
    });
    answers.set("a", { ms: 5000, credits: 1 });
    begin();
    await clock.advance(1000);
    engine.ask("key/paid");
    await clock.advance(1000);
    await apply({ groups: [askingGroup(["a"])] });
    await clock.advance(10 * MINUTE);
    expect(new Set(names())).toEqual(new Set(["a"]));
  });

  test("a job that waits and is removed does not use the rate", async () => {
    const { clock, begin, apply, taken } = createTestEngine({
      groups: [askingGroup(["a", "b"])],
      perMinute: 60,
    });
    begin();
    await clock.advance(500);
    const [[first] = [""]] = taken();
    await apply({ groups: [askingGroup([first, "c"])] });
    await clock.advance(10_000);
    expect(taken()).toEqual([["c", 1]]);
  });

  test("a job that rests, waits for a retry or for a tick and is removed never runs", async () => {
    const { clock, apply, engine, taken, answers } = await createStartedEngine(["a", "b", "c"]);
    answers.set("a", { failure: "rate_limited", retryAfterMs: 20_000 });
    engine.ask("key/a");
    await clock.advance(51_000);
    taken();
    await apply({ groups: [] });
    await clock.advance(HOUR);
    expect([taken(), clock.pending().length]).toEqual([[], 1]);
  });

  test("sends no request before the start; the start runs the new jobs", async () => {
    const { clock, begin, apply, names, status } = createTestEngine({ groups: [askingGroup(["a"])] });
    await apply({ groups: [askingGroup(["b"])] });
    await clock.advance(10 * MINUTE);
    expect([names(), status("a")]).toEqual([[], undefined]);
    begin();
    await clock.advance(0);
    expect(names()).toEqual(["b"]);
  });
});

describe("engine.apply(), another gateway", () => {
  test("aborts and repeats runs in progress, while idle jobs wait for their tick", async () => {
    const { clock, apply, engine, gateway, newGateway, taken, answers, shown } = await createStartedEngine([
      "a",
      "b",
    ]);
    const next = newGateway();
    answers.set("a", { ms: 5000, credits: 2 });
    engine.ask("key/a");
    await clock.advance(1000);
    taken();
    await apply({ gateway: next });
    expect(gateway.underWay).toBe(0);
    await clock.advance(5000);
    expect([taken(), taken(next), shown("a")]).toEqual([[], [["a", 11]], 2]);
    await clock.advance(2 * MINUTE);
    expect(taken()).toEqual([]);
    expect(taken(next).length).toBeGreaterThan(2);
  });

  test("the previous client does not send the second request of a run", async () => {
    const jobs = [askingJob("a", { requests: 2 })];
    const { clock, begin, apply, newGateway, taken, answers } = createTestEngine({
      groups: [testGroup({ jobs })],
    });
    const next = newGateway();
    answers.set("a", { ms: 5000, credits: 1 });
    begin();
    await clock.advance(4999);
    const applied = apply({ gateway: next, groups: [testGroup({ jobs })] });
    await clock.advance(20_000);
    await applied;
    expect([taken(), taken(next).map(([, at]) => at)]).toEqual([[["a", 0]], [4.999, 9.999]]);
  });

  test("jobs that wait for a permit use the new client", async () => {
    const { clock, begin, apply, newGateway, taken } = createTestEngine({
      groups: [askingGroup(["a", "b", "c"])],
      perMinute: 60,
    });
    const next = newGateway();
    begin();
    await clock.advance(500);
    await apply({ gateway: next, groups: [askingGroup(["a", "b", "c"])] });
    await clock.advance(5000);
    expect([taken().length, taken(next).length]).toEqual([1, 2]);
  });

  test("a pause by the previous gateway ends when every job has another identity", async () => {
    const names = ["a", "b", "c", "d"];
    const { clock, begin, apply, newGateway, taken, answers } = createTestEngine({
      groups: [askingGroup(names, { expression: HOURLY })],
      connections: 1,
    });
    for (const name of names) answers.set(name, { failure: "rate_limited", retryAfterMs: 200_000 });
    begin();
    await clock.advance(1000);
    answers.clear();
    const jobs = names.map((name) => askingJob(name, { identity: "another" }));
    const next = newGateway();
    await apply({ gateway: next, groups: [testGroup({ jobs, expression: HOURLY })] });
    await clock.advance(0);
    expect(taken(next)).toHaveLength(4);
  });
});

/** A plan of two jobs, the first of which is changed. */
function changed(change: Partial<Job>): Pick<Plan, "groups"> {
  return { groups: [testGroup({ jobs: [askingJob("a", change), askingJob("b")] })] };
}

function neverEnding(): Promise<Result> {
  return Promise.withResolvers<Result>().promise;
}
