import { expect, test } from "vitest";
import { runAttack } from "./attack.ts";
import { breachLines, reportOf } from "./report.ts";
import { isKept } from "./result.ts";

/** The fixed seed covers every attack; the fresh one finds combinations that nobody chose. */
test.each([
  ["the same attacks each time", 20261122, 120_000],
  ["other attacks each time", Date.now() % 1_000_000, 60_000],
])(
  "runAttack() keeps every bound under %s (seed %i)",
  async (_which, seed, lengthMs) => {
    process.stdout.write(`Attack with seed ${seed}; repeat it with: npm run attack -- --seed ${seed}\n`);
    const result = await runAttack({ lengthMs, seed }, new AbortController().signal);
    if (!isKept(result)) process.stdout.write(reportOf(result));
    // A failure shows what happened, and during which attacks.
    expect(breachLines(result)).toEqual([]);
    // Enough attacks struck to find something.
    const struck = [...result.stories.values()].filter(({ seen }) => seen.size > 0);
    expect(struck.length).toBeGreaterThan(result.stories.size / 3);
    expect(result.latencies.get("/metrics")?.length).toBeGreaterThan(lengthMs / 500);
  },
  240_000,
);
