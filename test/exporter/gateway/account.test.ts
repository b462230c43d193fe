import { describe, expect, test } from "vitest";
import { askAccountCredits, isManagementKey } from "../../../exporter/gateway/account-credits.ts";
import { askCapabilities } from "../../../exporter/gateway/capabilities.ts";
import type { Switches } from "../../gateway/switches.ts";
import { createClient, PLANTED, secretSource } from "../../support/gateway-client.ts";
import { answering, startScriptedServer } from "../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";

async function start(switches: Partial<Switches> = {}) {
  const gateway = await startSimulatedGateway({ switches });
  const { send } = createClient({ baseUrl: gateway.url });
  const ordinary = secretSource(gateway.addKey({ name: "billing" }));
  return { gateway, send, ordinary, management: secretSource(gateway.managementToken) };
}

async function answered(body: object) {
  const server = await startScriptedServer(answering(200, body));
  return createClient({ baseUrl: server.url }).send;
}

describe("askAccountCredits", () => {
  test("reads what was bought and used", async () => {
    const { gateway, send, management } = await start();
    gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
    gateway.spend({ key: "billing", model: "acme/one", micros: 25_750_000, byokMicros: 9e6 });
    expect(await askAccountCredits(send, management)).toEqual({ boughtCredits: 100.5, usedCredits: 25.75 });
  });

  test("reads decimal texts and negative amounts", async () => {
    const send = await answered({ data: { total_credits: "-10.5", total_usage: "0" } });
    const expected = { boughtCredits: -10.5, usedCredits: 0 };
    expect(await askAccountCredits(send, secretSource(PLANTED))).toEqual(expected);
  });

  test.each([
    ["no amount bought", { data: { total_usage: 1 } }],
    ["null, which is not 0", { data: { total_credits: 5, total_usage: null } }],
    ["a text", { data: { total_credits: "many", total_usage: 1 } }],
    ["a list", { data: [] }],
  ])("refuses %s", async (_name, body) => {
    const asked = askAccountCredits(await answered(body), secretSource(PLANTED));
    await expect(asked).rejects.toMatchObject({ kind: "bad_response" });
  });
});

describe("isManagementKey", () => {
  test.each<[string, Partial<Switches>, number]>([
    ["by the field of GET /key", { extraKeyFields: true }, 0],
    ["by a listing, where the field is missing", {}, 1],
  ])("is proved %s", async (_name, switches, listings) => {
    const { gateway, send, ordinary, management } = await start(switches);
    expect([await isManagementKey(send, management), gateway.log.of("keys").length]).toEqual([
      true,
      listings,
    ]);
    expect(await isManagementKey(send, ordinary)).toBe(false);
  });

  test("is not proved by a service that lists no keys", async () => {
    const { send, management } = await start({ missingOperations: ["keys"] });
    expect(await isManagementKey(send, management)).toBe(false);
  });

  test("is unknown after any other failure", async () => {
    const { gateway, send, management } = await start();
    gateway.faults.add({ kind: "status", status: 400, endpoint: "keys" });
    await expect(isManagementKey(send, management)).rejects.toMatchObject({ kind: "bad_request" });
    await expect(isManagementKey(send, secretSource("sk-sim-nobody"))).rejects.toMatchObject({ status: 401 });
  });
});

describe("askCapabilities", () => {
  test("reads the names of metrics, dimensions and granularities", async () => {
    const { send, management } = await start({ missingMetrics: ["byok_fees"] });
    const capabilities = await askCapabilities(send, management);
    expect(capabilities?.metrics).toContainEqual({ name: "credits_usage", isRate: false });
    expect(capabilities?.metrics).toContainEqual({ name: "p90_latency", isRate: true });
    expect(capabilities?.metrics.map(({ name }) => name)).not.toContain("byok_fees");
    expect(capabilities?.dimensions).toContain("api_key_id");
    expect(capabilities?.granularities).toEqual(["minute", "hour", "day", "week", "month"]);
  });

  test("is undefined without the operation", async () => {
    const { send, management } = await start({ missingOperations: ["meta"] });
    expect(await askCapabilities(send, management)).toBeUndefined();
  });

  test("fails for an ordinary key", async () => {
    const { send, ordinary } = await start();
    await expect(askCapabilities(send, ordinary)).rejects.toMatchObject({ kind: "forbidden" });
  });

  test("ignores entries without a name, and unknown parts", async () => {
    const send = await answered({
      data: {
        metrics: [{ name: "a" }, { name: 7 }, null, { name: "b", is_rate: "no" }],
        dimensions: ["x", { name: "m" }],
      },
    });
    expect(await askCapabilities(send, secretSource(PLANTED))).toEqual({
      metrics: [
        { name: "a", isRate: undefined },
        { name: "b", isRate: undefined },
      ],
      dimensions: ["m"],
      granularities: [],
    });
  });

  test.each([{ data: {} }, { data: { metrics: [] } }, { data: { metrics: {}, dimensions: [] } }])(
    "refuses %j",
    async (body) => {
      const asked = askCapabilities(await answered(body), secretSource(PLANTED));
      await expect(asked).rejects.toMatchObject({ kind: "bad_response" });
    },
  );
});
