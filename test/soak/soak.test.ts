import { expect, test } from "vitest";
import { CYCLE, PHASES } from "./plan.ts";
import { reportOf, verdicts } from "./report.ts";
import { runSoak } from "./soak.ts";

/** One cycle of faults, and the recovery from the outage at its end. */
const INTERVAL_MS = 2000;
const LENGTH_MS = (CYCLE + 2.7) * INTERVAL_MS;

test("runSoak() finds no problem in one cycle of faults, reloads and new secrets", async () => {
  const result = await runSoak(
    { lengthMs: LENGTH_MS, keys: 300, intervalMs: INTERVAL_MS },
    new AbortController().signal,
  );
  const isBroken = verdicts(result).some(({ isKept }) => !isKept);
  expect(isBroken ? reportOf(result) : "").toBe("");
  // The checks had enough values to find a problem.
  expect(result.phases).toEqual(expect.arrayContaining(PHASES.map(({ name }) => name)));
  expect(result.checkedKeys).toBeGreaterThan(300 * 20);
  expect(result.completeScrapes).toBeGreaterThan(0);
  expect(result.reloads).toBeGreaterThan(1);
  expect([...result.scrapes.keys()].toSorted()).toEqual([
    "broken off",
    "gzip",
    "readiness",
    "slow reader",
    "status page",
  ]);
}, 300_000);
