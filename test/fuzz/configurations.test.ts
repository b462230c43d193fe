import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { LoadResult } from "../../exporter/config/load.ts";
import { loadText } from "../exporter/config/simulated-files.ts";
import { ROOT } from "../support/repository.ts";
import { changedPlaces, faultsOfProblems, HELD, HIDDEN, mutated, SECRET } from "./configuration-texts.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

const EXAMPLE = readFileSync(join(ROOT, "config.example.yaml"), "utf8");

/** What the example refers to. */
const AROUND = {
  files: {
    "/run/secrets/billing": HELD,
    "/run/secrets/management": `${HELD}m\n`,
    "/run/secrets/keys/mobile": `${HELD}1\n`,
    "/run/secrets/keys/Wrong Name": HELD,
  },
  env: { SEARCH_KEY: `${HELD}2` },
};

/** The defects of an outcome. */
function faultsOf(result: LoadResult): string[] {
  if (result.ok) {
    // A name may equal a secret, but the values must not contain what was read.
    const values = JSON.stringify(result.config).replaceAll(SECRET, "");
    return [...result.warnings, values]
      .filter((text) => HIDDEN.test(text))
      .map((text) => `shows a secret: ${text}`);
  }
  return faultsOfProblems(result.problems);
}

/** Counts of each outcome, so that no property holds trivially. */
async function outcomes<T>(input: fc.Arbitrary<T>, toText: (input: T) => string, count: number) {
  const seen = { ok: 0, refused: 0 };
  const property = fc.asyncProperty(input, async (drawn) => {
    const result = await loadText(toText(drawn), AROUND);
    expect(faultsOf(result)).toEqual([]);
    seen[result.ok ? "ok" : "refused"] += 1;
  });
  await fc.assert(property, runs(count));
  return seen;
}

describe("any configuration is accepted or refused with paths, and shows no secret", () => {
  test("the example is accepted", async () => {
    const result = await loadText(EXAMPLE, AROUND);
    expect([result.ok, faultsOf(result)]).toEqual([true, []]);
  });

  test(
    "any text",
    async () => {
      const text = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: "binary", maxLength: 200 }));
      expect((await outcomes(text, (drawn) => drawn, 400)).refused).toBeGreaterThan(300);
    },
    TIMEOUT_MS,
  );

  test(
    "any value",
    async () => {
      const seen = await outcomes(fc.jsonValue({ maxDepth: 4 }), (value) => stringify(value), 200);
      expect(seen.refused).toBeGreaterThan(150);
    },
    TIMEOUT_MS,
  );

  test(
    "the example with some characters changed",
    async () => {
      const seen = await outcomes(mutated(EXAMPLE), (text) => text, 250);
      expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(20);
    },
    TIMEOUT_MS,
  );

  test(
    "the example with any value in some places",
    async () => {
      const seen = await outcomes(changedPlaces(parse(EXAMPLE)), (text) => text, 250);
      expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(2);
    },
    TIMEOUT_MS,
  );
});
