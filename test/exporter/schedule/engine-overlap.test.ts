import { expect, describe, test } from "vitest";
import type { Result } from "../../../exporter/schedule/job.ts";
import { askingGroup, askingJob, createStartedEngine, createTestEngine } from "./test-engine.ts";
import { testGroup, testJob } from "./test-jobs.ts";

const HOUR = 3_600_000;

describe("engine.apply(), concurrent calls", () => {
  test("a run that never ends blocks neither apply() nor later runs", async () => {
    const stuck = testJob("stuck", { run: () => Promise.withResolvers<Result>().promise });
    const { clock, begin, apply, names } = createTestEngine({
      groups: [testGroup({ jobs: [stuck] })],
      connections: 1,
    });
    begin();
    await clock.advance(1000);
    await apply({ groups: [askingGroup(["a"])] });
    await clock.advance(0);
    expect(names()).toEqual(["a"]);
  });

  test("the last of overlapping calls wins, and each resolves", async () => {
    const { clock, apply, engine, newGateway, gateway, taken, answers, plan, status } =
      await createStartedEngine(["a", "b"]);
    const [second, third] = [newGateway(), newGateway()];
    for (const name of ["a", "d", "e"]) answers.set(name, { ms: 1000, credits: 1 });
    engine.ask("key/a");
    await clock.advance(500);
    taken();
    const limits = { ...plan.limits, connections: 1 };
    await Promise.all([
      apply({ gateway: second, groups: [askingGroup(["a", "b", "c"])] }),
      apply({ gateway: third, limits, groups: [askingGroup(["a", "d", "e"])] }),
    ]);
    expect(gateway.underWay).toBe(0);
    await clock.advance(500);
    expect(third.underWay).toBe(1);
    await clock.advance(10_000);
    expect([taken(), taken(second)]).toEqual([[], []]);
    expect(
      taken(third)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(["a", "d", "e"]);
    expect([status("b"), status("c")]).toEqual([undefined, undefined]);
  });

  test("jobs that only an earlier overlapping call has changed run as well", async () => {
    const { clock, apply, taken } = await createStartedEngine(["a", "b"]);
    const groups = [testGroup({ jobs: [askingJob("a", { fingerprint: "another" }), askingJob("b")] })];
    await Promise.all([apply({ groups }), apply({ groups })]);
    await clock.advance(0);
    expect(taken()).toEqual([["a", 10]]);
  });

  test("no run begins until all runs of earlier plans have ended", async () => {
    const names = ["a", "b", "c"];
    const { clock, begin, apply, newGateway, gateway, answers } = createTestEngine({
      groups: [askingGroup(names)],
      connections: 2,
    });
    for (const name of names) answers.set(name, "never");
    begin();
    await clock.advance(1000);
    const seen: number[] = [];
    const next = newGateway();
    const clientFor: typeof next.clientFor = (caller) => {
      seen.push(gateway.underWay);
      return next.clientFor(caller);
    };
    await Promise.all([
      apply({ groups: [askingGroup([...names, "d"])] }),
      apply({ gateway: { ...next, clientFor }, groups: [askingGroup([...names, "d"])] }),
    ]);
    await clock.advance(1000);
    expect(seen).toEqual([0, 0, 0]);
  });

  test("a stop during apply() leaves nothing running, and nothing that waits begins", async () => {
    const { clock, apply, engine, newGateway, gateway, taken, answers } = await createStartedEngine(
      ["a", "b"],
      {
        perMinute: 60,
      },
    );
    const next = newGateway();
    answers.set("a", "never");
    engine.ask("key/a");
    engine.ask("key/b");
    await clock.advance(500);
    const applied = apply({ gateway: next, groups: [askingGroup(["a", "b"])] });
    await engine.stop();
    await applied;
    await clock.advance(HOUR);
    expect([taken(next), gateway.underWay, clock.pending()]).toEqual([[], 0, []]);
  });
});
