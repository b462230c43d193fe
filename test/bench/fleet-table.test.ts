import { describe, expect, test } from "vitest";

import { classTable } from "../../bench/alerts/class-table.ts";
import { fleetTable } from "../../bench/alerts/fleet-table.ts";
import { readReport, type Report } from "../../bench/alerts/report.ts";

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

describe("classTable", () => {
  const one = { foreseeable: 1, critical: "0.0", warnings: "0.0" };

  test("adds up the classes of a group over all fleets, each by its number of keys", () => {
    const other = (text: string) =>
      text.replace("| diurnal-exhausts |    2 |  50 ", "| diurnal-exhausts |    6 |  50 ");
    expect(classTable([report(one), report(one, other)]))
      .toBe(`| Keys | foreseeable exhaustions | warned late | paged late | false critical | false warnings |
| --- | --: | --: | --: | --: | --: |
| never run out, batch jobs | 0 | 0 | 0 | 0.0 | 400.0 |
| run out, office hours | 160 | 0 | 2 | 71.4 | 30.0 |
`);
  });

  test("rejects a class that is in no group, and a figure that is missing", () => {
    const named = (text: string) => text.replaceAll("bursty-safe", "odd");
    expect(() => classTable([report(one, named)])).toThrow('Cannot show class "odd": it is in no group');
    const without = (text: string) => text.replaceAll("fc ours", "fc");
    expect(() => classTable([report(one, without)])).toThrow(
      'Cannot read "undefined" in row "diurnal-exhausts", column "fc ours"',
    );
  });
});

/** A report in alertsim's format, without the rows that the parser ignores. */
function report(
  figures: { foreseeable: number; critical: string; warnings: string },
  change = (text: string) => text,
): Report {
  const { foreseeable, critical, warnings } = figures;
  return readReport(
    change(`Detection. exh = exhaustions

| class            | keys |  F  | >=1h ours | crit15 ours | >=1h predict-linear |
|------------------|-----:|----:|----------:|------------:|--------------------:|
| diurnal-exhausts |    2 |  50 |     100.0 |        98.0 |                95.0 |
| weekday-exhausts |    3 |  30 |     100.0 |       100.0 |                95.0 |
| bursty-safe      |    2 |   0 |         - |           - |                   - |
| TOTAL            |    7 |  80 |     100.0 |        99.0 |                95.0 |

Noise. fc, fw = false episodes

| class            | keys | fc ours | fc predict-linear | fw ours | fw predict-linear |
|------------------|-----:|--------:|------------------:|--------:|------------------:|
| diurnal-exhausts |    2 |   125.0 |             200.0 |    30.0 |             300.0 |
| weekday-exhausts |    3 |     0.0 |             200.0 |    30.0 |             300.0 |
| bursty-safe      |    2 |     0.0 |             200.0 |   400.0 |             300.0 |
| TOTAL            |    7 |     4.0 |             180.0 |   119.0 |             523.0 |

Totals per rule set

|                                 |        ours |     predict-linear |
|---------------------------------|------------:|------------:|
| foreseeable exhaustions         | ${foreseeable} | ${foreseeable} |
| warned >= 1 h ahead, %          |       100.0 |        95.0 |
| critical >= 15 min ahead, %     |        99.0 |        97.0 |
| lead median / p10, h            |   6.2 / 2.8 |   5.6 / 3.2 |
| foreseeable, never announced    |           0 |           3 |
| false critical / 100 key-months | ${critical} |       180.0 |
| false warning / 100 key-months  | ${warnings} |       523.0 |
| episodes per exhaustion (flaps) | 2.30 (0.15) | 2.70 (0.60) |

ours: worst late (0 keys)
`),
  );
}
