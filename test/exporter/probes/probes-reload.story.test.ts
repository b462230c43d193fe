import { describe, expect, test } from "vitest";
import type { ProbeConfig } from "../../../exporter/config/config.ts";
import { onAbort } from "../../../exporter/time/clock.ts";
import { secretSource } from "../../support/test-config.ts";
import {
  afterFirst,
  ANSWER,
  createProbeBench,
  FIRST,
  heldAnswers,
  MINUTE,
  probe,
  probing,
  unreadable,
} from "./probe-bench.ts";

describe("probes: a reload", () => {
  test("keeps the spend, the values and the place in the schedule", async () => {
    const bench = await afterFirst();
    await bench.clock.advance(9 * MINUTE);
    await bench.apply(probing(probe("a"), probe("b")));
    expect(bench.value("spend_day_credits")).toBe(0.01);
    expect(bench.value('success{probe="a"}')).toBe(1);
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "a"]);
    await bench.clock.advance(9 * MINUTE);
    expect(bench.calls).toEqual(["a", "a", "b"]);
  });

  test("withdraws a removed probe, and keeps its spend", async () => {
    const bench = await afterFirst(probe("a"), probe("b"));
    await bench.apply(probing(probe("b")));
    expect(bench.probesShown()).toEqual(new Set(["b"]));
    expect([bench.value("spend_day_credits"), bench.probes.record("a")]).toEqual([0.02, undefined]);
    await bench.apply(undefined);
    expect([bench.names(), bench.readings.ids(), bench.probes.spentToday()]).toEqual([new Set(), [], 0.02]);
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toEqual(["a", "b"]);
  });

  test.each<[string, Partial<ProbeConfig>]>([
    ["model", { model: "acme/other" }],
    ["secret", { secret: { ...secretSource("sk-two"), origin: "another place" } }],
    ["expected text", { expectedText: "one two three" }],
    ["audio", { audio: unreadable("another") }],
  ])("withdraws the values of a probe with another %s, and keeps its counts", async (_, change) => {
    const bench = await afterFirst();
    await bench.apply(probing(probe("a", change)));
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('last_run_timestamp_seconds{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
    await bench.clock.advance(FIRST - 1);
    expect(bench.calls).toEqual(["a"]);
  });
});

describe("probes: a reload during a run", () => {
  test("hides a late answer to a previous request or of a removed probe, but counts its cost", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b")));
    const answers = heldAnswers();
    bench.script.transcribe = () => answers.transcribe().then(() => ({ ...ANSWER, text: "something else" }));
    bench.start();
    await bench.clock.advance(FIRST);
    await bench.apply(probing(probe("a", { model: "acme/other" })));
    answers.release();
    await bench.clock.advance(0);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(0);
    expect(bench.probesShown()).toEqual(new Set(["a"]));
    expect([bench.value("spend_day_credits"), bench.logged()]).toEqual([0.02, []]);
  });

  test("counts the maximum for a request that was aborted, since it may be charged", async () => {
    const bench = createProbeBench(probing(probe("a")));
    bench.script.transcribe = (_, signal) =>
      new Promise((_resolve, reject) => onAbort(signal, () => reject(signal.reason)));
    bench.start();
    await bench.clock.advance(FIRST);
    await bench.apply(probing(probe("a", { model: "acme/other" })));
    expect(bench.value("spend_day_credits")).toBe(0.1);
    expect(bench.value('failures_total{probe="a",reason="network"}')).toBe(0);
    expect(bench.logged()).toEqual([]);
  });
});
