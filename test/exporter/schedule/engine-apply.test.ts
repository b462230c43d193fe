import { describe, expect, test } from "vitest";
import type { Job, Result, Plan } from "../../../exporter/schedule/job.ts";
import {
  askingGroup,
  askingJob,
  createRecordingReporter,
  createStartedEngine,
  createTestEngine,
  result,
  testGroup,
  testJob,
} from "./test-engine.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("engine.apply(), an unchanged job", () => {
  test("keeps its run in progress", async () => {
    const { clock, apply, engine, times, answers, shown } = await createStartedEngine(["a"]);
    answers.set("a", { ms: 5000, credits: 2 });
    engine.ask("key/a");
    await clock.advance(1000);
    await apply({ groups: [askingGroup(["a"])] });
    await clock.advance(5000);
    expect([times(), shown("a")]).toEqual([[10], 2]);
  });

  test("is polled at once when its schedule has changed, because the next tick may be far away", async () => {
    const { clock, apply, times } = await createStartedEngine(["a"]);
    await apply({ groups: [askingGroup(["a"], { expression: { kind: "interval", ms: 24 * HOUR } })] });
    await clock.advance(HOUR);
    expect(times()).toEqual([10]);
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
});

/** A plan of two jobs, the first of which is changed. */
function changed(change: Partial<Job>): Pick<Plan, "groups"> {
  return { groups: [testGroup({ jobs: [askingJob("a", change), askingJob("b")] })] };
}

function neverEnding(): Promise<Result> {
  return Promise.withResolvers<Result>().promise;
}
