import { beforeAll, afterAll, afterEach, describe, expect, test } from "vitest";
import type { Fault } from "../gateway/faults.ts";
import { createGateway } from "../gateway/gateway.ts";
import { statusMessages } from "../gateway/refusal.ts";
import { createSwitches } from "../gateway/switches.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { ask, getKey, keyData, transcribe } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:10Z");
const minuteEnd = String(Date.parse("2026-11-18T12:01:00Z"));
const dayEnd = String(Date.parse("2026-11-19T00:00:00Z"));
let now = noon;
const gateway = createGateway({ now: () => now });
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());
afterEach(() => {
  now = noon;
  gateway.faults.clear();
  gateway.manners.reset();
  Object.assign(gateway.switches, createSwitches());
});

const model = "acme/ears";
const free = "acme/ears:free";
const input_audio = { data: "UklGRg==", format: "wav" };
const call = (key: string, wanted = model) => transcribe(gateway, key, { input_audio, model: wanted });
const statusOf = async (key: string, wanted?: string) => (await call(key, wanted)).status;

describe("a transcription is charged", () => {
  test("to its key and model, without an app, in books and answers", async () => {
    gateway.addKey({ name: "charged", limitMicros: 1000, limitReset: "daily" });
    gateway.manners.change({ micros: 123 }, model);
    gateway.manners.change({ micros: 77, latencyMs: 5 }, "acme/other");
    await call("charged");
    await call("charged");
    await call("charged", "acme/other");
    expect(await keyData(gateway, "charged")).toMatchObject({
      usage: 0.000323,
      usage_daily: 0.000323,
      limit_remaining: 0.000677,
    });
    const metrics = ["total_usage", "request_count", "tokens_prompt", "tokens_completion", "avg_latency"];
    const filters = [{ field: "api_key_id", operator: "eq", value: gateway.world.key("charged").id }];
    const order_by = { field: "model", direction: "asc" };
    const { data } = await ask(gateway, { metrics, dimensions: ["model", "app"], filters, order_by });
    const tokens = { tokens_prompt: 50, tokens_completion: 28 };
    expect(data).toEqual([
      { model, app: null, total_usage: 0.000246, request_count: 2, ...tokens, avg_latency: 0 },
      {
        model: "acme/other",
        app: null,
        total_usage: 0.000077,
        request_count: 1,
        tokens_prompt: 25,
        tokens_completion: 14,
        avg_latency: 5,
      },
    ]);
    const records = gateway.books.transcriptions().filter(({ key }) => key === "charged");
    expect(records.map(({ cost }) => cost)).toEqual([0.000123, 0.000123, 0.000077]);
  });

  test("at 0 for a free variant", async () => {
    gateway.addKey({ name: "freeloader" });
    gateway.manners.change({ micros: 5 });
    await call("freeloader", free);
    expect(gateway.books.key("freeloader").micros.usage.total).toBe(0);
  });
});

describe("402", () => {
  test("is the answer while the key's limit is used up, until its reset", async () => {
    gateway.addKey({ name: "limited", limitMicros: 15, limitReset: "daily" });
    gateway.manners.change({ micros: 10 });
    expect([await statusOf("limited"), await statusOf("limited")]).toEqual([200, 200]);
    const answer = await call("limited");
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      402,
      { error: { code: 402, message: "Insufficient credits" } },
    ]);
    expect(await statusOf("limited", free)).toBe(402);
    expect(gateway.books.key("limited").micros).toMatchObject({ remaining: -5, usage: { total: 20 } });
    now = noon + DAY;
    expect(await statusOf("limited")).toBe(200);
  });

  test("is the answer of paid models if the account is empty, and of all models if it is negative", async () => {
    gateway.world.addAccount("poor", 10);
    gateway.addKey({ name: "poor", account: "poor" });
    gateway.manners.change({ micros: 10 });
    expect([await statusOf("poor"), await statusOf("poor"), await statusOf("poor", free)]).toEqual([
      200, 402, 200,
    ]);
    gateway.spend({ key: "poor", model, micros: 1, force: true });
    expect(await statusOf("poor", free)).toBe(402);
  });
});

describe("a key with credits left", () => {
  test("is refused with 403 beyond its guardrail, until the guardrail's reset", async () => {
    const guardrail = { micros: 15, reset: "daily" as const };
    gateway.addKey({ name: "guarded", limitMicros: 1e6, guardrail });
    gateway.manners.change({ micros: 10 });
    expect([await statusOf("guarded"), await statusOf("guarded")]).toEqual([200, 200]);
    const answer = await call("guarded");
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      403,
      { error: { code: 403, message: "Guardrail budget exceeded" } },
    ]);
    expect(gateway.spend({ key: "guarded", model, micros: 1 })).toEqual({ accepted: false, status: 403 });
    expect(gateway.books.key("guarded").micros.remaining).toBe(1e6 - 20);
    now = noon + DAY;
    expect(await statusOf("guarded")).toBe(200);
    gateway.setGuardrail("guarded", null);
    expect(gateway.spend({ key: "guarded", model, micros: 100 }).status).toBe(200);
  });

  test("is refused with 402 and Retry-After while its running calls hold the rest", async () => {
    gateway.addKey({ name: "busy", limitMicros: 1e6, inFlightReason: "in_flight_budget_exhausted" });
    const answer = await call("busy");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([402, "5"]);
    gateway.holdInFlight("busy", null);
    expect(await statusOf("busy")).toBe(200);
  });
});

describe("with the switch, a refusal names its source", () => {
  test("of a key's limit, of the account, and of running calls", async () => {
    gateway.switches.refusalSources = true;
    gateway.world.addAccount("empty", 0);
    gateway.addKey({ name: "no-limit-left", limitMicros: 0 });
    gateway.addKey({ name: "no-balance", account: "empty" });
    gateway.addKey({ name: "held", inFlightReason: "weight_exceeds_budget" });
    gateway.addKey({ name: "behind", guardrail: { micros: 0, reset: null } });
    expect(await metadataOf("no-limit-left")).toEqual({ limit_source: "openrouter_key_limit" });
    expect(await metadataOf("no-balance")).toEqual({ limit_source: "openrouter_credits" });
    expect(await metadataOf("held")).toEqual({
      limit_source: "openrouter_in_flight_budget",
      reason: "weight_exceeds_budget",
    });
    expect(await metadataOf("behind")).toBeUndefined();
  });

  test.each([402, 403] as const)("of GET /key, if that refuses with %i", async (status) => {
    gateway.switches.refusalSources = true;
    gateway.switches.exhaustedKeyStatus = status;
    gateway.addKey({ name: `used-up-${status}`, limitMicros: 0 });
    const answer = await getKey(gateway, `used-up-${status}`);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      status,
      { error: { metadata: { limit_source: "openrouter_key_limit" } } },
    ]);
  });
});

describe("429 of free variants", () => {
  test("after 20 requests a minute, over all keys and free models of the account, but not for paid models", async () => {
    gateway.world.addAccount("minutes");
    gateway.addKey({ name: "first", account: "minutes" });
    gateway.addKey({ name: "second", account: "minutes" });
    for (let count = 0; count < 19; count += 1) expect(await statusOf("first", free)).toBe(200);
    expect(await statusOf("second", "acme/nose:free")).toBe(200);
    expect(await limitOf("second", free)).toEqual([429, "20", "0", minuteEnd, null]);
    expect(await statusOf("first")).toBe(200);
    now = noon + MINUTE;
    expect(await limitOf("second", free)).toEqual([200, null, null, null, null]);
  });

  test.each([
    ["9.999999 credits bought", 9_999_999, 50],
    ["10 credits bought", 10_000_000, 1000],
    ["no balance to run out", null, 1000],
  ])("after the daily limit of an account with %s", async (_name, purchased, limit) => {
    const name = `days ${String(purchased)}`;
    gateway.world.addAccount(name, purchased);
    gateway.addKey({ name, account: name });
    gateway.spend({ key: name, model: free, requests: limit - 1 });
    expect(await limitOf(name, free)).toEqual([200, null, null, null, null]);
    expect(await limitOf(name, free)).toEqual([429, String(limit), "0", dayEnd, null]);
    now = noon + DAY;
    expect(await statusOf(name, free)).toBe(200);
  });

  test("has an envelope with the error's type", async () => {
    gateway.world.addAccount("envelope", 0);
    gateway.addKey({ name: "envelope", account: "envelope" });
    gateway.spend({ key: "envelope", model: free, requests: 50 });
    expect(JSON.parse((await call("envelope", free)).text)).toEqual({
      error: {
        code: 429,
        message: "Rate limit exceeded: 50 requests to free models per day",
        metadata: { error_type: "rate_limit_exceeded" },
      },
    });
  });
});

describe("the 13 statuses of this operation", () => {
  beforeAll(() => void gateway.addKey({ name: "statuses" }));
  const statuses = [400, 401, 402, 403, 404, 413, 429, 500, 502, 503, 504, 524, 529];

  test("are those of the contract except 408", () => {
    const all = Object.keys(statusMessages).map(Number);
    expect(statuses).toEqual(all.filter((status) => status !== 408));
  });

  test.each(statuses)("%i from a fault is not charged", async (status) => {
    gateway.faults.add({ kind: "status", status, endpoint: "transcription" });
    expect(await failureOf("statuses")).toEqual([status, status, statusMessages[status], 0]);
    expect((await keyData(gateway, "statuses"))["usage"]).toBe(0);
  });

  test.each(statuses)("%i from one model is not charged, and other models work", async (status) => {
    gateway.addKey({ name: `works at ${status}` });
    gateway.manners.change({ status }, model);
    expect(await failureOf("statuses")).toEqual([status, status, statusMessages[status], 0]);
    expect(await statusOf(`works at ${status}`, "acme/other")).toBe(200);
  });
});

describe("a fault defines whether its call is charged", () => {
  beforeAll(() => void gateway.addKey({ name: "faulty" }));
  const half = "half_json";
  test.each<[Fault, boolean]>([
    [{ kind: "status", status: 503 }, false],
    [{ kind: "body", body: "{}" }, false],
    [{ kind: "redirect", location: "http://127.0.0.1:1/" }, false],
    [{ kind: "garbage", form: "html" }, false],
    [{ kind: "garbage", form: half }, true],
    [{ kind: "fields", remove: ["usage.cost"] }, true],
    [{ kind: "reset" }, true],
    [{ kind: "cut" }, true],
    [{ kind: "drip", everyMs: 0, bytesAtOnce: 1000 }, true],
    [{ kind: "slow", delayMs: 1 }, true],
  ])("%j: %j", async (fault, isCharged) => {
    const before = gateway.books.key("faulty").micros.usage.total;
    gateway.manners.change({ micros: 9 });
    gateway.faults.add({ ...fault, endpoint: "transcription" });
    await call("faulty").catch(() => undefined);
    expect(gateway.books.key("faulty").micros.usage.total - before).toBe(isCharged ? 9 : 0);
  });

  test("a fault without an endpoint affects transcriptions, and a fault of another endpoint does not", async () => {
    gateway.faults.add({ kind: "status", status: 500, endpoint: "key" });
    expect(await statusOf("faulty")).toBe(200);
    gateway.faults.add({ kind: "status", status: 503 });
    expect(await statusOf("faulty")).toBe(503);
  });
});

/** Status, the envelope's code and message, and the charged amount. */
async function failureOf(key: string): Promise<unknown[]> {
  const answer = await call(key);
  const { error }: { error: { code: number; message: string } } = JSON.parse(answer.text);
  return [answer.status, error.code, error.message, gateway.books.key(key).micros.usage.total];
}

async function limitOf(key: string, wanted: string): Promise<unknown[]> {
  const { status, headers } = await call(key, wanted);
  const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
  return [status, ...names.map((name) => headers.get(name))];
}

async function metadataOf(key: string): Promise<unknown> {
  const body: { error: { metadata?: unknown } } = JSON.parse((await call(key)).text);
  return body.error.metadata;
}
