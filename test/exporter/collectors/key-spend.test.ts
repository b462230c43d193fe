import { expect, test } from "vitest";
import { keySpends } from "../../../exporter/collectors/own-query.ts";
import type { QueryConfig } from "../../../exporter/config/config.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";
import { type Short, usage } from "./short-usage.ts";

const QUERY: QueryConfig = {
  name: "keys-day",
  dimensions: ["api_key_id", "model"],
  metrics: ["credits"],
  window: "day",
  top: 2,
  filters: [],
};

/** The spend by key of rows of key, model, credits and requests, two of which are shown by name. */
function spendOf(rows: readonly Short[], change: Partial<QueryConfig> = {}, answer: Partial<Usage> = {}) {
  const query = { ...QUERY, ...change };
  const asked = usage(rows, undefined, answer);
  const spends = keySpends(query, asked, breakdown(asked, query.top).pairs);
  return spends && { ...spends, keys: Object.fromEntries(spends.keys) };
}

const whole = (models: readonly (readonly [string, number])[], credits: number) => ({
  models: models.map(([model, amount]) => ({ model, credits: amount })),
  credits,
  isComplete: true,
});

test("a key has its named models, and a total that contains its other rows", () => {
  const rows: Short[] = [
    ["Prod", "a", 0.7, 1],
    ["Prod", "b", 0.1, 1],
    ["Prod", "c", 0.2, 1],
    ["Batch", "a", 0.3, 1],
    [null, "a", 0.05, 1],
  ];
  expect(spendOf(rows)).toEqual({
    hasAllRows: true,
    keys: {
      Prod: whole([["a", 0.7]], 1),
      Batch: whole([["a", 0.3]], 0.3),
      _none: whole([], 0.05),
    },
  });
  const turned = rows.map(([key, model, ...rest]): Short => [model, key, ...rest]);
  expect(spendOf(turned, { dimensions: ["model", "api_key_id"] })).toEqual(spendOf(rows));
});

test("an unknown amount makes its key incomplete, and is not 0", () => {
  const rows: Short[] = [
    ["Prod", "a", 1, 1],
    ["Prod", "b", undefined, 1],
    ["New", "a", undefined, 1],
  ];
  expect(spendOf(rows, { top: 5 })?.keys).toEqual({
    Prod: {
      models: [
        { model: "a", credits: 1 },
        { model: "b", credits: undefined },
      ],
      credits: 1,
      isComplete: false,
    },
    New: { models: [{ model: "a", credits: undefined }], credits: undefined, isComplete: false },
  });
});

test.each<[string, Partial<QueryConfig>]>([
  ["by another dimension", { dimensions: ["api_key_id", "app"] }],
  ["with a filter", { filters: [{ field: "model", operator: "in", values: ["a"], includeUnset: false }] }],
  ["without credits", { metrics: ["requests"] }],
])("a query %s has no spend by key and model", (_, change) => {
  expect(spendOf([["Prod", "a", 1, 1]], change)).toBeUndefined();
});
