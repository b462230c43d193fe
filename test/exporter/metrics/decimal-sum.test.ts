import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decimalRest, decimalSum, isSumOf } from "../../../exporter/metrics/decimal-sum.ts";
import { labelText } from "../../../exporter/metrics/label-text.ts";

describe("decimalSum", () => {
  test.each<[string, readonly number[], number]>([
    ["nothing", [], 0],
    ["one", [0.1], 0.1],
    ["amounts that binary fractions cannot represent", [0.1, 0.2], 0.3],
    ["ten thousand cents", Array.from({ length: 10_000 }, () => 0.01), 100],
    ["a refund of almost everything", [1_000_000.1, -1_000_000], 0.1],
    ["amounts of all sizes", [1e6, 1e-6, -1e6, 2e-6], 3e-6],
    ["a refund of everything", [0.1, 0.2, -0.3], 0],
    ["a refund of a little more", [0.1, -0.3], -0.2],
  ])("adds up %s", (_, amounts, sum) => {
    expect(decimalSum(amounts)).toBe(sum);
  });

  test("is exact for amounts of any size: the nearest number to the decimal sum", () => {
    fc.assert(
      fc.property(fc.array(anyAmount, { maxLength: 30 }), (amounts) => {
        expect(decimalSum(amounts)).toBe(Number(decimalText(amounts)));
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, readonly number[], number]>([
    ["integers up to 2^53", [2 ** 53 - 2, 1], 2 ** 53 - 1],
    ["a small amount beside a large one, and back", [9e15, 0.1, -9e15], 0.1],
    ["long binary fractions", [0.1 + 0.2, -0.3], 4e-17],
    ["a zero below zero", [-0], 0],
    ["the smallest amount", [5e-324, 5e-324], 1e-323],
    ["amounts beyond 2^53", [1e300, 1, -1e300], 1],
  ])("is exact for %s", (_, amounts, sum) => {
    expect(Object.is(decimalSum(amounts), sum)).toBe(true);
  });

  test("of an amount that is not finite is unknown", () => {
    expect(decimalSum([1, Number.POSITIVE_INFINITY])).toBeNaN();
  });
});

describe("decimalRest", () => {
  test("is what is left of a total, however small it is beside the total", () => {
    expect(decimalRest(50_000_000_040, [50_000_000_000])).toBe(40);
    expect(decimalRest(150_000_000.12, [150_000_000])).toBe(0.12);
    expect(decimalRest(1_234_567.890124, [1_234_567.890123])).toBe(0.000001);
  });
});

describe("isSumOf", () => {
  test.each<[string, number, readonly number[], boolean]>([
    ["nothing", 0, [], true],
    ["equal decimals", 0.3, [0.1, 0.2], true],
    ["a total that was added up as binary fractions", 0.1 + 0.2, [0.1, 0.2], true],
    ["parts that were added up as binary fractions", 0.6, [0.1 + 0.2, 0.3], true],
    ["binary fractions that cancel out", 0.1 + 0.2 - 0.3, [0.1, 0.2, -0.3], true],
    ["a missing token of 50 billion", 50_000_000_040, [50_000_000_039], false],
    ["a missing millionth of a million", 1_234_567.890124, [1_234_567.890123], false],
    ["a missing millionth beside a binary fraction", 1_234_567.890124, [1_234_567.890122 + 1e-10], false],
    ["nothing beside something", 1e-9, [], false],
    ["integers beyond 2^53 that were rounded", 2 ** 60 + 4096, [2 ** 60, 1], true],
  ])("compares %s", (_, total, parts, isSum) => {
    expect(isSumOf(total, parts)).toBe(isSum);
  });

  test("accepts every total that a loop over binary fractions gives", () => {
    const amounts = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { maxLength: 1000 });
    fc.assert(
      fc.property(amounts, (parts) => {
        const looped = parts.reduce((sum, part) => sum + part, 0);
        expect(isSumOf(looped, parts)).toBe(true);
      }),
    );
  });
});

const anyAmount = fc.oneof(
  fc.integer({ min: -1e9, max: 1e9 }).map((amount) => amount / 1e6),
  fc.maxSafeInteger(),
  fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(30)).map(([digits, places]) => digits / 10 ** places),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }),
);

/** The decimal sum of the shortest texts, by adding up whole units of 1e-400. */
function decimalText(amounts: readonly number[]): string {
  let sum = 0n;
  for (const amount of amounts) {
    const [digits = "", exponent = "0"] = String(amount).split("e");
    const [whole = "", fraction = ""] = digits.split(".");
    const places = 400 - fraction.length + Number(exponent);
    sum += BigInt(whole + fraction) * 10n ** BigInt(places);
  }
  return `${sum}e-400`;
}

describe("labelText", () => {
  test.each([
    ["nothing", ""],
    ["any Unicode", '日本語 🚀\u0000\n"\\'],
    ["the longest text", "x".repeat(256)],
    ["the longest text of wide characters", "🚀".repeat(128)],
  ])("does not change %s", (_, text) => {
    expect(labelText(text)).toBe(text);
  });

  test("replaces half a surrogate pair by U+FFFD", () => {
    expect(labelText("half \ud800 of a pair")).toBe("half \ufffd of a pair");
  });

  test.each([
    ["a character too long", "x".repeat(257), "x".repeat(239)],
    ["wide characters, not split", "🚀".repeat(129), "🚀".repeat(119)],
    ["wide characters that begin elsewhere", `x${"🚀".repeat(128)}`, `x${"🚀".repeat(119)}`],
    ["10 MB", "日".repeat(3_500_000), "日".repeat(239)],
  ])("cuts a text that is too long: %s", (_, text, beginning) => {
    const shown = labelText(text);
    expect(shown).toMatch(/…[0-9a-f]{16}$/);
    expect(shown.slice(0, -17)).toBe(beginning);
    expect(shown.length).toBeLessThanOrEqual(256);
    expect(labelText(text)).toBe(shown);
  });

  test("keeps two texts with the same beginning apart", () => {
    const long = "x".repeat(10_000);
    expect(labelText(`${long}1`)).not.toBe(labelText(`${long}2`));
  });
});
