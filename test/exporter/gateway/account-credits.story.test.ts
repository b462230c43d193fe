import { describe, expect, test } from "vitest";
import { Secret } from "../../../exporter/secrets/secret.ts";
import type { Switches } from "../../gateway/switches.ts";
import { createClient, PLANTED, secretSource } from "../../support/gateway-client.ts";
import { answering, startScriptedServer } from "../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";

const HOUR = 3_600_000;

async function start(switches: Partial<Switches> = {}) {
  const gateway = await startSimulatedGateway({ switches });
  const { clientFor, clock } = createClient({ baseUrl: gateway.url });
  gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
  gateway.addKey({ name: "payer" });
  gateway.spend({ key: "payer", model: "acme/one", micros: 25_750_000, byokMicros: 9e6 });
  const credits = (secret: ReturnType<typeof secretSource>) =>
    clientFor({ endpoint: "account", name: "credits" }).credits(secret);
  const requests = () => (["keys", "credits"] as const).map((endpoint) => gateway.log.of(endpoint).length);
  const ordinary = secretSource(gateway.addKey({ name: "billing" }));
  return { gateway, clock, credits, requests, ordinary, management: secretSource(gateway.managementToken) };
}

const CREDITS = { boughtCredits: 100.5, usedCredits: 25.75 };

describe("credits: the proof that the secret is a management key", () => {
  test("is a listing of keys, which an ordinary key may not read", async () => {
    const { credits, requests, ordinary, management } = await start();
    expect(await credits(management)).toEqual(CREDITS);
    expect(await credits(ordinary)).toBe("unproved");
    expect(requests()).toEqual([2, 1]);
  });

  test("holds for a day", async () => {
    const { credits, requests, clock, management } = await start();
    await credits(management);
    await clock.advance(24 * HOUR - 1);
    expect(await credits(management)).toEqual(CREDITS);
    expect(requests()).toEqual([1, 2]);
    await clock.advance(1);
    expect(await credits(management)).toEqual(CREDITS);
    expect(requests()).toEqual([2, 3]);
  });

  test("holds for one secret, not for whatever replaces it in the file", async () => {
    const { gateway, credits, requests, ordinary } = await start();
    const texts = [gateway.managementToken];
    const other = (await ordinary.read()).reveal();
    const file = { origin: "file", read: async () => new Secret(texts.shift() ?? other) };
    expect(await credits(file)).toEqual(CREDITS);
    expect(await credits(file)).toBe("unproved");
    expect(requests()).toEqual([2, 1]);
  });

  test.each(["keys", "credits"] as const)("is of no use to a service without %s", async (operation) => {
    const { credits, management } = await start({ missingOperations: [operation] });
    expect(await credits(management)).toBe("unsupported");
  });

  test("is unknown after any other failure", async () => {
    const { gateway, credits, management } = await start();
    await expect(credits(secretSource("sk-sim-nobody"))).rejects.toMatchObject({ status: 401 });
    gateway.faults.add({ kind: "status", status: 400, endpoint: "keys" });
    await expect(credits(management)).rejects.toMatchObject({ kind: "bad_request" });
  });
});

describe("credits: the answer", () => {
  test.each([
    ["no amount bought", { data: { total_usage: 1 } }],
    ["null, which is not 0", { data: { total_credits: 5, total_usage: null } }],
  ])("is refused with %s", async (_name, body) => {
    await expect(asked(body)).rejects.toMatchObject({ kind: "bad_response" });
  });
});

async function asked(body: object) {
  const server = await startScriptedServer(answering(200, { data: [] }), answering(200, body));
  const { clientFor } = createClient({ baseUrl: server.url });
  return clientFor({ endpoint: "account", name: "credits" }).credits(secretSource(PLANTED));
}
