import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { statusMessages } from "../gateway/refusal.ts";
import { ask, getKey, keyData, query } from "./client.ts";

const now = Date.parse("2026-11-18T12:00:10Z");
const gateway = createGateway({ now: () => now });
const statuses = Object.keys(statusMessages).map(Number);

beforeAll(async () => {
  await gateway.start();
  gateway.addKey({ name: "billing" });
  gateway.addKey({ name: "search" });
  gateway.spend({ key: "billing", model: "acme/one", micros: 1e6 });
});
afterAll(() => gateway.stop());
afterEach(() => gateway.faults.clear());

describe("error statuses", () => {
  test("are the 14 of the contract", () => {
    expect(statuses).toEqual([400, 401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 504, 524, 529]);
  });

  test.each(statuses)("%i has the envelope as its body", async (status) => {
    gateway.faults.add({ kind: "status", status });
    const answer = await getKey(gateway, "billing");
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: status, message: statusMessages[status] },
    });
  });
});

describe("429", () => {
  test("of the platform describes the limit, with a reset in milliseconds and without Retry-After", async () => {
    gateway.faults.add({ kind: "status", status: 429 });
    expect(await rateHeaders()).toEqual(["20", "0", String(Date.parse("2026-11-18T12:01:00Z")), null]);
    gateway.faults.clear();
    gateway.faults.add({ kind: "status", status: 429, hitLimit: { limit: 3, remaining: 0, resetAt: 5 } });
    expect(await rateHeaders()).toEqual(["3", "0", "5", null]);
  });

  test("of a provider has Retry-After and no limit", async () => {
    gateway.faults.add({ kind: "status", status: 429, origin: "provider", retryAfterSeconds: 30 });
    expect(await rateHeaders()).toEqual([null, null, null, "30"]);
  });
});

describe("a fault affects", () => {
  test("one key", async () => {
    gateway.faults.add({ kind: "status", status: 500, key: "billing" });
    expect((await getKey(gateway, "billing")).status).toBe(500);
    expect((await getKey(gateway, "search")).status).toBe(200);
  });

  test("one endpoint", async () => {
    gateway.faults.add({ kind: "status", status: 503, endpoint: "analytics" });
    expect((await getKey(gateway, "billing")).status).toBe(200);
    expect((await query(gateway, { metrics: ["total_usage"] })).status).toBe(503);
  });

  test("a number of requests, then the next fault applies, then none", async () => {
    const first = gateway.faults.add({ kind: "status", status: 500, times: 2 });
    gateway.faults.add({ kind: "status", status: 503, times: 1 });
    const seen: number[] = [];
    for (let call = 0; call < 4; call += 1) seen.push((await getKey(gateway, "billing")).status);
    expect(seen).toEqual([500, 500, 503, 200]);
    expect(first.hits).toBe(2);
  });
});

describe("broken answers", () => {
  test.each([
    ["html", "text/html", /^<!doctype html>/u],
    ["not_json", "application/json", /^OK/u],
    ["half_json", "application/json", /^\{"data":[^}]*$/u],
    ["empty", "application/json", /^$/u],
  ] as const)("garbage: %s", async (form, contentType, text) => {
    gateway.faults.add({ kind: "garbage", form });
    const answer = await getKey(gateway, "billing");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, contentType]);
    expect(answer.text).toMatch(text);
  });

  test("can change and remove fields of the correct answer", async () => {
    gateway.faults.add({
      kind: "fields",
      set: { "data.limit": "many", "data.new": [1] },
      remove: ["data.usage"],
    });
    const data = await keyData(gateway, "billing");
    expect(data).toMatchObject({ limit: "many", new: [1], usage_daily: 1 });
    expect(data).not.toHaveProperty("usage");
    gateway.faults.clear();
    gateway.faults.add({ kind: "fields", set: { "data.data.0.total_usage": null } });
    expect((await ask(gateway, { metrics: ["total_usage"] })).data).toEqual([{ total_usage: null }]);
  });
});

describe("broken connections", () => {
  test("cut closes the connection in the middle of the body", async () => {
    gateway.faults.add({ kind: "cut", afterBytes: 20 });
    const response = await fetch(`${gateway.url}/key`, { headers: authorization("billing") });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("reset aborts the connection before the headers", async () => {
    gateway.faults.add({ kind: "reset" });
    await expect(getKey(gateway, "billing")).rejects.toThrow("fetch failed");
  });

  test("slow delays the answer", async () => {
    gateway.faults.add({ kind: "slow", delayMs: 2 ** 40, times: 1 });
    const signal = new AbortController();
    const arrival = nextArrival(gateway);
    const never = fetch(`${gateway.url}/key`, { headers: authorization("billing"), signal: signal.signal });
    await arrival;
    // The next call overtakes it, which proves that it waits.
    expect((await getKey(gateway, "billing")).status).toBe(200);
    signal.abort();
    await expect(never).rejects.toThrow("aborted");
    gateway.faults.add({ kind: "status", status: 500, delayMs: 1 });
    expect((await getKey(gateway, "billing")).status).toBe(500);
  });
});

test("the log contains every request and no token", async () => {
  gateway.log.clear();
  gateway.faults.add({ kind: "status", status: 500, key: "search" });
  await getKey(gateway, "billing");
  await getKey(gateway, "search");
  await query(gateway, { metrics: [] });
  await fetch(`${gateway.url}/nowhere?page=2`);
  const line = {
    at: now,
    method: "GET",
    path: "/key",
    key: null,
    userAgent: "node",
    status: 200,
    body: "",
    fault: null,
  };
  const asked = { method: "POST", path: "/analytics/query", endpoint: "analytics" };
  expect(gateway.log.lines).toEqual([
    { ...line, endpoint: "key", key: "billing" },
    { ...line, endpoint: "key", key: "search", status: 500, fault: "status" },
    { ...line, ...asked, key: "management", status: 400, body: '{"metrics":[]}' },
    { ...line, path: "/nowhere?page=2", endpoint: "unknown", status: 404 },
  ]);
  expect(gateway.log.of("key", "billing")).toHaveLength(1);
  expect(JSON.stringify(gateway.log.lines)).not.toContain("sk-sim");
});

function authorization(key: string) {
  return { authorization: `Bearer ${gateway.tokens.get(key)}` };
}

/** Resolves when the next request has arrived and received its fault. */
async function nextArrival(waitedFor: Gateway): Promise<void> {
  await new Promise<void>((resolve) => {
    waitedFor.hooks.beforeAnswer = () => resolve();
  });
  waitedFor.hooks.beforeAnswer = null;
}

async function rateHeaders() {
  const { headers } = await getKey(gateway, "billing");
  const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
  return names.map((name) => headers.get(name));
}
