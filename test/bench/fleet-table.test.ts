import { describe, expect, test } from "vitest";

import { fleetTable } from "../../bench/alerts/fleet-table.ts";
import { readReport } from "../../bench/alerts/report.ts";
import { report } from "./fleet-report.ts";

describe("fleetTable", () => {
  test("adds up counts, shows the mean, the worst and the best fleet, and counts those that meet every bar", () => {
    const { text } = fleetTable([
      report({ foreseeable: 98, critical: "4.0", warnings: "119.0" }),
      report({ foreseeable: 102, critical: "2.0", warnings: "60.0" }),
    ]);
    expect(text).toBe(`|  | bar | ours | \`predict_linear\` |
| --- | --: | --: | --: |
| foreseeable exhaustions |  | 200 | 200 |
| warned an hour ahead, % | ≥ 99.5 | 100 | 95 |
| never announced | ≤ 0 | 0 | 3 |
| critical a quarter of an hour ahead, % | ≥ 99 | 99 | 97 |
| false critical per 100 key-months | ≤ 2 | 3 (4 … 2) | 180 |
| false warnings per 100 key-months | ≤ 60 | 89.5 (119 … 60) | 523 |
| episodes per exhaustion | ≤ 2.3 | 2.3 | 2.7 |
| lead, median and tenth percentile, h |  | 6.2 / 2.8 | 5.6 / 3.2 |
| fleets that meet every bar | all | 1 of 2 | 0 of 2 |
`);
  });

  test("has no bars for fleets other than keys", () => {
    const { text, missed } = fleetTable(
      [report({ foreseeable: 98, critical: "4.0", warnings: "119.0" })],
      false,
    );
    expect(text).toContain("| false critical per 100 key-months |  | 4 | 180 |\n");
    expect(text).not.toContain("fleets that meet every bar");
    expect(missed).toEqual([]);
  });

  test("names each bar that one of the fleets misses", () => {
    const { missed } = fleetTable([
      report({ foreseeable: 98, critical: "2.0", warnings: "119.0" }),
      report({ foreseeable: 98, critical: "2.1", warnings: "119.0" }),
    ]);
    expect(missed).toEqual([
      "false critical per 100 key-months: 2.05 (2.1 … 2), the bar is ≤ 2",
      "false warnings per 100 key-months: 119, the bar is ≤ 60",
    ]);
  });

  test.each([
    [
      report({ foreseeable: 1, critical: "-", warnings: "0.0" }),
      'Cannot read "-" in row "false critical / 100 key-months", column "ours"',
    ],
    [
      report({ foreseeable: 1, critical: "0.0", warnings: "0.0" }, (text) =>
        text.replace("warned >= 1 h ahead, %", "warned"),
      ),
      'Cannot find row "warned >= 1 h ahead, %", column "ours" in the report',
    ],
  ])("rejects a report that has no figure", (one, message) => {
    expect(() => fleetTable([one])).toThrow(message);
  });
});

test("readReport rejects a report that is truncated", () => {
  expect(() => readReport("day 0 of 17, 3 s")).toThrow("Cannot read the report: expected 3 tables, found 0");
});
