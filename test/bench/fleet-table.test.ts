import { describe, expect, test } from "vitest";

import { fleetTable } from "../../bench/alerts/fleet-table.ts";

describe("fleetTable", () => {
  test("adds up counts, shows the worst and the best fleet, and lists our worst classes", () => {
    const { text } = fleetTable([
      report({ foreseeable: 98, critical: "4.0", bursty: "400.0" }),
      report({ foreseeable: 102, critical: "2.0", bursty: "200.0" }),
    ]);
    expect(text).toBe(`|  | bar | ours | \`predict_linear\` |
| --- | --: | --: | --: |
| foreseeable exhaustions |  | 200 | 200 |
| warned an hour ahead, % | ≥ 99.5 | 100 | 95 |
| never announced | ≤ 0 | 0 | 3 |
| critical a quarter of an hour ahead, % | ≥ 99 | 99 | 97 |
| false critical per 100 key-months | ≤ 2 | 4 … 2 | 180 |
| false warnings per 100 key-months | ≤ 60 | 119 | 523 |
| episodes per exhaustion | ≤ 2.3 | 3.12 | 2.7 |
| lead, median and tenth percentile, h |  | 6.2 / 2.8 | 5.6 / 3.2 |

Worst classes of ours:
- false critical per 100 key-months: diurnal 107.1
- false warnings per 100 key-months: bursty 300.0, diurnal 7.1
- episodes per exhaustion: diurnal 3.1
`);
  });

  test("names each bar that one of the fleets misses", () => {
    const { missed } = fleetTable([
      report({ foreseeable: 98, critical: "2.0", bursty: "0.0" }),
      report({ foreseeable: 98, critical: "2.1", bursty: "0.0" }),
    ]);
    expect(missed).toEqual([
      "false critical per 100 key-months: 2.1 … 2, the bar is ≤ 2",
      "false warnings per 100 key-months: 119, the bar is ≤ 60",
      "episodes per exhaustion: 3.12, the bar is ≤ 2.3",
    ]);
  });

  test.each([
    ["day 0 of 17, 3 s", "Cannot read the report: expected 3 tables, found 0"],
    [
      report({ foreseeable: 1, critical: "-", bursty: "0.0" }),
      'Cannot read "-" in row "false critical / 100 key-months", column "ours"',
    ],
    [
      report({ foreseeable: 1, critical: "0.0", bursty: "0.0" }).replace("warned >= 1 h ahead, %", "warned"),
      'Cannot find row "warned >= 1 h ahead, %", column "ours" in the report',
    ],
  ])("rejects a report that is truncated or has no figure", (output, message) => {
    expect(() => fleetTable([output])).toThrow(message);
  });
});
/** A report in alertsim's format, without the rows that the parser ignores. */
function report(figures: { foreseeable: number; critical: string; bursty: string }): string {
  const { foreseeable, critical, bursty } = figures;
  return `Detection. exh = exhaustions

| class   | keys | >=1h ours | >=1h predict-linear |
|---------|-----:|----------:|-------------:|
| diurnal |    2 |     100.0 |         95.0 |

Noise. fc, fw = false episodes

| class   | keys | fc ours | fc predict-linear | fw ours | fw predict-linear | epi ours | epi predict-linear |
|---------|-----:|--------:|-----------:|--------:|-----------:|---------:|------------:|
| diurnal |    2 |   107.1 |      200.0 |     7.1 |      300.0 |      3.1 |         2.7 |
| bursty  |    2 |     0.0 |      200.0 | ${bursty} |    300.0 |      0.0 |         2.7 |
| TOTAL   |    4 |     4.0 |      180.0 |   119.0 |      523.0 |      3.1 |         2.7 |

Totals per rule set

|                                 |        ours |     predict-linear |
|---------------------------------|------------:|------------:|
| foreseeable exhaustions         | ${foreseeable} | ${foreseeable} |
| warned >= 1 h ahead, %          |       100.0 |        95.0 |
| critical >= 15 min ahead, %     |        99.0 |        97.0 |
| lead median / p10, h            |   6.2 / 2.8 |   5.6 / 3.2 |
| foreseeable, never announced    |           0 |           3 |
| false critical / 100 key-months | ${critical} |       180.0 |
| false warning / 100 key-months  |       119.0 |       523.0 |
| episodes per exhaustion (flaps) | 3.12 (0.15) | 2.70 (0.60) |

ours: worst late (0 keys)
`;
}
