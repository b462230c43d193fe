import { describe, expect, test } from "vitest";
import { credits, shareText, usedText } from "../../../../exporter/status/page/amount.ts";
import { textOf } from "./page-reader.ts";

describe("amounts", () => {
  test.each([
    [undefined, "—"],
    [0, "0.00"],
    [-0, "0.00"],
    [0.01, "0.01"],
    [0.0042, "0.0042"],
    [0.00000123, "0.0000012"],
    [1e-12, "<0.000000001"],
    [-0.004, "−0.004"],
    [-1234.5, "−1,234.50"],
    [1_234_567.891, "1,234,567.89"],
    [1e18, "1.00e+18"],
  ])("credits(%s) is %s", (amount, text) => {
    expect(textOf(String(credits(amount)))).toBe(text);
  });

  test.each([
    [0, "0%"],
    [0.001, "<1%"],
    [0.128, "12%"],
    [0.99996, "99%"],
    [29 / 100, "29%"],
    [0.58 / 2, "29%"],
    [(100 - 71) / 100, "29%"],
    [(1 - 0.71) / 1, "29%"],
    [1.13 / 1, "113%"],
    [1 - 2 ** -53, "99%"],
    [0.9999999999, "99%"],
    [0.2899, "28%"],
    [1, "100%"],
    [-0.2, "−20%"],
    [9.999, "999%"],
    [10, ">999%"],
    [-1e18, "<−999%"],
  ])("usedText(%s) is %s", (share, text) => expect(usedText(share)).toBe(text));

  test("usedText() of every whole percentage is that percentage", () => {
    for (const limit of [1, 3, 7, 100, 0.7, 12.5, 1e6]) {
      for (let percent = 1; percent < 1000; percent++) {
        expect(usedText((limit * percent) / 100 / limit)).toBe(`${percent}%`);
        expect(usedText((limit - (limit - (limit * percent) / 100)) / limit)).toBe(`${percent}%`);
      }
    }
  });

  test.each([
    [0, "0.0%"],
    [0.0001, "<0.1%"],
    [0.252, "25.2%"],
  ])("shareText(%s) is %s", (share, text) => expect(shareText(share)).toBe(text));
});
