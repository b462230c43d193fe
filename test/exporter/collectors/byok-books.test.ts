import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { Result } from "../../../exporter/schedule/job.ts";
import { spendOf } from "../../../exporter/readings/reading.ts";
import type { Switches } from "../../gateway/switches.ts";
import { createClient, secretSource } from "../../support/gateway-client.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { testConfig } from "../../support/test-config.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const DAY_START = Date.UTC(2026, 10, 18);

const spends = fc.array(
  fc.record({
    model: fc.constantFrom("acme/one", "acme/two", "acme/three"),
    app: fc.constantFrom(null, "Chat", "Batch"),
    micros: fc.integer({ min: -999_999, max: 99_999_999 }),
    byokMicros: fc.constantFrom(0, 0, 333_333, 70_000_001),
    byokFeeMicros: fc.constantFrom(0, 5),
  }),
  { minLength: 5, maxLength: 40 },
);

/** How the collector's day compares with the books of a simulated gateway with this traffic. */
async function day(seed: number, switches: Partial<Switches>, isLearnt: boolean, withByok = true) {
  const gateway = await startSimulatedGateway({ switches, startAt: NOON });
  gateway.addKey({ name: "billing" });
  for (const [index, spend] of (fc.sample(spends, { seed, numRuns: 1 })[0] ?? []).entries()) {
    const byok = withByok ? {} : { byokMicros: 0, byokFeeMicros: 0 };
    gateway.spend({ key: "billing", ...spend, ...byok, at: DAY_START + index * 60_000, force: true });
  }
  const { clientFor } = createClient({ baseUrl: gateway.url });
  const managementKey = secretSource(gateway.managementToken);
  const client = clientFor({ endpoint: "analytics", name: "day" });
  if (isLearnt) await client.capabilities(managementKey);
  const [job] = analyticsCollector.jobs(
    testConfig({ analytics: { managementKey, top: 2, rates: false, queries: [] } }),
  );
  const result = await job?.run(client, NOON);
  return { ...shownOf(result), books: booksOf(gateway) };
}

function booksOf(gateway: Awaited<ReturnType<typeof startSimulatedGateway>>) {
  const { pairs, total } = gateway.books.analytics({ start: DAY_START, end: NOON });
  return { pairs, ...total.integers };
}

function shownOf({ samples, value }: Partial<Result> = {}) {
  const sumOf = (name: string) =>
    (samples ?? [])
      .filter(({ family }) => family.name === name)
      .reduce((sum, one) => sum + micros(one.value), 0);
  const spent = value && spendOf({ value, askedAtMs: NOON, asOfMs: NOON, timeToLiveMs: 1 })[0];
  return {
    credits: sumOf("aigateway_usage_day_credits"),
    byok: sumOf("aigateway_usage_day_byok_credits"),
    budget: micros(spent?.credits ?? Number.NaN),
    byPair: (spent?.breakdown?.pairs ?? []).map(({ model, app, credits }) => [model, app, micros(credits)]),
    source: samples?.find(({ family, value: is }) => family.name === SOURCE && is === 1)?.labels,
  };
}

const SOURCE = "aigateway_analytics_credits_source";

function micros(credits: number | undefined): number {
  return Math.round((credits ?? Number.NaN) * 1e6);
}

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);

describe("credits with BYOK traffic equal the gateway's ledger", () => {
  test.each<[string, Partial<Switches>, boolean, boolean, string]>([
    ["the service counts credits", {}, true, true, "credits"],
    ["the capabilities are not known yet", {}, false, true, "total_less_byok"],
    ["BYOK is null where there is none", { nullComponents: true }, false, true, "total_less_byok"],
    [
      "the service does not count credits",
      { missingMetrics: ["credits_usage"] },
      true,
      true,
      "total_less_byok",
    ],
    ["the service has no capabilities", { missingOperations: ["meta"] }, true, true, "total_less_byok"],
    ["numbers are texts", { numbersAs: "strings" }, false, true, "total_less_byok"],
    ["there is no BYOK", {}, true, false, "credits"],
    [
      "there is no BYOK, nor a metric of it",
      { missingMetrics: ["credits_usage", "byok_usage"] },
      true,
      false,
      "total",
    ],
    ["the metric of BYOK is refused", { missingMetrics: ["byok_usage"] }, false, false, "total"],
  ])("%s", async (_, switches, isLearnt, withByok, source) => {
    for (const seed of SEEDS) {
      const { books, credits, byok, budget, byPair, ...shown } = await day(
        seed,
        switches,
        isLearnt,
        withByok,
      );
      expect([credits, byok, budget]).toEqual([books.credits_usage, books.byok_usage, books.credits_usage]);
      expect(new Set(byPair.map((pair) => JSON.stringify(pair)))).toEqual(
        new Set(
          books.pairs.map(({ model, app, integers }) =>
            JSON.stringify([model, app ?? "_none", integers.credits_usage]),
          ),
        ),
      );
      expect(shown.source).toBe(`query="day",${SOURCE}="${source}"`);
    }
  });

  test("only a service without any metric of it counts BYOK as credits, and this is shown", async () => {
    const missingMetrics = ["credits_usage", "byok_usage"];
    const { books, credits, byok, source } = await day(1, { missingMetrics }, false);
    expect([credits, byok]).toEqual([books.total_usage, 0]);
    expect(source).toBe(`query="day",${SOURCE}="total"`);
    expect(books.byok_usage).toBeGreaterThan(0);
  });
});
