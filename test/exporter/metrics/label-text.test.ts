import { describe, expect, test } from "vitest";
import { labelText } from "../../../exporter/metrics/label-text.ts";

describe("labelText", () => {
  test.each([
    ["nothing", ""],
    ["any Unicode", '日本語 🚀\u0000\n"\\'],
    ["the longest text", "x".repeat(1024)],
    ["the longest text of wide characters", "🚀".repeat(256)],
  ])("does not change %s", (_, text) => {
    expect(labelText(text)).toBe(text);
  });

  test("replaces half a surrogate pair by U+FFFD", () => {
    expect(labelText("half \ud800 of a pair")).toBe("half \ufffd of a pair");
  });

  test.each([
    ["a byte too long", "x".repeat(1025), "x".repeat(1005)],
    ["wide characters, not split", "🚀".repeat(257), "🚀".repeat(251)],
    ["wide characters that begin elsewhere", `x${"🚀".repeat(256)}`, `x${"🚀".repeat(251)}`],
    ["10 MB", "日".repeat(3_500_000), "日".repeat(335)],
  ])("cuts a text that is too long: %s", (_, text, beginning) => {
    const shown = labelText(text);
    expect(shown).toMatch(/…[0-9a-f]{16}$/);
    expect(shown.slice(0, -17)).toBe(beginning);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1024);
    expect(labelText(text)).toBe(shown);
  });

  test("keeps two texts with the same beginning apart", () => {
    const long = "x".repeat(10_000);
    expect(labelText(`${long}1`)).not.toBe(labelText(`${long}2`));
  });
});
