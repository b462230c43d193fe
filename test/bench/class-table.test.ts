import { describe, expect, test } from "vitest";

import { classTable } from "../../bench/alerts/class-table.ts";
import { report } from "./fleet-report.ts";

describe("classTable", () => {
  const one = { foreseeable: 1, critical: "0.0", warnings: "0.0" };

  test("adds up the classes of a group over all fleets, each by its number of keys", () => {
    expect(classTable([report(one), report(one, sixOfficeKeys)]))
      .toBe(`| Keys | foreseeable exhaustions | warned late | paged late | false critical per 100 key-months | false warnings per 100 key-months |
| --- | --: | --: | --: | --: | --: |
| never run out, batch jobs | 0 | 0 | 0 | 0.0 | 400.0 |
| run out, office hours | 160 | 2 | 2 | 71.4 | 30.0 |
`);
  });

  test.each([
    ["bursty-safe", "odd", 'Cannot show class "odd": it is in no group'],
    ["fc ours", "fc", 'Cannot read "undefined" in row "diurnal-exhausts", column "fc ours"'],
    [/^\| bursty-safe +\| +2 \| +0\.0 .*\n/m, "", 'Cannot find class "bursty-safe" in the table of noise'],
  ])("rejects a report in which %s is %j", (text, replacement, message) => {
    expect(() =>
      classTable([report(one, (whole) => whole.replaceAll(new RegExp(text, "gm"), replacement))]),
    ).toThrow(message);
  });
});

function sixOfficeKeys(text: string): string {
  return text.replace("| diurnal-exhausts |    2 |  50 ", "| diurnal-exhausts |    6 |  50 ");
}
