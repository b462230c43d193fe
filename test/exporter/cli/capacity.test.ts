import { describe, expect, test } from "vitest";
import { capacityWarnings } from "../../../exporter/cli/capacity.ts";
import { loadText } from "../config/simulated-files.ts";
import { testAnalytics, testConfig, testGatewayConfig, testKey } from "../../support/test-config.ts";
import { publishedShard } from "../../support/published-shard.ts";

async function warnings(spend: string, probes: string): Promise<readonly string[]> {
  const text = `
gateway: {base_url: "https://gateway.example/api/v1"}
keys: [{name: ears, api_key_file: /k}]
probe_spend: {${spend}}
probes: [${probes}]
`;
  const loaded = await loadText(text, { files: { "/k": "sk-one" } });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return capacityWarnings(loaded.config);
}

const HOURLY = "{name: a, key: ears, model: acme/ear}";
const EVERY_MINUTE = "{name: b, key: ears, model: acme/ear, schedule: 60s}";

describe("capacityWarnings: the ceiling of the probes", () => {
  test("warns when runs at the maximum cost exceed it before the day ends", async () => {
    expect(
      await warnings("max_cost_per_day: 0.5, max_cost_per_probe: 0.1", `${HOURLY}, ${EVERY_MINUTE}`),
    ).toEqual([
      "at least 1464 runs of probes a day may cost 146.4 credits at 0.1 each (probe_spend.max_cost_per_probe), " +
        "but probe_spend.max_cost_per_day allows 0.5: if costs are unknown, for example while a model fails, probes are skipped later in the day",
    ]);
  });

  test.each([
    ["they just fit", "max_cost_per_day: 2.4, max_cost_per_probe: 0.1", HOURLY],
    ["no probes are configured", "max_cost_per_day: 0.1, max_cost_per_probe: 0.1", ""],
  ])("does not warn when %s", async (_, spend, probes) => {
    expect(await warnings(spend, probes)).toEqual([]);
  });
});

describe("capacityWarnings: the request rate", () => {
  const keys = Array.from({ length: 100 }, (_, index) => testKey(`key-${index}`));

  test("warns when the keys need longer than their schedule", () => {
    const gateway = testGatewayConfig({ requestsPerMinute: 20 });
    expect(capacityWarnings(testConfig({ gateway, keys }))).toEqual([
      "100 keys at 20 requests per minute (gateway.requests_per_minute) take 300 s, but schedule.keys is every 60 s: " +
        "each key is polled every 300 s, and values expire after three times that",
    ]);
  });

  test("warns of each shard whose keys need longer, although all keys together would fit", () => {
    const gateway = testGatewayConfig({ requestsPerMinute: 100 });
    const crowded = Array.from({ length: 3 }, (_, ordinal) => ({
      ordinal,
      count: keys.filter(({ name }) => publishedShard(name, 3) === ordinal).length,
      most: ordinal === 0 ? 34 : 33,
    })).filter(({ count, most }) => count > most);
    expect(crowded.length).toBeGreaterThan(0);
    const config = testConfig({ gateway, keys, shards: 3 });
    const found = capacityWarnings(config);
    expect(found).toHaveLength(crowded.length);
    for (const [index, { ordinal, count, most }] of crowded.entries())
      expect(found[index]).toContain(`shard ${ordinal}: ${count} keys at ${most} requests per minute`);
    expect(capacityWarnings({ ...config, shards: 1 })).toEqual([]);
  });

  test("warns when the queries, with two requests each, need longer than their schedule", () => {
    const interval = { kind: "interval", ms: 5000 } as const;
    const schedule = { keys: interval, analytics: interval, discovery: interval };
    expect(capacityWarnings(testConfig({ analytics: testAnalytics(), schedule }))).toEqual([
      "4 queries at 60 requests per minute (the rate that the endpoint accepts) take 8 s, but schedule.analytics is every 5 s: " +
        "each query is polled every 8 s, and values expire after three times that",
    ]);
  });

  test.each([
    ["the keys just fit", 100],
    ["there is no limit", 0],
  ])("does not warn when %s", (_, requestsPerMinute) => {
    expect(capacityWarnings(testConfig({ gateway: testGatewayConfig({ requestsPerMinute }), keys }))).toEqual(
      [],
    );
  });
});
