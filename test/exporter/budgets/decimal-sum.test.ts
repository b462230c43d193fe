import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decimalSum } from "../../../exporter/budgets/decimal-sum.ts";

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

  test("equals the sum of integers, for any amounts in millionths", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e10 }), { maxLength: 200 }), (micros) => {
        const expected = micros.reduce((sum, amount) => sum + amount, 0) / 1e6;
        expect(decimalSum(micros.map((amount) => amount / 1e6))).toBe(expected);
      }),
    );
  });
});
