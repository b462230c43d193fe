import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Amounts, Usage } from "../../../exporter/gateway/port.ts";
import { decimalSum } from "../../../exporter/metrics/decimal-sum.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";

const RUNS = { seed: 20261121, numRuns: 300 };

/** Amounts are integers that the service divides, so that the expected sums are exact: credits by a million. */
const PARTS = { credits: 1e6, requests: 1, tokens: 1, reasoningTokens: 1 } as const;
type Metric = keyof typeof PARTS;
const METRICS: readonly Metric[] = ["credits", "requests", "tokens", "reasoningTokens"];

const label = fc.oneof(fc.constantFrom("a", "b", "c", "_other", "_none", ""), fc.constant(null));
/** In millionths; the sum of twelve is a number of at most 15 digits. */
const credits = fc.oneof(
  fc.integer({ min: -5_000_000, max: 1e9 }),
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -8e13, max: 8e13 }),
);
const count = fc.oneof(fc.nat(3), fc.nat(1e9), fc.integer({ min: 0, max: 5e14 }));

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

/** The sum of the shown texts is the total's text, to the last digit. */
function expectSums(rows: readonly LedgerRow[], pairs: ReturnType<typeof breakdown>["pairs"]): void {
  for (const metric of METRICS) {
    const units = pairs.map(({ amounts }) => unitsOf(amounts[metric] ?? 0));
    const shown = units.reduce((sum, each) => sum + each, 0n);
    const wanted = unitsOf(sums(rows)[metric] / PARTS[metric]);
    expect([metric, shown]).toEqual([metric, wanted]);
  }
}

/** A number in units of 1e-30, by its shortest text. */
function unitsOf(amount: number): bigint {
  const [digits = "", exponent = "0"] = String(amount).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(30 - fraction.length + Number(exponent));
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

  test("or a flag reports that the rows exceed the total, and nothing is invented", () => {
    const rows = fc.array(ledgerRow, { minLength: 1, maxLength: 12 });
    const property = fc.property(rows, fc.nat(13), fc.nat(12), (all, top, counted) => {
      const usage = usageOf(all.slice(0, counted), all);
      const { pairs, exceedsTotal } = breakdown(usage, top);
      const [total, known] = [sums(all.slice(0, counted)), sums(all)];
      for (const metric of METRICS) {
        const shown = decimalSum(pairs.map(({ amounts }) => amounts[metric] ?? 0));
        expect(shown).toBe(Math.max(total[metric], known[metric]) / PARTS[metric]);
      }
      expect(exceedsTotal).toBe(METRICS.some((metric) => known[metric] > total[metric]));
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
});
