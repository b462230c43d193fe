import { describe, expect, test } from "vitest";
import { z } from "zod";
import { known, optional, shapeProblem, wireNumber } from "../../../../exporter/gateway/wire/fields.ts";

describe("wireNumber", () => {
  test.each<[unknown, number]>([
    [1523, 1523],
    [-0.5, -0.5],
    ["1523", 1523],
    ["0.000001", 0.000001],
    ["+3", 3],
    [".5", 0.5],
    ["1e-6", 0.000001],
    [" 7\n", 7],
    ["12345678901234567890", 12345678901234567000],
  ])("%j: %d", (value, wanted) => {
    expect(wireNumber.parse(value)).toBe(wanted);
  });

  test.each<[unknown]>([
    [""],
    ["."],
    ["1,523"],
    ["0x10"],
    ["NaN"],
    ["1e999"],
    ["١٢"],
    [Number.POSITIVE_INFINITY],
    [true],
    [null],
    [{}],
  ])("%j is not a number", (value) => {
    expect(wireNumber.safeParse(value).success).toBe(false);
  });
});

describe("known and optional", () => {
  const fields = z.object({ promised: known(wireNumber), extra: optional(wireNumber) });

  test.each<[unknown, unknown]>([
    [
      { promised: "1", extra: 2 },
      { promised: 1, extra: 2 },
    ],
    [
      { promised: null, extra: null },
      { promised: undefined, extra: undefined },
    ],
    [{}, { promised: undefined, extra: undefined }],
    [{ extra: "much" }, { promised: undefined, extra: undefined }],
  ])("%j", (body, wanted) => {
    expect(fields.parse(body)).toEqual(wanted);
  });
});

describe("shapeProblem", () => {
  const body = z.object({ data: z.object({ rows: z.array(z.object({ n: wireNumber })) }) });

  test.each<[unknown, string]>([
    [null, "the body: Invalid input: expected object, received null"],
    [{ data: "sk-secret" }, "data: Invalid input: expected object, received string"],
    [
      { data: { rows: [{ n: 1 }, { n: "sk-secret" }] } },
      "data.rows.1.n: Invalid input: expected a finite number",
    ],
  ])("%j: place and rule of the first problem, not its value", (value, wanted) => {
    const { error } = body.safeParse(value);
    expect(error && shapeProblem(error)).toBe(wanted);
  });
});
