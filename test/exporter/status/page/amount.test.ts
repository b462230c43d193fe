import { describe, expect, test } from "vitest";
import { credits, shareText, usedText } from "../../../../exporter/status/page/amount.ts";
import { textOf } from "./page-reader.ts";

describe("amounts", () => {
  test.each([
    [undefined, "—"],
    [0, "0.00"],
    [-0, "0.00"],
    [0.01, "0.01"],
    [0.0042, "0.00"],
    [-1e-17, "0.00"],
    [-0.004, "0.00"],
    [-0.006, "−0.01"],
    [-1234.5, "−1,234.50"],
    [1_234_567.891, "1,234,567.89"],
  ])("credits(%s) is %s", (amount, text) => {
    expect(textOf(String(credits(amount)))).toBe(text);
  });

  test.each([
    [0, "0%"],
    [0.001, "<1%"],
    [0.128, "12%"],
    [0.99996, "99%"],
    [29 / 100, "29%"],
    [(100 - 71) / 100, "29%"],
    [0.2899, "28%"],
    [1, "100%"],
    [-0.2, "−20%"],
    [9.999, "999%"],
    [10, ">999%"],
  ])("usedText(%s) is %s", (share, text) => expect(usedText(share)).toBe(text));

  test.each([
    [0, "0.0%"],
    [0.0001, "<0.1%"],
    [0.252, "25.2%"],
  ])("shareText(%s) is %s", (share, text) => expect(shareText(share)).toBe(text));
});
