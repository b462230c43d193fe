import { describe, expect, test } from "vitest";
import type { Transcription } from "../../../exporter/gateway/port.ts";
import { type ConfiguredProbe, createProbeRecords } from "../../../exporter/probes/probe-records.ts";
import type { ProbeOutcome } from "../../../exporter/probes/probe-run.ts";
import { probe } from "./probe-bench.ts";

function configured(name: string, question = "one", maxWordErrorRate = 0.25): ConfiguredProbe {
  return { probe: probe(name, { maxWordErrorRate }), payer: "ears", question, intervalMs: 60_000 };
}

function outcome(startedMs: number, change: Partial<ProbeOutcome> = {}): ProbeOutcome {
  return {
    startedMs,
    durationMs: 1,
    answer: undefined,
    wordErrorRate: undefined,
    failure: undefined,
    wasSent: true,
    audioFault: undefined,
    ...change,
  };
}

const TIMEOUT = { reason: "timeout", message: "Too late" } as const;

function answerAt(costCredits: number): Transcription {
  const usage = {
    costCredits,
    inputTokens: undefined,
    outputTokens: undefined,
    totalTokens: undefined,
    seconds: undefined,
  };
  return { text: "", usage, confidence: undefined, durationSeconds: undefined, language: undefined };
}

describe("createProbeRecords()", () => {
  test("counts runs and failures by reason, and remembers when the last run and the last success began", () => {
    const records = createProbeRecords();
    records.configure([configured("a")]);
    expect(records.addOutcome("a", "one", outcome(10))).toBe(true);
    records.addOutcome("a", "one", outcome(20, { failure: TIMEOUT }));
    records.addOutcome("a", "one", outcome(30, { failure: TIMEOUT }));
    expect(records.get("a")).toMatchObject({
      runs: 3,
      failures: new Map([["timeout", 2]]),
      lastRunMs: 30,
      lastSuccessMs: 10,
      failure: TIMEOUT,
    });
    records.addOutcome("a", "one", outcome(40));
    expect(records.get("a")).toMatchObject({ failure: undefined, lastSuccessMs: 40 });
  });

  test("remembers why the last due run did not begin, until a run ends", () => {
    const records = createProbeRecords();
    records.configure([configured("a")]);
    records.addSkip("a", "paused");
    records.addSkip("a", "running");
    records.addSkip("a", "paused");
    const skips = new Map([
      ["paused", 2],
      ["running", 1],
    ]);
    expect(records.get("a")).toMatchObject({ skips, skip: "paused" });
    records.addOutcome("a", "one", outcome(10));
    expect(records.get("a")).toMatchObject({ skips, skip: undefined });
  });

  test("remembers the highest cost, not the last one", () => {
    const records = createProbeRecords();
    records.configure([configured("a")]);
    for (const cost of [0.1, 0.3, 0.2])
      records.addOutcome("a", "one", outcome(10, { answer: answerAt(cost) }));
    records.addOutcome("a", "one", outcome(10, { failure: TIMEOUT }));
    expect(records.get("a")?.highestCostCredits).toBe(0.3);
  });

  test("an unchanged request keeps everything under another configuration", () => {
    const records = createProbeRecords();
    records.configure([configured("a")]);
    records.addOutcome("a", "one", outcome(10, { failure: TIMEOUT, answer: answerAt(0.2) }));
    const before = records.get("a");
    const next = configured("a", "one", 0.5);
    records.configure([next]);
    expect(records.get("a")).toEqual({ ...before, ...next });
    expect(records.get("a")?.probe.maxWordErrorRate).toBe(0.5);
  });

  test("a changed request keeps the counters and loses everything else", () => {
    const records = createProbeRecords();
    records.configure([configured("a")]);
    records.addOutcome("a", "one", outcome(10, { failure: TIMEOUT, answer: answerAt(0.2) }));
    records.addSkip("a", "paused");
    const counters = { runs: 1, failures: new Map([["timeout", 1]]), skips: new Map([["paused", 1]]) };
    const next = configured("a", "two");
    records.configure([next]);
    expect(records.get("a")).toEqual({
      ...next,
      ...counters,
      lastRunMs: undefined,
      lastSuccessMs: undefined,
      failure: undefined,
      skip: undefined,
      highestCostCredits: 0,
    });
  });

  test("ignores the outcome of a previous request, of a removed probe and of an unknown one", () => {
    const records = createProbeRecords();
    records.configure([configured("a", "two"), configured("b")]);
    records.configure([configured("a", "two")]);
    expect(["a", "b", "c"].map((name) => records.addOutcome(name, "one", outcome(10)))).toEqual([
      false,
      false,
      false,
    ]);
    records.addSkip("b", "paused");
    expect([records.get("a")?.runs, records.get("b"), records.get("c")]).toEqual([0, undefined, undefined]);
  });

  test("a removed probe that is added again starts over", () => {
    const records = createProbeRecords();
    records.configure([configured("a")]);
    records.addOutcome("a", "one", outcome(10));
    records.configure([]);
    records.configure([configured("a")]);
    expect(records.get("a")?.runs).toBe(0);
  });
});
