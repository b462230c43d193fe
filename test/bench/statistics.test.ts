import { describe, expect, test } from "vitest";
import { median, percentile, spread, summary } from "../../bench/statistics.ts";

describe("median", () => {
  test.each([
    [[7], 7],
    [[3, 1, 2], 2],
    [[10, 9, 2, 1], 5.5],
    [[100, 9], 54.5],
  ])("of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test("of no values is an error", () => {
    expect(() => median([])).toThrow("Cannot take the median: there are no values");
  });
});

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  test.each([
    [hundred, 0.99, 99],
    [hundred, 1, 100],
    [hundred, 0, 1],
    [[5, 10, 4], 0.5, 5],
    [[5, 10, 4], 0.99, 10],
  ])("of %j at %d is %d", (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });

  test("of no values is an error", () => {
    expect(() => percentile([], 0.5)).toThrow("there are no values");
  });
});

test("summary contains the extremes, and spread is their ratio", () => {
  const three = summary([4, 10, 5]);
  expect(three).toEqual({ median: 5, smallest: 4, largest: 10 });
  expect(spread(three)).toBe(2.5);
  expect(spread(summary([0, 0]))).toBe(1);
});
