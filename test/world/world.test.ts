import { describe, test } from "vitest";
import { createCoverage } from "./coverage.ts";
import { findingText, searchSeed } from "./search.ts";

/** The seeds of each test. All of them together must last less than two minutes on a busy machine. */
const SEEDS = 40;
const TIME_LIMIT_MS = 300_000;
const SHRINK_MS = 60_000;

/** The first of the fresh seeds: another one each time. */
const fresh = Date.now() % 1_000_000_000;

describe("the simulated world keeps every invariant", () => {
  test.each([
    ["fixed", 1],
    ["fresh", fresh],
  ])(`in ${SEEDS} %s stories from seed %i`, (_, first) => search(first), TIME_LIMIT_MS);
});

async function search(first: number): Promise<void> {
  for (let seed = first; seed < first + SEEDS; seed++) {
    const finding = await searchSeed(seed, createCoverage(), SHRINK_MS);
    if (finding) throw new Error(findingText(finding));
  }
}
