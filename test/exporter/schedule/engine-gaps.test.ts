import { describe, expect, test } from "vitest";
import type { ScheduleExpression } from "../../../exporter/time/ticker.ts";
import {
  askingGroup,
  createStartedEngine,
  createTestEngine,
  result,
  testGroup,
  testJob,
  askingJob,
} from "./test-engine.ts";
import type { Result } from "../../../exporter/schedule/job.ts";
import { unpack } from "../../../exporter/metrics/render/block.ts";
import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import { sample } from "../../../exporter/metrics/family.ts";

const MINUTE = 60_000;
const START_S = Date.UTC(2026, 10, 18, 12) / 1000;

interface Load {
  readonly keys: number;
  readonly perMinute?: number;
  readonly connections?: number;
  readonly latencyMs?: number;
  readonly expression?: ScheduleExpression;
}

const EVERY_MINUTE: ScheduleExpression = { kind: "cron", expression: "* * * * *" };

/** The longest gap between two polls of a key in twenty minutes, and by how much gaps exceed the gauge at their end, in seconds. */
async function gapsOf(load: Load) {
  const { keys, perMinute = 0, connections = 8, latencyMs = 0, expression = EVERY_MINUTE } = load;
  const names = Array.from({ length: keys }, (_, index) => `key-${index}`);
  const own = createTestEngine({ groups: [askingGroup(names, { expression })], perMinute, connections });
  for (const name of names) own.answers.set(name, { ms: latencyMs, credits: 1 });
  own.begin();
  await own.clock.advance(10 * MINUTE);
  own.taken();
  const last = new Map<string, number>();
  let beyond = 0;
  let longest = 0;
  let gauge = 0;
  for (let second = 0; second < 1200; second++) {
    await own.clock.advance(1000);
    const gaugeMs = own.engine.intervalMs("key");
    gauge = gaugeMs / 1000;
    for (const [name, at] of own.taken()) {
      const before = last.get(name);
      last.set(name, at);
      if (before === undefined) continue;
      longest = Math.max(longest, at - before);
      beyond = Math.max(beyond, at - before - gaugeMs / 1000);
    }
  }
  // The manual clock adds up fractions of milliseconds.
  return { beyond: Math.round(beyond * 1000) / 1000, longest, gauge };
}

describe("the effective interval is at least every real gap", () => {
  test.each<Load>([
    { keys: 1 },
    { keys: 59, perMinute: 60 },
    { keys: 100, perMinute: 60 },
    { keys: 100, connections: 1, latencyMs: 700 },
    { keys: 7, connections: 1, latencyMs: 900, expression: { kind: "interval", ms: 5000 } },
    { keys: 10, expression: { kind: "cron", expression: "*/7 * * * *" } },
  ])("%j", async (load) => {
    const gaps = await gapsOf(load);
    expect(gaps.beyond).toBeLessThanOrEqual(0);
    // Nor is the gauge far beyond what really happens.
    expect(gaps.gauge).toBeLessThanOrEqual(Math.ceil(gaps.longest) + 1);
  });
});

test("a job that lacks answers of other jobs runs again soon, less and less often, until it has them", async () => {
  const runs: number[] = [];
  const own = createTestEngine();
  const job = testJob("late", {
    run: () => {
      runs.push(Math.round(own.clock.now() / 1000) - START_S);
      const isEarly = runs.length < 4;
      return Promise.resolve(isEarly ? { samples: [], isEarly } : result(1));
    },
  });
  await own.apply({ groups: [testGroup({ jobs: [job], expression: { kind: "interval", ms: 300_000 } })] });
  own.begin();
  await own.clock.advance(200_000);
  expect(runs).toEqual([0, 5, 15, 35]);
  expect(own.status("late")).toMatchObject({ up: true, attempted: true });
});

test("a run that lacks answers of other jobs is no success, and withdraws what was shown", async () => {
  let isEarly = true;
  const own = createTestEngine();
  const job = testJob("late", {
    run: () => Promise.resolve(isEarly ? { samples: [], isEarly } : result(1)),
  });
  await own.apply({ groups: [testGroup({ jobs: [job], expression: { kind: "interval", ms: 60_000 } })] });
  own.begin();
  await own.clock.advance(1000);
  expect(own.status("late")).toMatchObject({ up: undefined, attempted: true, lastSuccessMs: undefined });
  isEarly = false;
  await own.clock.advance(9000);
  const { lastSuccessMs } = own.status("late") ?? {};
  expect([own.shown("late"), lastSuccessMs]).toEqual([0, expect.any(Number)]);
  isEarly = true;
  await own.clock.advance(120_000);
  expect([own.shown("late"), own.status("late")?.lastSuccessMs]).toEqual([undefined, lastSuccessMs]);
});

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
});

/** A key whose description shows whether it is up, as that of the collector does. */
function keyJob(name: string) {
  return askingJob(name, { describe: ({ up }) => sample(keyFamilies.up, { key: name }, up) });
}

/** Two keys that are polled every minute, after the first poll. */
async function setUp() {
  const jobs = ["a", "b"].map(keyJob);
  const own = createTestEngine({ groups: [testGroup({ jobs })], connections: 1 });
  const upShown = (name: string) =>
    own.readings
      .view()
      .blocks.flatMap(unpack)
      .find(({ family, labels }) => family === keyFamilies.up && labels === `key="${name}"`)?.value;
  const ups = () => {
    own.engine.expire();
    return [upShown("a"), own.status("a")?.up];
  };
  own.begin();
  await own.clock.advance(10_000);
  return { ...own, ups };
}

describe("a target that is not polled within its time to live is not up", () => {
  test("while another one holds the only connection, and is up again after the next poll", async () => {
    const { clock, answers, ups, readings, status } = await setUp();
    expect(ups()).toEqual([1, true]);
    answers.set("b", { ms: 6 * MINUTE, credits: 1 });
    await clock.advance(2 * MINUTE);
    const asked = status("a")?.lastSuccessMs ?? 0;
    await clock.advanceTo(asked + 3 * MINUTE - 5001);
    expect([...ups(), readings.shown("key/a") !== undefined]).toEqual([1, true, true]);
    await clock.advanceTo(asked + 3 * MINUTE);
    expect(ups()).toEqual([0, false]);
    expect(status("a")).toMatchObject({ failure: undefined, lastSuccessMs: asked });
    answers.set("b", { credits: 1 });
    await clock.advanceTo(asked + 8 * MINUTE);
    expect(ups()).toEqual([1, true]);
  });

  test("a step of the clock is no time without a poll", async () => {
    const { clock, ups } = await setUp();
    clock.set(clock.now() + 60 * MINUTE);
    expect(ups()).toEqual([1, true]);
  });
});
