import { describe, expect, test } from "vitest";
import type { ProbeConfig } from "../../../exporter/config/config.ts";
import { onAbort } from "../../../exporter/time/clock.ts";
import { secretSource } from "../../support/gateway-client.ts";
import {
  afterFirst,
  ANSWER,
  createProbeBench,
  FIRST,
  heldAnswers,
  MINUTE,
  probe,
  probeTarget,
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
    expect([bench.names(), bench.readings.ids(), bench.probes.spentToday()]).toEqual([
      new Set(),
      [],
      undefined,
    ]);
    await bench.clock.advance(3 * FIRST);
    expect(bench.calls).toEqual(["a", "b"]);
  });

  test.each<[string, Partial<ProbeConfig>]>([
    ["model", { model: "acme/other" }],
    ["key", { key: "others" }],
    ["secret", { secret: { ...secretSource("sk-two"), origin: "another place" } }],
    ["upload", { upload: "multipart" }],
    ["response format", { responseFormat: "json" }],
    ["expected text", { expectedText: "one two three" }],
    ["expected language", { expectedLanguage: "en" }],
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

  test("withdraws the values of another gateway, and keeps the counts", async () => {
    const bench = await afterFirst();
    await bench.apply(probing(probe("a")), "http://two");
    expect(bench.value('success{probe="a"}')).toBeUndefined();
    expect(bench.value('runs_total{probe="a"}')).toBe(1);
    expect(bench.value("spend_day_credits")).toBe(0.01);
  });

  test("follows another schedule at once, and keeps the values", async () => {
    const bench = await afterFirst();
    await bench.apply(probing(probe("a", { schedule: { kind: "interval", ms: MINUTE } })));
    expect(bench.value('success{probe="a"}')).toBe(1);
    expect(bench.value('interval_seconds{probe="a"}')).toBe(60);
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["a", "a"]);
  });

  test("applies other limits to the next run", async () => {
    const bench = await afterFirst();
    await bench.apply({ ...probing(probe("a")), ceilingCredits: 0.1 });
    expect(bench.value("spend_day_limit_credits")).toBe(0.1);
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('skipped_total{probe="a",reason="spend_limit"}')).toBe(1);
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

  test("keeps a run whose request has not changed, and describes the new configuration when it ends", async () => {
    const bench = createProbeBench(probing(probe("a")));
    const answers = heldAnswers();
    bench.script.transcribe = answers.transcribe;
    bench.start();
    await bench.clock.advance(FIRST);
    await bench.apply(
      probing(probe("a", { maxWordErrorRate: 0.5, schedule: { kind: "interval", ms: MINUTE } })),
    );
    answers.release();
    await bench.clock.advance(0);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value('success{probe="a"}')).toBe(1);
    expect(bench.value('word_error_limit_ratio{probe="a"}')).toBe(0.5);
    expect(bench.value('interval_seconds{probe="a"}')).toBe(60);
  });

  test("a probe that waits for a connection and is removed never transcribes and spends nothing", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b")), { connections: 1 });
    const answers = heldAnswers();
    bench.script.transcribe = answers.transcribe;
    bench.start();
    await bench.clock.advance(FIRST);
    expect(bench.calls).toEqual(["a"]);
    await bench.apply(probing(probe("a")));
    answers.release();
    await bench.clock.advance(9 * MINUTE);
    expect(bench.calls).toEqual(["a"]);
    expect(bench.value("spend_day_credits")).toBe(0.01);
  });

  test("a probe that reads its audio and is removed never transcribes", async () => {
    const audio = Promise.withResolvers<{ readonly bytes: Buffer; readonly fault: undefined }>();
    const slow = { origin: "a slow disk", format: "wav", read: () => audio.promise };
    const bench = createProbeBench(probing(probe("a", { audio: slow }), probe("b")), { connections: 1 });
    bench.start();
    await bench.clock.advance(FIRST);
    await bench.apply(probing(probe("b")));
    audio.resolve({ bytes: Buffer.from("RIFF"), fault: undefined });
    await bench.clock.advance(0);
    expect(bench.calls).toEqual(["b"]);
    expect(bench.readings.ids()).not.toContain(probeTarget("a"));
  });

  test("a postponed probe that is removed and added again waits for its next tick", async () => {
    const bench = createProbeBench(probing(probe("a"), probe("b")));
    bench.script.readKey = () => ({ data: { usage: 0 } });
    bench.start();
    await bench.clock.advance(FIRST);
    await bench.apply(probing(probe("b")));
    await bench.apply(probing(probe("a"), probe("b")));
    bench.script.readKey = () => ({ data: { usage: 0, usage_daily: 0 } });
    bench.script.transcribe = () => ANSWER;
    await bench.clock.advance(MINUTE);
    expect(bench.calls).toEqual(["b"]);
  });
});
