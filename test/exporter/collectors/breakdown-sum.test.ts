import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";
import type { Amounts, Usage } from "../../../exporter/gateway/port.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";

const RUNS = { seed: 20261121, numRuns: 1000 };

/** Amounts are integers that the service divides, so that the expected sums are exact: credits by a million. */
const PARTS = { credits: 1e6, requests: 1, tokens: 1, reasoningTokens: 1 } as const;
type Metric = keyof typeof PARTS;
const METRICS: readonly Metric[] = ["credits", "requests", "tokens", "reasoningTokens"];

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
  credits: fc.option(credits),
  requests: count,
  tokens: fc.option(count),
  reasoningTokens: fc.option(count),
});
type LedgerRow = typeof ledgerRow extends fc.Arbitrary<infer Row> ? Row : never;

function amountsIn(row: Record<Metric, number | null>): Amounts {
  const value = (metric: Metric) => (row[metric] === null ? undefined : row[metric] / PARTS[metric]);
  return amountsOf(Object.fromEntries(METRICS.map((metric) => [metric, value(metric)])));
}

/** The total of all rows, and pairs of the rows that the service lists. */
function usageOf(rows: readonly LedgerRow[], listed = rows, change: Partial<Usage> = {}): Usage {
  return {
    ...NO_USAGE,
    pairs: listed.map((row) => ({
      model: row.model,
      app: row.app,
      amounts: amountsIn(row),
      rates: NO_RATES,
    })),
    total: { amounts: amountsIn(sums(rows)), empty: false },
    ...change,
  };
}

const NO_RATES = {
  cacheHitRatio: undefined,
  latencyAvgSeconds: undefined,
  latencyP90Seconds: undefined,
};

/** Exact sums of all rows in integers. */
function sums(rows: readonly LedgerRow[]): Record<Metric, number> {
  const sum = (metric: Metric) => rows.reduce((total, row) => total + (row[metric] ?? 0), 0);
  return {
    credits: sum("credits"),
    requests: sum("requests"),
    tokens: sum("tokens"),
    reasoningTokens: sum("reasoningTokens"),
  };
}

function expectSums(rows: readonly LedgerRow[], pairs: ReturnType<typeof breakdown>["pairs"]): void {
  for (const metric of METRICS) {
    const shown = pairs.reduce((total, { amounts }) => total + (amounts[metric] ?? 0), 0);
    const wanted = sums(rows)[metric] / PARTS[metric];
    const gross = rows.reduce((total, row) => total + Math.abs(row[metric] ?? 0), 0) / PARTS[metric];
    expect(Math.abs(shown - wanted), `${metric}: ${shown}, want ${wanted}`).toBeLessThanOrEqual(1e-9 * gross);
  }
}

describe("breakdown: the sum over all pairs is the total", () => {
  test("for any rows and any top", () => {
    const property = fc.property(fc.array(ledgerRow, { maxLength: 12 }), fc.nat(13), (rows, top) => {
      const parts = breakdown(usageOf(rows), top);
      expectSums(rows, parts.pairs);
      expect(parts.pairs.length).toBeLessThanOrEqual(top + 1);
      const identities = parts.pairs.map(({ model, app }) => JSON.stringify([model, app]));
      expect(new Set(identities).size).toBe(identities.length);
    });
    fc.assert(property, RUNS);
  });

  test("even if the service does not list all rows", () => {
    const rows = fc.array(ledgerRow, { minLength: 1, maxLength: 12 });
    const property = fc.property(rows, fc.nat(13), fc.nat(12), fc.boolean(), (all, top, listed, cut) => {
      const change = cut ? { truncated: true } : { unreadableRows: 1 };
      const parts = breakdown(usageOf(all, all.slice(0, listed), change), top);
      expectSums(all, parts.pairs);
      expect(parts.pairs.length).toBeLessThanOrEqual(top + 1);
    });
    fc.assert(property, RUNS);
  });

  test("in any order of the rows", () => {
    const rows = fc
      .array(ledgerRow, { maxLength: 8 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    const property = fc.property(rows, fc.nat(9), ([one, other], top) => {
      const names = (order: readonly LedgerRow[]) =>
        breakdown(usageOf(order), top).pairs.map(({ model, app }) => [model, app]);
      expect(names(other)).toEqual(names(one));
    });
    fc.assert(property, RUNS);
  });
});
