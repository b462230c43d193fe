import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { getKey, keyData } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:00Z");
const gateway = createGateway({ now: () => noon, keys: 2 });
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());

describe("control over HTTP", () => {
  test("reads and sets the clock", async () => {
    const iso = "2026-11-30T23:59:00.000Z";
    expect(await control("POST", "clock", { set: iso, speed: 0 })).toEqual([
      200,
      { now: Date.parse(iso), iso, speed: 0 },
    ]);
    expect(await control("POST", "clock", { advance_ms: 60_000 })).toMatchObject([
      200,
      { iso: "2026-12-01T00:00:00.000Z" },
    ]);
    expect(gateway.clock.now()).toBe(Date.parse("2026-12-01T00:00:00Z"));
    gateway.clock.set(noon);
    expect(await control("GET", "clock")).toMatchObject([200, { now: noon }]);
  });

  test("adds keys, changes limits and spends", async () => {
    const [status, made] = await control("POST", "keys", {
      name: "made",
      limitMicros: 3e6,
      limitReset: "daily",
    });
    const [, keys] = await control("GET", "keys");
    expect([status, made]).toEqual([200, { token: gateway.tokens.get("made") }]);
    expect(keys).toEqual({ management: gateway.managementToken, keys: Object.fromEntries(gateway.tokens) });
    const spend = { key: "made", model: "acme/one", app: "Chat", micros: 3e6, requests: 2 };
    expect(await control("POST", "spend", spend)).toEqual([200, { accepted: true, status: 200 }]);
    expect(await control("POST", "spend", spend)).toEqual([200, { accepted: false, status: 402 }]);
    expect(await control("POST", "limit", { key: "made", micros: null })).toEqual([200, {}]);
    expect(await keyData(gateway, "made")).toMatchObject({ limit: null, usage: 3 });
    await control("POST", "disable", { key: "made" });
    expect((await getKey(gateway, "made")).status).toBe(401);
    await control("POST", "enable", { key: "made" });
    expect((await getKey(gateway, "made")).status).toBe(200);
  });

  test("adds, lists and clears faults", async () => {
    const fault = { kind: "status", status: 429, key: "billing", times: 3, headers: { "Retry-After": "9" } };
    const [, added] = await control("POST", "faults", fault);
    expect(await getKey(gateway, "billing")).toMatchObject({ status: 429 });
    const [, list] = await control("GET", "faults");
    expect(list).toEqual([{ id: 1, fault, hits: 1 }]);
    expect(added).toEqual({ id: 1 });
    await control("DELETE", "faults?id=1");
    expect(await getKey(gateway, "billing")).toMatchObject({ status: 200 });
  });

  test.each<[string, string, unknown, string]>([
    ["POST", "clock", { set: "2026-11-18T12:00:00" }, "set"],
    ["POST", "clock", { sped: 2 }, "sped"],
    ["POST", "spend", { key: "billing", model: "a/b", micros: 1.5 }, "micros"],
    ["POST", "spend", { key: "nobody", model: "a/b" }, "nobody"],
    ["POST", "switches", { lag: 5 }, "lag"],
    ["POST", "keys", { name: "billing" }, "it already exists"],
    ["POST", "credits", { kind: "purchase", micros: -5 }, "purchase"],
    ["GET", "books/key", undefined, "name"],
  ])("answers %s %s %j with a 400 that names the error", async (method, path, body, text) => {
    const [status, answer] = await control(method, path, body);
    expect([status, answer]).toEqual([400, { error: { code: 400, message: expect.stringContaining(text) } }]);
  });
});

async function control(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const url = new URL(`/_sim/${path}`, gateway.url);
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}
