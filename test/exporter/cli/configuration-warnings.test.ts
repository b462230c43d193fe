import { describe, expect, test } from "vitest";
import { capacityWarnings, scheduleWarnings } from "../../../exporter/cli/configuration-warnings.ts";
import type { Config } from "../../../exporter/config/config.ts";
import { loadText } from "../secrets/simulated-files.ts";
import { testAnalytics, testConfig, testGatewayConfig, testKey } from "../../support/test-config.ts";

async function configOf(
  probes: string,
  spend = "max_cost_per_day: 9, max_cost_per_probe: 0.1",
  keys = "60s",
): Promise<Config> {
  const text = `
gateway: {base_url: "https://gateway.example/api/v1"}
keys: [{name: ears, api_key_file: /k}]
probe_spend: {${spend}}
probes: [${probes}]
schedule: {keys: "${keys}"}
`;
  const loaded = await loadText(text, { files: { "/k": "sk-one" } });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const HOURLY = "{name: a, key: ears, model: acme/ear}";
const EVERY_MINUTE = "{name: b, key: ears, model: acme/ear, schedule: 60s}";

describe("capacityWarnings: the ceiling of the probes", () => {
  test("warns when runs at the maximum cost exceed it before the day ends", async () => {
    expect(
      capacityWarnings(
        await configOf(`${HOURLY}, ${EVERY_MINUTE}`, "max_cost_per_day: 0.5, max_cost_per_probe: 0.1"),
      ),
    ).toEqual([
      "at least 1464 runs of probes a day may cost 146.4 credits at 0.1 each (probe_spend.max_cost_per_probe), " +
        "but probe_spend.max_cost_per_day allows 0.5: if costs are unknown, for example while a model fails, probes are skipped later in the day",
    ]);
  });

  test.each([
    ["they just fit", "max_cost_per_day: 2.4, max_cost_per_probe: 0.1", HOURLY],
    ["no probes are configured", "max_cost_per_day: 0.1, max_cost_per_probe: 0.1", ""],
  ])("does not warn when %s", async (_, spend, probes) => {
    expect(capacityWarnings(await configOf(probes, spend))).toEqual([]);
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

  test("warns when the queries, with two requests each, need longer than their schedule", () => {
    const interval = { kind: "interval", ms: 5000 } as const;
    const schedule = { keys: interval, analytics: interval, discovery: interval };
    expect(capacityWarnings(testConfig({ analytics: testAnalytics(), schedule }))).toEqual([
      "4 queries at 60 requests per minute (the rate that the endpoint accepts) take 8 s, but schedule.analytics is every 5 s: " +
        "each query is polled every 8 s, and values expire after three times that",
    ]);
  });

  test("warns of a shard without keys", () => {
    expect(capacityWarnings(testConfig({ keys: keys.slice(0, 1), shards: 2 }))).toEqual([
      "no key falls to shard 0, so it polls nothing; use fewer than 2 shards",
    ]);
    expect(capacityWarnings(testConfig({ keys: keys.slice(0, 1), shards: 9 }))).toEqual([
      "no key falls to the shards 0, 2, 3 and 5 more, so they poll nothing; use fewer than 9 shards",
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

const WHY =
  "runs only on days that match both its day of month and its day of week; most crons run on days that match either";

describe("scheduleWarnings()", () => {
  test.each([
    "0 0 13 * 5",
    "30 0 0 13 * 5",
    "0 0 */2 * mon-fri",
    "0 0 1 * 1#1",
    // Both fields are named, so most crons run on the days of either: every day.
    "0 0 1-31 * 5",
  ])("warns of %s", async (expression) => {
    expect(scheduleWarnings(await configOf("", undefined, expression))).toEqual([
      `schedule.keys: "${expression}" ${WHY}`,
    ]);
  });

  test.each(["0 0 13 * *", "0 0 * * 5", "0 0 1-31 * 0-6", "0 0 13 * */1", "60s"])(
    "does not warn of %s",
    async (expression) => {
      expect(scheduleWarnings(await configOf("", undefined, expression))).toEqual([]);
    },
  );

  test("names the probe", async () => {
    expect(
      scheduleWarnings(await configOf('{name: a, key: ears, model: acme/ear, schedule: "0 0 13 * 5"}')),
    ).toEqual([`schedule of probe "a": "0 0 13 * 5" ${WHY}`]);
  });
});
