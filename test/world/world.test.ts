import { describe, expect, test } from "vitest";
import { createCoverage } from "./coverage.ts";
import { findingText, searchSeed } from "./search.ts";

/** All stories together must last less than two minutes on a busy machine. */
const [FIXED, FRESH] = [40, 4];
const TIME_LIMIT_MS = 300_000;
const SHRINK_MS = 60_000;

/** The first of the fresh seeds: another one each time, named in the test. */
const fresh = Date.now() % 1_000_000_000;

describe("the simulated world keeps every invariant", () => {
  test.each([
    [FIXED, "fixed", 1],
    [FRESH, "fresh", fresh],
  ])(
    "in %i %s stories from seed %i",
    async (count, _name, first) => {
      for (let seed = first; seed < first + count; seed++) {
        const finding = await searchSeed(seed, createCoverage(), SHRINK_MS);
        expect(finding && findingText(finding)).toBe(undefined);
      }
    },
    TIME_LIMIT_MS,
  );
});
