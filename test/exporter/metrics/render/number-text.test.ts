import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONGEST_NUMBER, writeNumber } from "../../../../exporter/metrics/render/number-text.ts";

function written(value: number): string {
  // Filled, so that an unwritten byte is visible.
  const bytes = Buffer.alloc(LONGEST_NUMBER + 2, "x");
  return bytes.toString("latin1", 1, writeNumber(bytes, 1, value));
}

describe("writeNumber()", () => {
  test.each([
    0,
    -0,
    1,
    -1,
    10,
    99,
    100,
    0.1,
    -0.1,
    0.000001,
    0.0000001,
    123456.789012,
    0.1 + 0.2,
    1e9,
    999999999.999999,
    999999999.9999999,
    1000000000.123,
    1000000000.1234,
    1763467200.123,
    999999999999,
    999999999999.999,
    1e12,
    1000000000000.5,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    2 ** 53 + 2,
    1e21,
    1.5e300,
    5e-324,
    Number.MAX_VALUE,
    -2.2250738585072014e-308,
  ])("%d is written as String() does", (value) => {
    expect(written(value)).toBe(String(value));
  });

  test.each<[string, fc.Arbitrary<number>]>([
    ["any number", fc.double({ noNaN: true, noDefaultInfinity: true })],
    ["a number of usual size", fc.double({ noNaN: true, min: -2e12, max: 2e12 })],
    ["a whole number", fc.maxSafeInteger()],
    [
      "a decimal",
      fc.tuple(fc.maxSafeInteger(), fc.nat(12)).map(([digits, decimals]) => digits / 10 ** decimals),
    ],
    [
      "a neighbour of a decimal",
      fc
        .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: -2, max: 2 }))
        .map(([digits, steps]) => (digits / 1000) * (1 + steps * Number.EPSILON)),
    ],
  ])("%s is written as String() does", (_kind, numbers) => {
    fc.assert(
      fc.property(numbers, (value) => {
        expect(written(value)).toBe(String(value));
      }),
      { numRuns: 20_000 },
    );
  });
});
