import { describe, expect, test } from "vitest";
import type { ProbeConfig } from "../../../exporter/config/config.ts";
import {
  afterFirst,
  ANSWER,
  createProbeBench,
  FIRST,
  MINUTE,
  probe,
  probing,
  unreadable,
} from "./probe-bench.ts";

describe("createProber: a reload", () => {
  test("keeps the spend, the values and the place in the schedule", async () => {
    const bench = await afterFirst();
    await bench.clock.advance(9 * MINUTE);
    bench.adopt(probing(probe("a"), probe("b")));
    expect(bench.value("spend_day_credits")).toBe(0.01);
    expect(bench.value('success{probe="a"}')).toBe(1);
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "a"]);
    await bench.clock.advance(9 * MINUTE);
    expect(bench.calls).toEqual(["a", "a", "b"]);
  });

  test("withdraws a probe that is gone, and keeps what it has spent", async () => {
    const bench = await afterFirst(probe("a"), probe("b"));
    bench.adopt(probing(probe("b")));
    expect(bench.store.visible("probe/a")).toEqual([]);
    expect(bench.probesShown()).toEqual(new Set(["b"]));
    expect(bench.value("spend_day_credits")).toBe(0.02);
    bench.adopt(undefined);
    expect(bench.store.visible("probe/b")).toEqual([]);
    expect(bench.store.visible("probe-spend")).toEqual([]);
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toEqual(["a", "b"]);
  });

  test.each<Partial<ProbeConfig>>([
    { model: "acme/other" },
    { key: "others" },
    { upload: "multipart" },
    { responseFormat: "json" },
    { expectedText: "one two three" },
    { expectedLanguage: "en" },
    { audio: unreadable("another") },
  ])("withdraws the values of a probe that asks something else, and keeps its counts: %j", async (change) => {
    const bench = await afterFirst();
    bench.adopt(probing(probe("a", change)));
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('last_run_timestamp_seconds{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
  });

  test("does not show what a run brings that was begun before, for another question or for nobody", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b")));
    const answers: (() => void)[] = [];
    bench.script.transcribe = () => new Promise((resolve) => answers.push(() => resolve(ANSWER)));
    bench.prober.start();
    await bench.clock.advance(FIRST);
    bench.adopt(probing(probe("a", { model: "acme/other" })));
    for (const answer of answers) answer();
    await bench.clock.advance(0);
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.store.visible("probe/b")).toEqual([]);
    expect(bench.value("spend_day_credits")).toBe(0.02);
  });

  test("takes a new schedule at once, and another gateway's values for its own", async () => {
    const bench = await afterFirst();
    bench.adopt(probing(probe("a", { schedule: { kind: "interval", ms: MINUTE } })));
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "a"]);
    bench.prober.stop();
    expect(bench.value('success{probe="a"}')).toBe(1);
    bench.create("http://two");
    expect(bench.value('success{probe="a"}')).toBeUndefined();
  });
});
