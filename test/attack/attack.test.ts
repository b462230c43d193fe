import { expect, test } from "vitest";
import { runAttack } from "./attack.ts";
import { breachLines, reportOf } from "./report.ts";
import { isKept } from "./result.ts";

/** Covers every attack. Fresh seeds are for `npm run attack`, on a machine that has nothing else to do. */
const SEED = 20261122;
const LENGTH_MS = 120_000;

test("runAttack() keeps every bound", async () => {
  const result = await runAttack({ lengthMs: LENGTH_MS, seed: SEED }, new AbortController().signal);
  if (!isKept(result)) process.stdout.write(reportOf(result));
  // A failure shows what happened, and during which attacks.
  expect(breachLines(result)).toEqual([]);
  // Enough attacks struck to find something.
  const struck = [...result.stories.values()].filter(({ seen }) => seen.size > 0);
  expect(struck.length).toBeGreaterThan(result.stories.size / 3);
  expect(result.latencies.get("/metrics")?.length).toBeGreaterThan(LENGTH_MS / 500);
}, 400_000);
