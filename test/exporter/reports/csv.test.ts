import { describe, expect, test } from "vitest";
import { csvLine, decimalText } from "../../../exporter/reports/csv.ts";

describe("decimalText()", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [0.1, "0.1"],
    [123456789012345680000, "123456789012345680000"],
    [1e21, "1000000000000000000000"],
    [1.5e30, "1500000000000000000000000000000"],
    [-1e30, "-1000000000000000000000000000000"],
    [5e-7, "0.0000005"],
    [-1e-21, "-0.000000000000000000001"],
    [1.234567890123456e-25, "0.0000000000000000000000001234567890123456"],
  ])("%d has all its digits", (value, text) => {
    expect(decimalText(value)).toBe(text);
  });

  test.each([Number.MAX_VALUE, Number.MIN_VALUE, 1e100, -2.5e-300, 9.999e22])(
    "%d is the same number",
    (value) => {
      expect(decimalText(value)).not.toContain("e");
      expect(Number(decimalText(value))).toBe(value);
    },
  );
});

test("csvLine() writes large amounts in full", () => {
  expect(csvLine(["total", 1e30, undefined])).toBe("total,1000000000000000000000000000000,\r\n");
});

test.each([
  ["=1+1", "'=1+1"],
  ["@app", "'@app"],
  ["  +1", "'  +1"],
  ["＝1＋1", "'＝1＋1"],
  ["\t1", "'\t1"],
  // Some countries separate cells by semicolons.
  ["app;=1+1", "app;'=1+1"],
  ["app\n-1", '"app\n\'-1"'],
  ["acme/one-2 (a+b)", "acme/one-2 (a+b)"],
])("csvLine() writes the text %j so that it is no formula", (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});
