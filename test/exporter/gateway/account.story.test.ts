import { describe, expect, test } from "vitest";
import { fetchCapabilities } from "../../../exporter/gateway/gateway.ts";
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

describe("fetchCapabilities", () => {
  test("reads the names of metrics, dimensions and granularities", async () => {
    const { send, management } = await start({ missingMetrics: ["byok_fees"] });
    const capabilities = await fetchCapabilities(send, management);
    expect(capabilities?.metrics).toContainEqual({ name: "credits_usage", isRate: false });
    expect(capabilities?.metrics).toContainEqual({ name: "p90_latency", isRate: true });
    expect(capabilities?.metrics.map(({ name }) => name)).not.toContain("byok_fees");
    expect(capabilities?.dimensions).toContain("api_key_id");
    expect(capabilities?.granularities).toEqual(["minute", "hour", "day", "week", "month"]);
  });

  test("is undefined without the operation", async () => {
    const { send, management } = await start({ missingOperations: ["meta"] });
    expect(await fetchCapabilities(send, management)).toBeUndefined();
  });

  test("fails for an ordinary key", async () => {
    const { send, ordinary } = await start();
    await expect(fetchCapabilities(send, ordinary)).rejects.toMatchObject({ kind: "forbidden" });
  });

  test.each([{ data: {} }, { data: { metrics: [] } }, { data: { metrics: {}, dimensions: [] } }])(
    "refuses %j",
    async (body) => {
      const asked = fetchCapabilities(await answered(body), secretSource(PLANTED));
      await expect(asked).rejects.toMatchObject({ kind: "bad_response" });
    },
  );
});
