import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { statusMessages } from "../gateway/refusal.ts";
import { ask, get, getKey, keyData, query } from "./client.ts";

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

  test("can have another message, metadata, headers or body", async () => {
    const metadata = { provider_code: "E42" };
    gateway.faults.add({ kind: "status", status: 502, message: "no", metadata, times: 1 });
    expect(JSON.parse((await getKey(gateway, "billing")).text)).toEqual({
      error: { code: 502, message: "no", metadata },
    });
    gateway.faults.add({ kind: "status", status: 500, body: "oops", headers: { "X-Edge": "7" } });
    const answer = await getKey(gateway, "billing");
    expect([answer.status, answer.text, answer.headers.get("x-edge")]).toEqual([500, "oops", "7"]);
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

  test("headers are absent from successful answers", async () => {
    expect(await rateHeaders()).toEqual([null, null, null, null]);
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

  test("requests with one query parameter, in any order", async () => {
    gateway.faults.add({ kind: "status", status: 400, parameter: "offset=100" });
    const statusOf = async (path: string) => (await get(gateway, path, gateway.managementToken)).status;
    expect(await statusOf("/keys?offset=100&include_disabled=true")).toBe(400);
    expect(await statusOf("/keys?offset=1000")).toBe(200);
    expect(await statusOf("/keys")).toBe(200);
    expect(await statusOf("/keys?include_disabled=true&offset=100")).toBe(400);
  });

  test("a number of requests, then the next fault applies, then none", async () => {
    const first = gateway.faults.add({ kind: "status", status: 500, times: 2 });
    gateway.faults.add({ kind: "status", status: 503, times: 1 });
    const seen: number[] = [];
    for (let call = 0; call < 4; call += 1) seen.push((await getKey(gateway, "billing")).status);
    expect(seen).toEqual([500, 500, 503, 200]);
    expect(first.hits).toBe(2);
  });

  test("all requests until it is cleared", async () => {
    const fault = gateway.faults.add({ kind: "status", status: 500 });
    gateway.faults.add({ kind: "status", status: 502 });
    expect((await getKey(gateway, "billing")).status).toBe(500);
    fault.clear();
    expect((await getKey(gateway, "billing")).status).toBe(502);
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

  test("can have any body, type and status", async () => {
    gateway.faults.add({ kind: "body", body: "[1]", contentType: "text/x", status: 201 });
    const answer = await getKey(gateway, "billing");
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([201, "text/x", "[1]"]);
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

  test("can be redirects", async () => {
    gateway.faults.add({ kind: "redirect", location: "http://127.0.0.1:1/elsewhere", status: 307 });
    const answer = await getKey(gateway, "billing");
    expect([answer.status, answer.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/elsewhere"]);
  });

  test("can be oversized JSON of a given length", async () => {
    gateway.faults.add({ kind: "oversize", bytes: 3_000_000 });
    const { text } = await getKey(gateway, "billing");
    expect(text).toHaveLength(3_000_000);
    expect(() => JSON.parse(text)).not.toThrow();
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

  test("drip sends the whole body, a few bytes at a time", async () => {
    const whole = (await getKey(gateway, "billing")).text;
    gateway.faults.add({ kind: "drip", everyMs: 1, bytesAtOnce: 25 });
    const response = await fetch(`${gateway.url}/key`, { headers: authorization("billing") });
    const parts: string[] = [];
    for await (const part of response.body ?? []) parts.push(Buffer.from(part).toString());
    expect(parts.join("")).toBe(whole);
    expect(parts.length).toBeGreaterThan(1);
  });

  test("stop aborts dripping and delayed answers, and start serves again", async () => {
    const other = createGateway({ now: () => now });
    await other.start();
    other.addKey({ name: "billing" });
    other.faults.add({ kind: "drip", times: 1 });
    other.faults.add({ kind: "slow", delayMs: 2 ** 40, times: 1 });
    const dripping = await fetch(`${other.url}/key`, { headers: authorization("billing") });
    const arrival = nextArrival(other);
    const waiting = getKey(other, "billing").catch((error: unknown) => error);
    await arrival;
    const port = Number(new URL(other.url).port);
    const text = dripping.text().catch((error: unknown) => error);
    await other.stop();
    expect([await text, await waiting]).toEqual([expect.any(Error), expect.any(Error)]);
    expect(() => other.url).toThrow("it is not started");
    await other.start(port);
    expect((await getKey(other, "billing")).status).toBe(200);
    await other.stop();
  });
});

describe("hooks can change the world between two requests", () => {
  test("afterQuery can move a row after the first query", async () => {
    gateway.addKey({ name: "moving" });
    gateway.hooks.afterQuery = () => void gateway.spend({ key: "moving", model: "acme/late", micros: 3e6 });
    const body = { metrics: ["total_usage"] };
    const first = await ask(gateway, body);
    gateway.hooks.afterQuery = null;
    expect([first.data, (await ask(gateway, body)).data]).toEqual([
      [{ total_usage: 1 }],
      [{ total_usage: 4 }],
    ]);
  });

  test("beforeAnswer receives the request and can delay the answer", async () => {
    const seen: unknown[] = [];
    gateway.hooks.beforeAnswer = async (call) => {
      seen.push(call);
      await Promise.resolve();
      gateway.spend({ key: "search", model: "acme/one", micros: 2e6 });
    };
    expect(await keyData(gateway, "search")).toMatchObject({ usage: 2 });
    gateway.hooks.beforeAnswer = null;
    expect(seen).toEqual([{ endpoint: "key", key: "search", body: "" }]);
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
