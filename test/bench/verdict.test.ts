import { describe, expect, test } from "vitest";
import type { Benchmark, Goal, Readings } from "../../bench/benchmark.ts";
import type { Measurement } from "../../bench/run.ts";
import { judge, noiseOf } from "../../bench/verdict.ts";

const LATENCY: Goal = {
  quantity: "p50",
  measure: { kind: "value", of: "ours" },
  bound: "at most",
  bar: 20,
  stretch: 10,
};

function measurement(
  goal: Goal,
  rounds: Record<string, readonly number[]>,
  change: Partial<Measurement> = {},
): Measurement {
  const benchmark: Benchmark = {
    name: "test/latency",
    title: "How long?",
    quantities: [{ name: "p50", unit: "ms" }],
    goals: [goal],
    rounds: 3,
    reference: { contender: "static", quantity: "p50" },
    open: () => Promise.reject(new Error("is not opened")),
  };
  const readings = Object.entries(rounds).map(([name, values]): [string, Readings[]] => [
    name,
    values.map((p50) => ({ p50 })),
  ]);
  return { benchmark, rounds: new Map(readings), skipped: [], calibrationMs: [10, 11, 10, 12], ...change };
}

function verdict(goal: Goal, rounds: Record<string, readonly number[]>): unknown {
  return judge(measurement(goal, rounds))[0]?.verdict;
}

describe("judge", () => {
  test.each([
    [[9, 10, 30], "stretch met"],
    [[9, 11, 12], "bar met"],
    [[20, 20, 20], "bar met"],
    [[20.1, 21, 1], "missed"],
  ])("takes the median of %j: %s", (ours, expected) => {
    expect(verdict(LATENCY, { ours })).toBe(expected);
  });

  test.each([
    [[9, 10, 30], "bar met"],
    [[20, 21, 30], "stretch met"],
    [[5, 4, 3], "missed"],
  ])("judges a lower bound in the opposite direction: %j: %s", (ours, expected) => {
    expect(verdict({ ...LATENCY, bound: "at least", bar: 10, stretch: 20 }, { ours })).toBe(expected);
  });

  test("compares the values within each round, not the medians", () => {
    const rounds = { ours: [1, 10, 100], theirs: [300, 1000, 20_000] };
    const ratio = { ...LATENCY, measure: { kind: "ratio", of: "theirs", to: "ours" } } as const;
    const difference = { ...LATENCY, measure: { kind: "difference", of: "theirs", to: "ours" } } as const;
    expect(judge(measurement(ratio, rounds))[0]?.measured).toEqual({
      median: 200,
      smallest: 100,
      largest: 300,
    });
    expect(judge(measurement(difference, rounds))[0]?.measured).toEqual({
      median: 990,
      smallest: 299,
      largest: 19_900,
    });
  });

  test("skips a goal whose contender was not measured", () => {
    const ratio = { ...LATENCY, measure: { kind: "ratio", of: "ours", to: "theirs" } } as const;
    expect(judge(measurement(ratio, { ours: [1, 2, 3] }))).toEqual([
      { goal: ratio, measured: undefined, verdict: "skipped" },
    ]);
  });

  test("refuses to judge a noisy run, good or bad", () => {
    for (const ours of [
      [1, 1, 1],
      [99, 99, 99],
    ]) {
      const noisy = measurement(LATENCY, { ours }, { calibrationMs: [10, 15.1] });
      expect(judge(noisy)[0]).toMatchObject({ verdict: "too noisy to judge", measured: { median: ours[0] } });
    }
  });
});

describe("noiseOf", () => {
  test.each([
    ["a calm machine", [10, 15], [5, 10], /^calm$/],
    ["a varying duration of the fixed computation", [10, 12, 16, 11], [5, 5], /took 1\.60 times as long/],
    ["varying rounds of the reference", [10, 10], [5, 10.5, 6], /static differ by a factor of 2\.10/],
  ])("reports %s", (_name, calibrationMs, reference, expected) => {
    const noise = noiseOf(measurement(LATENCY, { ours: [1, 9], static: reference }, { calibrationMs }));
    expect(noise ?? "calm").toMatch(expected);
  });

  test("uses only the calibration if there is no reference", () => {
    expect(noiseOf(measurement(LATENCY, { ours: [1, 99] }))).toBeUndefined();
  });
});
