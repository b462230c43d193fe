import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../exporter/gateway/errors.ts";
import {
  afterFirst,
  ANSWER,
  COMPLETE,
  createProbeBench,
  FIRST,
  heldAnswers,
  MINUTE,
  probe,
  probing,
} from "./probe-bench.ts";

const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");

describe("probes: the spend guard", () => {
  test("skips runs beyond the ceiling until midnight", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: 0.1 } });
    bench.start();
    await bench.clock.advance(6 * FIRST);
    expect(bench.calls).toHaveLength(3);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(3);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    expect(bench.logged()).toEqual([
      `Probe "a" is not run: its maximum cost would exceed the day's ceiling (probe_spend.max_cost_per_day); run it less often, or raise the ceiling`,
    ]);
    await bench.clock.advanceTo(MIDNIGHT - 1);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    await bench.clock.advanceTo(MIDNIGHT + 90_000 - 1);
    expect(bench.value("spend_day_credits")).toBeUndefined();
    expect(bench.calls).toHaveLength(3);
    // The probe was due at midnight, before the spend of the new day was known.
    await bench.clock.advance(30_001);
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.calls).toHaveLength(4);
    expect(bench.value('skipped_total{probe="a",reason="spend_unknown"}')).toBe(1);
  });

  test.each<[string, () => object]>([
    ["succeeds", () => ANSWER],
    ["fails", () => Promise.reject(new GatewayError("network", "No connection"))],
    ["is skipped", () => ({ ...ANSWER, usage: { cost: 0.3 } })],
  ])("the only connection is free again when a run %s", async (_, transcribe) => {
    const bench = createProbeBench(probing(probe("a"), probe("b")), { connections: 1 });
    bench.script.transcribe = (name) => (name === "a" ? transcribe() : ANSWER);
    bench.start();
    await bench.clock.advance(FIRST);
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: 0 } });
    await bench.clock.advance(14 * 60 * MINUTE);
    expect(bench.calls.slice(-2)).toEqual(["a", "b"]);
  });

  test("shows the maximum cost of each run as soon as it begins", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b"), probe("c"), probe("d")));
    const answers = heldAnswers();
    bench.script.transcribe = answers.transcribe;
    bench.start();
    await bench.clock.advance(FIRST - 1);
    const before = bench.changes.count;
    await bench.clock.advance(1);
    expect(bench.changes.count).toBeGreaterThanOrEqual(before + 3);
    expect(bench.calls).toEqual(["a", "b", "c"]);
    expect(bench.value('skipped_total{probe="d",reason="spend_limit"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    answers.release();
    await bench.clock.advance(0);
    expect(bench.value("spend_day_credits")).toBe(0.03);
  });

  test("reserves the cost of the most expensive run if that exceeded the maximum", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: 0.16 } });
    bench.start();
    await bench.clock.advance(2 * FIRST);
    expect(bench.calls).toHaveLength(1);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
    expect(bench.logged()[0]).toBe(
      'Probe "a" cost 0.16 credits, more than probe_spend.max_cost_per_probe, 0.1; from now on that much is reserved for each run',
    );
  });

  test("remembers the most expensive run, not the last one", async () => {
    const bench = createProbeBench(probing(probe("a")));
    const costs = [0.12, 0.07];
    bench.script.transcribe = () => ({ ...ANSWER, usage: { cost: costs.shift() } });
    bench.start();
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toHaveLength(2);
    expect(bench.value("spend_day_credits")).toBe(0.19);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
  });
});

describe("probes: before the spend of the day is known", () => {
  test("a run is postponed, and begins once the spend is known", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b", { key: "others" })));
    let isReadable = false;
    bench.script.readKey = (key) =>
      isReadable || key === "ears"
        ? { data: { usage: 9, usage_daily: key === "ears" ? 0.05 : 0.02 } }
        : Promise.reject(new GatewayError("forbidden", "Not allowed", { status: 403 }));
    bench.start();
    await bench.clock.advance(20 * MINUTE + 1);
    expect(bench.calls).toEqual([]);
    expect(bench.value('skipped_total{probe="a",reason="spend_unknown"}')).toBe(2);
    expect([bench.value("spend_day_credits"), bench.probes.spentToday()]).toEqual([undefined, undefined]);
    expect(bench.logged()).toEqual([
      'Probe "a" is postponed until the spend of the day is known',
      'Probe "b" is postponed until the spend of the day is known',
    ]);
    isReadable = true;
    await bench.clock.advance(MINUTE);
    expect(bench.calls.toSorted()).toEqual(["a", "b"]);
    expect(bench.value("spend_day_credits")).toBe(0.09);
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });

  test("the keys are polled when their readings are complete, and then every 60 s until the spend is known", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b", { key: "others" })));
    let isReadable = false;
    bench.script.readKey = (key) =>
      isReadable || key === "ears"
        ? { data: { usage: 0, usage_daily: 0.05 } }
        : Promise.reject(new GatewayError("forbidden", "Not allowed", { status: 403 }));
    bench.start();
    await bench.clock.advance(COMPLETE + 2.5 * MINUTE);
    isReadable = true;
    await bench.clock.advance(10 * MINUTE);
    const readAfter = (wanted: string) =>
      bench.keysRead.flatMap(({ name, afterMs }) => (name === wanted ? [afterMs] : []));
    expect(readAfter("ears")).toEqual([0, COMPLETE]);
    expect(readAfter("others")).toEqual([0, ...[0, 1, 2, 3].map((minutes) => COMPLETE + minutes * MINUTE)]);
  });

  test("a probe that is postponed twice, also right before the spend becomes known, runs once", async () => {
    const every = { kind: "interval", ms: 340_000 } as const;
    const bench = createProbeBench(probing(probe("a", { schedule: every })), {
      start: "2026-11-18T23:50:00Z",
    });
    bench.script.readKey = () => Promise.reject(new GatewayError("forbidden", "Not allowed"));
    bench.start();
    await bench.clock.advanceTo(MIDNIGHT);
    expect([bench.calls, bench.value('skipped_total{probe="a",reason="spend_unknown"}')]).toEqual([[], 1]);
    bench.script.readKey = () => ({ data: { usage: 0, usage_daily: 0 } });
    // The second tick is 10 s before the new day settles.
    await bench.clock.advanceTo(MIDNIGHT + 90_000 + MINUTE);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('skipped_total{probe="a",reason="running"}')).toBe(0);
  });

  test("the spend stays unknown when a clock that was a day slow at the start is set", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.readKey = () => ({ data: { usage: 9, usage_daily: 0.3 } });
    bench.start();
    bench.clock.set(MIDNIGHT + 12 * 60 * MINUTE);
    expect(bench.probes.spentToday()).toBeUndefined();
    await bench.clock.advance(2 * FIRST);
    expect([bench.calls, bench.probes.spentToday()]).toEqual([[], 0.3]);
  });

  test("without an answer of the new day the spend stays unknown after midnight", async () => {
    const bench = createProbeBench(probing(probe("a")), { start: "2026-11-18T23:45:00Z" });
    bench.script.readKey = () => Promise.reject(new GatewayError("forbidden", "Not allowed"));
    bench.start();
    await bench.clock.advanceTo(MIDNIGHT + FIRST);
    expect([bench.calls, bench.probes.spentToday()]).toEqual([[], undefined]);
  });

  test("an answer of the new day makes it known, even if it does not report today's usage", async () => {
    const bench = createProbeBench(probing(probe("a")), { start: "2026-11-18T23:45:00Z" });
    bench.script.readKey = () => ({ data: { usage: 9 } });
    bench.start();
    await bench.clock.advanceTo(MIDNIGHT - 1);
    expect([bench.calls, bench.value('skipped_total{probe="a",reason="spend_unknown"}')]).toEqual([[], 1]);
    await bench.clock.advance(2 * MINUTE);
    expect([bench.calls, bench.probes.spentToday()]).toEqual([["a"], 0.01]);
  });

  test("a run that waits for a connection while another payer is configured sends nothing", async () => {
    const bench = createProbeBench(probing(probe("z"), probe("a")), { connections: 1 });
    const answers = heldAnswers();
    bench.script.transcribe = answers.transcribe;
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual(["z"]);
    bench.script.readKey = () => Promise.reject(new GatewayError("forbidden", "Not allowed"));
    await bench.apply(probing(probe("z"), probe("a"), probe("b", { key: "others" })));
    answers.release();
    await bench.clock.advance(0);
    expect(bench.calls).toEqual(["z"]);
    expect(bench.value('skipped_total{probe="a",reason="spend_unknown"}')).toBe(1);
  });

  test("a payer that is added by a reload is polled at once", async () => {
    const bench = await afterFirst();
    await bench.apply(probing(probe("a"), probe("b", { key: "others" })));
    await bench.clock.advance(0);
    expect(bench.keysRead.at(-1)).toEqual({ name: "others", afterMs: FIRST });
    expect(bench.value("spend_day_credits")).toBe(0.01);
  });

  test("an answer that does not report today's usage leaves the spend unknown, which is logged once", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.readKey = () => ({ data: { usage: 9 } });
    bench.start();
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toEqual([]);
    expect(bench.logged()).toEqual([
      `Probes wait until the spend of the day is known: the gateway does not report today's usage of key "ears"`,
      'Probe "a" is postponed until the spend of the day is known',
    ]);
  });

  test("keys that have used up the ceiling prevent every run, as after a restart", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.readKey = () => ({ data: { usage: 9, usage_daily: 0.21 } });
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual([]);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.21);
  });

  test("the first reading after the start does not make the spend known", async () => {
    const bench = createProbeBench(probing(probe("a", { schedule: { kind: "interval", ms: MINUTE } })));
    const used = [0, 0.3];
    bench.script.readKey = () => ({ data: { usage: 0, usage_daily: used.shift() } });
    bench.start();
    await bench.clock.advance(COMPLETE - 1);
    expect(bench.value("spend_day_credits")).toBeUndefined();
    await bench.clock.advance(1);
    expect(bench.value("spend_day_credits")).toBe(0.3);
    expect(bench.calls).toEqual([]);
  });
});
