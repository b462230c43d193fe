import { expect, test } from "vitest";

import { clauseTable } from "../../bench/alerts/clause-table.ts";

test("clauseTable shows the mean figures of the fleets for the complete rules and without each clause", () => {
  expect(clauseTable([report("99.0", "97.0"), report("100.0", "98.0")]))
    .toBe(`| Without | warned an hour ahead, % | never announced | critical in time, % | false critical | false warnings | episodes per exhaustion |
| --- | --: | --: | --: | --: | --: | --: |
| nothing | 99.50 | 0.00 | 98.60 | 1.9 | 40.0 | 2.10 |
| slow: memory | 97.50 | 1.00 | 98.60 | 1.9 | 40.0 | 2.30 |
`);
});

function report(complete: string, without: string): string {
  return [
    table("class | keys", "---|---", "TOTAL | 1"),
    table("class | fc complete", "---|---", "TOTAL | 1"),
    table(
      " | complete | slow: memory",
      "---|---|---",
      `warned >= 1 h ahead, % | ${complete} | ${without}`,
      "critical >= 15 min ahead, % | 98.6 | 98.6",
      "foreseeable, never announced | 0 | 1",
      "false critical / 100 key-months | 1.9 | 1.9",
      "false warning / 100 key-months | 40.0 | 40.0",
      "episodes per exhaustion (flaps) | 2.10 (0.02) | 2.30 (0.05)",
    ),
  ].join("\n");
}

function table(...rows: readonly string[]): string {
  return rows.map((row) => `| ${row} |\n`).join("");
}
