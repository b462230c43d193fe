import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";
import type { AnalyticsAnswer } from "../../../exporter/gateway/analytics.ts";

const RUNS = { seed: 20261121, numRuns: 1000 };

/** Amounts are integers of which the service makes numbers, so that the truth is exact: credits by a million. */
const PARTS = { total_usage: 1e6, request_count: 1, tokens_total: 1, reasoning_tokens: 1 } as const;
type Metric = keyof typeof PARTS;
const METRICS: readonly Metric[] = ["total_usage", "request_count", "tokens_total", "reasoning_tokens"];

const label = fc.oneof(fc.constantFrom("a", "b", "c", "_other", "_none", ""), fc.constant(null));
const credits = fc.oneof(
  fc.integer({ min: -5_000_000, max: 1e9 }),
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 0, max: 1e15 }),
);
const count = fc.oneof(fc.nat(3), fc.nat(1e9));

const ledgerRow = fc.record({
  model: label,
  app: label,
  total_usage: fc.option(credits),
  request_count: count,
  tokens_total: fc.option(count),
  reasoning_tokens: fc.option(count),
});
type LedgerRow = typeof ledgerRow extends fc.Arbitrary<infer Row> ? Row : never;

function wire(row: LedgerRow): Record<string, number | null> {
  const values = METRICS.map((metric) => [metric, row[metric] === null ? null : row[metric] / PARTS[metric]]);
  return Object.fromEntries(values);
}

function groupedAnswer(rows: readonly LedgerRow[], change: Partial<AnalyticsAnswer>): AnalyticsAnswer {
  return {
    rows: rows.map((row) => ({
      labels: { model: row.model, app: row.app },
      values: wire(row),
      timeMs: undefined,
    })),
    unreadableRows: 0,
    truncated: false,
    warnings: [],
    cachedAtMs: undefined,
    queryTimeMs: undefined,
    ...change,
  };
}

/** Exact sums of all rows in integers. */
function sums(rows: readonly LedgerRow[]): Record<Metric, number> {
  const sum = (metric: Metric) => rows.reduce((total, row) => total + (row[metric] ?? 0), 0);
  return {
    total_usage: sum("total_usage"),
    request_count: sum("request_count"),
    tokens_total: sum("tokens_total"),
    reasoning_tokens: sum("reasoning_tokens"),
  };
}

function totalAnswer(rows: readonly LedgerRow[]): AnalyticsAnswer {
  return groupedAnswer([{ model: null, app: null, ...sums(rows) }], {});
}

function expectSums(rows: readonly LedgerRow[], pairs: ReturnType<typeof breakdown>["pairs"]): void {
  for (const metric of METRICS) {
    const shown = pairs.reduce((total, { values }) => total + (values[metric] ?? 0), 0);
    const wanted = sums(rows)[metric] / PARTS[metric];
    const gross = rows.reduce((total, row) => total + Math.abs(row[metric] ?? 0), 0) / PARTS[metric];
    expect(Math.abs(shown - wanted), `${metric}: ${shown}, want ${wanted}`).toBeLessThanOrEqual(1e-9 * gross);
  }
}

describe("breakdown: the sum over all pairs is the total", () => {
  test("for any rows and any top", () => {
    const property = fc.property(fc.array(ledgerRow, { maxLength: 12 }), fc.nat(13), (rows, top) => {
      const parts = breakdown(groupedAnswer(rows, {}), totalAnswer(rows), top);
      expectSums(rows, parts.pairs);
      expect(parts.moved).toBe(false);
      expect(parts.pairs.length).toBeLessThanOrEqual(top + 1);
      const identities = parts.pairs.map(({ model, app }) => JSON.stringify([model, app]));
      expect(new Set(identities).size).toBe(identities.length);
    });
    fc.assert(property, RUNS);
  });

  test("also when the service keeps rows to itself", () => {
    const rows = fc.array(ledgerRow, { minLength: 1, maxLength: 12 });
    const property = fc.property(rows, fc.nat(13), fc.nat(12), fc.boolean(), (all, top, listed, cut) => {
      const change = cut ? { truncated: true } : { unreadableRows: 1 };
      const parts = breakdown(groupedAnswer(all.slice(0, listed), change), totalAnswer(all), top);
      expectSums(all, parts.pairs);
      expect(parts.moved).toBe(false);
    });
    fc.assert(property, RUNS);
  });

  test("and no order of the rows makes a difference", () => {
    const rows = fc
      .array(ledgerRow, { maxLength: 8 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    const property = fc.property(rows, fc.nat(9), ([one, other], top) => {
      const names = (order: readonly LedgerRow[]) =>
        breakdown(groupedAnswer(order, {}), totalAnswer(order), top).pairs.map(({ model, app }) => [
          model,
          app,
        ]);
      expect(names(other)).toEqual(names(one));
    });
    fc.assert(property, RUNS);
  });
});
