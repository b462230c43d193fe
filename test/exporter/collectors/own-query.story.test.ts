import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { QueryConfig } from "../../../exporter/config/config.ts";
import { createClient } from "../../support/gateway-client.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { secretSource, testConfig } from "../../support/test-config.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const KEYS: QueryConfig = {
  name: "mine",
  dimensions: ["api_key_id", "model"],
  metrics: ["credits", "requests"],
  window: "day",
  top: 50,
  filters: [],
};

/** A gateway on which two keys have spent, one of them under two names and with BYOK. */
async function start() {
  const gateway = await startSimulatedGateway({ startAt: NOON });
  gateway.addKey({ name: "one", title: "Prod" });
  gateway.addKey({ name: "two", title: "Batch" });
  gateway.addKey({ name: "three", title: "Batch" });
  const spend = (key: string, model: string, micros: number, user: string | null = null) =>
    gateway.spend({ key, model, micros, byokMicros: 70_000, user, provider: "North", at: NOON - 60_000 });
  spend("one", "acme/one", 1_500_000, "user_ada");
  spend("one", "acme/two", 250_000);
  spend("two", "acme/one", 30_000);
  spend("three", "acme/one", 4_000);
  return gateway;
}

/** The lines of the query on that gateway, without the common prefix, and its requests. */
async function run(change: Partial<QueryConfig>, known?: Awaited<ReturnType<typeof start>>) {
  const gateway = known ?? (await start());
  const { clientFor } = createClient({ baseUrl: gateway.url });
  const query = { ...KEYS, ...change };
  const analytics = {
    managementKey: secretSource(gateway.managementToken),
    top: 50,
    rates: false,
    queries: [query],
  };
  const job = analyticsCollector.jobs(testConfig({ analytics })).find(({ name }) => name === query.name);
  const result = await job?.run(clientFor({ endpoint: "analytics", name: query.name }), NOON);
  const lines = sampleLines(analyticsCollector.families, result?.samples ?? []);
  return {
    lines: lines
      .filter((line) => line.startsWith("aigateway_query_"))
      .map((line) => line.replace("aigateway_query_", "").replace('query="mine",', "")),
    about: lines.filter((line) => line.startsWith("aigateway_analytics_")),
    requests: gateway.log.of("analytics").map(({ body }) => JSON.parse(body)),
  };
}

describe("a query by the tags of a classifier", () => {
  const CLASSIFIER = "5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10";

  async function tagged(change: Partial<QueryConfig>) {
    const gateway = await startSimulatedGateway({ startAt: NOON });
    gateway.addKey({ name: "one" });
    gateway.world.addClassifier(CLASSIFIER);
    const spend = (micros: number, tags?: Readonly<Record<string, string>>) =>
      gateway.spend({
        key: "one",
        model: "acme/one",
        micros,
        at: NOON - 60_000,
        ...(tags && { tags: { [CLASSIFIER]: tags } }),
      });
    spend(1_000_000, { topic: "billing", language: "en" });
    spend(400_000, { topic: "billing", language: "de" });
    spend(30_000, { topic: "support", language: "en" });
    spend(7000);
    return run({ metrics: ["credits"], ...change }, gateway);
  }

  test("shows each tag, and usage without a tag as _none, so that the sum is the total", async () => {
    const classifier = { id: CLASSIFIER, dimensions: ["topic"] };
    const { lines, requests } = await tagged({ dimensions: ["topic"], classifier });
    expect(lines).toEqual([
      'credits{topic="billing"} 1.4',
      'credits{topic="support"} 0.03',
      'credits{topic="_none"} 0.007',
    ]);
    expect(requests[0]).toMatchObject({
      classifier_dimensions: { classifier_id: CLASSIFIER, dimension_names: ["topic"], include_nulls: true },
    });
    expect(requests[0]).not.toHaveProperty("dimensions");
  });
});

describe("a query of one's own", () => {
  test("shows credits by key and model; keys of one name are one series", async () => {
    const { lines, about } = await run({});
    expect(lines).toEqual([
      'credits{api_key="Prod",model="acme/one"} 1.5',
      'credits{api_key="Prod",model="acme/two"} 0.25',
      'credits{api_key="Batch",model="acme/one"} 0.034',
      'requests{api_key="Prod",model="acme/one"} 1',
      'requests{api_key="Prod",model="acme/two"} 1',
      'requests{api_key="Batch",model="acme/one"} 2',
    ]);
    expect(about).toContain('aigateway_analytics_rows{query="mine"} 4');
    expect(about).toContain('aigateway_analytics_colliding_rows{query="mine"} 1');
  });

  test("shows the rest as _other, so that the sum is the total", async () => {
    expect((await run({ top: 1, metrics: ["credits"] })).lines).toEqual([
      'credits{api_key="Prod",model="acme/one"} 1.5',
      'credits{api_key="_other",model="_other"} 0.284',
    ]);
  });

  test("limits rows and total by its filters", async () => {
    const filters = [{ field: "model", operator: "in" as const, values: ["acme/two"], includeUnset: false }];
    const { lines, requests } = await run({ filters, metrics: ["credits"] });
    expect(lines).toEqual(['credits{api_key="Prod",model="acme/two"} 0.25']);
    expect(requests.map((body) => body.filters)).toEqual([
      [{ field: "model", operator: "in", value: ["acme/two"] }],
      [{ field: "model", operator: "in", value: ["acme/two"] }],
    ]);
  });
});
