import { describe, expect, test } from "vitest";
import { parseKey } from "../../../../exporter/gateway/wire/key.ts";
import type { Switches } from "../../../gateway/switches.ts";
import { createClient } from "../../../support/gateway-client.ts";
import { secretSource } from "../../../support/test-config.ts";
import { startSimulatedGateway } from "../../../support/simulated-gateway.ts";
import type { KeyInformation } from "../../../../exporter/gateway/account.ts";

/** An answer of the simulated service about a key with spend, on a Wednesday at noon. */
async function answer(switches: Partial<Switches>): Promise<KeyInformation> {
  const gateway = await startSimulatedGateway({ switches });
  const token = gateway.addKey({
    name: "billing",
    limitMicros: 5_000_000,
    limitReset: "weekly",
    includeByokInLimit: true,
    expiresAt: Date.UTC(2027, 0, 1),
  });
  const day = 86_400_000;
  for (const days of [0, 1, 10, 100]) {
    const at = gateway.clock.now() - days * day;
    gateway.spend({ key: "billing", model: "acme/one", micros: 1_100_000, byokMicros: 200_000, at });
  }
  return createClient({ baseUrl: gateway.url }).clientFor().currentKey(secretSource(token));
}

const KNOWN: KeyInformation = {
  label: expect.stringMatching(/^sk-sim-v1-..\.\.\....$/),
  limitCredits: 5,
  limitReset: "weekly",
  remainingCredits: 2.4,
  byokInLimit: true,
  usage: { total: 4.4, day: 1.1, week: 2.2, month: 3.3 },
  byokUsage: { total: 0.8, day: 0.2, week: 0.4, month: 0.6 },
  freeTier: false,
  expiresAtMs: undefined,
  freeRequests: { limit: undefined, used: undefined, remaining: undefined },
};

describe("currentKey: an answer of a service", () => {
  test.each<[string, Partial<Switches>, Partial<KeyInformation>]>([
    ["that follows the contract", {}, {}],
    ["that writes numbers as strings", { keyNumbersAsStrings: true }, {}],
    [
      "that sends more than the contract",
      { extraKeyFields: true },
      {
        isManagementKey: false,
        expiresAtMs: Date.UTC(2027, 0, 1),
        freeRequests: { limit: 1000, used: 0, remaining: 1000 },
      },
    ],
    [
      "that lacks recent fields",
      { missingKeyFields: ["usage_daily", "byok_usage", "is_free_tier", "include_byok_in_limit", "label"] },
      {
        label: undefined,
        byokInLimit: undefined,
        freeTier: undefined,
        usage: { ...KNOWN.usage, day: undefined },
        byokUsage: { ...KNOWN.byokUsage, total: undefined },
      },
    ],
    ["with an unknown kind of reset", { limitResetText: "fortnightly" }, { limitReset: "other" }],
  ])("%s", async (_, switches, change) => {
    expect(await answer(switches)).toEqual({ ...KNOWN, ...change });
  });
});

describe("parseKey: bodies that are not key information", () => {
  const none = "data: has neither usage nor limit nor limit_remaining, so it is not key information";
  test.each<[string, unknown, string]>([
    ["null", null, "the body: Invalid input: expected object, received null"],
    ["an error with status 200", { error: { message: "No" } }, "gateway answered with an error: No"],
    ["empty data", { data: {} }, none],
    ["nothing known", { data: { usage: null, label: "sk-...", is_free_tier: true } }, none],
  ])("%s", (_, body, why) => {
    expect(() => parseKey(body, 'read key "billing"')).toThrow(
      expect.objectContaining({
        name: "GatewayError",
        kind: "bad_response",
        status: undefined,
        message: `Cannot read key "billing": ${why}`,
      }),
    );
  });

  test.each<[string, object]>([
    ["a limit alone", { limit: 5 }],
    ["a remaining amount alone", { limit_remaining: 0 }],
  ])("%s is key information", (_, data) => {
    expect(() => parseKey({ data }, "read it")).not.toThrow();
  });
});
