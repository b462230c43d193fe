import { describe, expect, test } from "vitest";
import type { Benchmark, Contender } from "../../bench/benchmark.ts";
import { report } from "../../bench/report.ts";
import { run } from "../../bench/run.ts";

describe("run", () => {
  test("interleaves the rounds in alternating order, discards the first, and calibrates between them", async () => {
    const events: string[] = [];
    const { rounds, calibrationMs } = await run(
      benchmark(events, [runner("a", events), runner("b", events)]),
      {
        calibrate: () => events.push("calibrate"),
        onProgress: () => {},
      },
    );
    expect(events.join(" ")).toBe("open calibrate a b calibrate b a calibrate a b calibrate close");
    expect(calibrationMs).toHaveLength(4);
    expect(Object.fromEntries(rounds)).toEqual({
      a: [{ count: 2 }, { count: 3 }],
      b: [{ count: 2 }, { count: 3 }],
    });
  });

  test("closes the contenders after a failed round", async () => {
    const events: string[] = [];
    const broken = { name: "broken", round: () => Promise.reject(new Error("is broken")) };
    const ran = run(benchmark(events, [broken]), { calibrate: () => 1, onProgress: () => {} });
    await expect(ran).rejects.toThrow("is broken");
    expect(events).toEqual(["open", "close"]);
  });
});

test("report shows medians, extremes, skipped contenders and verdicts", async () => {
  const measurement = await run(
    benchmark([], [runner("a", []), { name: "theirs", skipped: "go is not installed" }]),
    { calibrate: () => 1, onProgress: () => {} },
  );
  expect(report(measurement)).toBe(`## test/count

How many?

|     | count, ms |
| --- | --------: |
| a   | 2.5 (2–3) |

Skipped theirs: go is not installed.

| goal              |  measured |   bar | stretch | verdict |
| ----------------- | --------: | ----: | ------: | ------: |
| count of a        | 2.5 (2–3) | ≤ 2.5 |     ≤ 1 | bar met |
| count: a ÷ theirs |           | ≥ 300 |   ≥ 600 | skipped |
`);
});

function runner(name: string, events: string[]): Contender {
  let count = 0;
  return {
    name,
    round: async () => {
      events.push(name);
      count++;
      return { count };
    },
  };
}

function benchmark(events: string[], contenders: readonly Contender[]): Benchmark {
  return {
    name: "test/count",
    title: "How many?",
    quantities: [{ name: "count", unit: "ms" }],
    goals: [
      { quantity: "count", measure: { kind: "value", of: "a" }, bound: "at most", bar: 2.5, stretch: 1 },
      {
        quantity: "count",
        measure: { kind: "ratio", of: "a", to: "theirs" },
        bound: "at least",
        bar: 300,
        stretch: 600,
      },
    ],
    rounds: 2,
    open: async () => {
      events.push("open");
      return { contenders, close: async () => void events.push("close") };
    },
  };
}
