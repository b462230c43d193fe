import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import type { FaultCase, Outcome } from "./fault-case.ts";
import { faultCases } from "./fault-cases.ts";
import { faultStory } from "./fault-story.ts";
import { type FaultRow, faultTable } from "./fault-row.ts";
import { fieldStory } from "./field-story.ts";
import { gatewayCases, trust } from "./gateway-cases.ts";
import { writtenTable, writeTable } from "./written-table.ts";
import { valueCases } from "./value-cases.ts";

const rows: FaultRow[] = [];

/** Puts the whole title into the name of the test. */
function named(cases: readonly FaultCase[]): readonly [string, FaultCase][] {
  return cases.map((faultCase) => [faultCase.title, faultCase]);
}

async function expectCase(_title: string, faultCase: FaultCase): Promise<void> {
  const row = await faultStory(faultCase);
  const [title, key, analytics] = row;
  expect([title, key, analytics]).toEqual([
    faultCase.title,
    outcomeText(faultCase.key),
    outcomeText(faultCase.analytics),
  ]);
  rows.push(row);
}

function outcomeText(outcome: Outcome): string {
  return "reason" in outcome ? `\`${outcome.reason}\`` : "taken";
}

describe("a fault of one key and of one query affects nothing else, and ends with its cause", () => {
  test.each(named([...faultCases, ...valueCases]))("%s", expectCase);
});

test("a wrong type in any field has the documented effect, and ends with its cause", async () => {
  const seen = await fieldStory();
  expect(seen).not.toEqual([]);
  rows.push(...seen);
}, 60_000);

describe("a fault of the whole gateway loses no value before its time to live, and ends with its cause", () => {
  beforeAll(trust);
  afterEach(() => void vi.restoreAllMocks());

  test.each(named(gatewayCases))("%s", expectCase);
});

describe("the matrix in docs/reliability.md", () => {
  test("matches the observations (otherwise read the difference, then run: npm run faults:update)", () => {
    const table = faultTable(rows);
    process.stdout.write(`${table}\n`);
    if (process.env["UPDATE_FAULTS"] === "1") writeTable(table);
    expect(writtenTable()).toBe(table);
  });
});
