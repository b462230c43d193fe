import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { createSwitches, type Switches } from "../gateway/switches.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { ask, getKey, keyData, query } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:10Z");
let now = noon;
const gateway = createGateway({ now: () => now });
const turn = (switches: Partial<Switches>): void => void Object.assign(gateway.switches, switches);

beforeAll(async () => {
  await gateway.start();
  gateway.world.addModel("acme/one", "Acme One");
  gateway.world.addModel("acme/two", "Acme Two");
  gateway.addKey({ name: "billing", limitMicros: 5e6, limitReset: "weekly" });
  gateway.addKey({ name: "search", expiresAt: noon + 90 * DAY });
  const at = Date.parse("2026-11-17T10:00:00Z");
  gateway.spend({ key: "billing", model: "acme/one", app: "Chat", micros: 1_500_000, requests: 3, at });
  gateway.spend({ key: "search", model: "acme/two", app: null, micros: 500_000, promptTokens: 7, at: noon });
});
afterAll(() => gateway.stop());
afterEach(() => {
  turn(createSwitches());
  now = noon;
});

const metrics = ["total_usage", "request_count", "cached_tokens", "cache_hit_rate"];

describe("analytics", () => {
  test.each<[Partial<Switches>, unknown]>([
    [{}, { total_usage: 2, request_count: 4, cached_tokens: 0, cache_hit_rate: 0 }],
    [
      { numbersAs: "counts_as_strings" },
      { total_usage: 2, request_count: "4", cached_tokens: "0", cache_hit_rate: 0 },
    ],
    [
      { numbersAs: "strings" },
      { total_usage: "2", request_count: "4", cached_tokens: "0", cache_hit_rate: "0" },
    ],
    [{ nullComponents: true }, { total_usage: 2, request_count: 4, cached_tokens: null, cache_hit_rate: 0 }],
  ])("%j", async (switches, row) => {
    turn(switches);
    expect((await ask(gateway, { metrics })).data).toEqual([row]);
  });

  test("alternates between numbers and strings", async () => {
    turn({ numbersAs: "by_turns" });
    const types = [];
    for (let call = 0; call < 4; call += 1) {
      types.push(typeof (await ask(gateway, { metrics })).data[0]?.["request_count"]);
    }
    expect(new Set([types.slice(0, 2).join(), types.slice(2).join()]).size).toBe(1);
    expect(types.toSorted()).toEqual(["number", "number", "string", "string"]);
  });

  test.each<[Partial<Switches>, string, unknown]>([
    [{}, "day", { date__day: "2026-11-17T00:00:00.000Z" }],
    [{ timeColumnPrefix: "created_at" }, "day", { created_at__day: "2026-11-17T00:00:00.000Z" }],
    [{ timeFormat: "no_offset" }, "day", { date__day: "2026-11-17T00:00:00" }],
    [{ timeFormat: "space" }, "hour", { date__hour: "2026-11-17 10:00:00" }],
    [{ timeFormat: "date" }, "day", { date__day: "2026-11-17" }],
    [{ timeFormat: "date" }, "hour", { date__hour: "2026-11-17 10:00:00" }],
    [{ weeksStartOn: "sunday" }, "week", { date__week: "2026-11-15T00:00:00.000Z" }],
    [{ weeksStartOn: "monday" }, "week", { date__week: "2026-11-16T00:00:00.000Z" }],
  ])("%j, granularity %s", async (switches, granularity, column) => {
    turn(switches);
    const { data } = await ask(gateway, { metrics: ["total_usage"], granularity });
    expect(data.at(-1)).toEqual({ ...Object(column), total_usage: expect.any(Number) });
  });

  test("keeps rows with equal labels separate", async () => {
    turn({ duplicateLabels: true });
    const { data } = await ask(gateway, { metrics: ["total_usage"], dimensions: ["model", "api_key_id"] });
    expect(data).toEqual([
      { model: "acme", api_key_id: "Production", total_usage: 1.5 },
      { model: "acme", api_key_id: "Production", total_usage: 0.5 },
    ]);
  });

  test("adds columns that were not requested", async () => {
    turn({ extraColumns: true });
    const { data } = await ask(gateway, { metrics: ["total_usage"], dimensions: ["app"] });
    expect(data).toContainEqual({ app: "Chat", app_id: 5001, total_usage: 1.5 });
    expect(data).toContainEqual({ app: null, app_id: null, total_usage: 0.5 });
  });

  test("returns cachedAt in milliseconds only with the switch", async () => {
    expect(await ask(gateway, { metrics })).not.toHaveProperty("cachedAt");
    turn({ cachedAt: true });
    expect((await ask(gateway, { metrics })).cachedAt).toBe(noon);
  });

  test("answers 64 requests per minute of the gateway's clock, then 429 until the next minute", async () => {
    turn({ analyticsRequestsPerMinute: 64 });
    now = noon + 10 * MINUTE;
    for (let call = 0; call < 63; call += 1) await ask(gateway, { metrics });
    expect((await query(gateway, {})).status).toBe(400);
    const refused = await query(gateway, { metrics });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("64");
    const reset = Number(refused.headers.get("x-ratelimit-reset"));
    now = reset - 1;
    expect((await query(gateway, { metrics })).status).toBe(429);
    now = reset;
    expect((await query(gateway, { metrics })).status).toBe(200);
  });

  test.each([
    ["2026-10-18T12:00:10Z", 200],
    ["2026-10-18T12:00:09Z", 400],
  ])("reaches 31 days back: %s is a %i", async (start, status) => {
    turn({ reachDays: 31 });
    const time_range = { start, end: "2026-11-18T00:00:00Z" };
    expect((await query(gateway, { metrics, time_range })).status).toBe(status);
  });

  test("figures lag", async () => {
    turn({ lagMs: 30_000 });
    now = noon + 29_999;
    expect((await ask(gateway, { metrics: ["total_usage"] })).data).toEqual([{ total_usage: 1.5 }]);
    now = noon + 30_000;
    expect((await ask(gateway, { metrics: ["total_usage"] })).data).toEqual([{ total_usage: 2 }]);
  });

  test("shows yesterday as today right after midnight", async () => {
    turn({ staleAfterMidnightMs: 60_000 });
    const today = { start: "2026-11-19T00:00:00Z", end: "2026-11-20T00:00:00Z" };
    const usage = async () => (await ask(gateway, { metrics: ["total_usage"], time_range: today })).data;
    now = Date.parse("2026-11-19T00:00:59.999Z");
    expect(await usage()).toEqual([{ total_usage: 0.5 }]);
    now = Date.parse("2026-11-19T00:01:00Z");
    expect(await usage()).toEqual([{ total_usage: 0 }]);
  });

  test("shows last month as this month right after the 1st begins", async () => {
    turn({ staleAfterMidnightMs: 60_000 });
    now = Date.parse("2026-12-01T00:00:30Z");
    const month = { start: "2026-12-01T00:00:00Z", end: "2027-01-01T00:00:00Z" };
    expect((await ask(gateway, { metrics: ["total_usage"], time_range: month })).data).toEqual([
      { total_usage: 2 },
    ]);
  });
});

describe("GET /key", () => {
  test("returns figures as decimal strings", async () => {
    turn({ keyNumbersAsStrings: true });
    expect(await keyData(gateway, "billing")).toMatchObject({
      usage: "1.5",
      limit: "5",
      limit_remaining: "3.5",
    });
    expect(await keyData(gateway, "search")).toMatchObject({ limit: null, limit_remaining: null });
  });

  test("returns additional fields", async () => {
    turn({ extraKeyFields: true });
    expect(await keyData(gateway, "search")).toMatchObject({
      is_management_key: false,
      expires_at: new Date(noon + 90 * DAY).toISOString(),
      free_model_daily_requests: { limit: 1000, used: 0, remaining: 1000 },
    });
    gateway.spend({ key: "search", model: "acme/one:free", requests: 3 });
    expect(await keyData(gateway, "billing")).toMatchObject({
      expires_at: null,
      free_model_daily_requests: { limit: 1000, used: 3, remaining: 997 },
    });
  });

  test("omits fields", async () => {
    turn({ missingKeyFields: ["usage_daily", "byok_usage"] });
    const data = await keyData(gateway, "billing");
    expect(data).toMatchObject({ usage: 1.5, usage_weekly: 1.5 });
    expect(Object.keys(data)).not.toEqual(expect.arrayContaining(["usage_daily"]));
    expect(Object.keys(data)).not.toEqual(expect.arrayContaining(["byok_usage"]));
  });

  test("returns an unknown reset period", async () => {
    turn({ limitResetText: "fortnightly" });
    expect(await keyData(gateway, "billing")).toMatchObject({
      limit_reset: "fortnightly",
      limit_remaining: 3.5,
    });
    expect(await keyData(gateway, "search")).toMatchObject({ limit_reset: null });
  });

  test("returns lagging figures for the current windows", async () => {
    turn({ lagMs: 30_000 });
    now = noon + 29_999;
    expect(await keyData(gateway, "search")).toMatchObject({ usage: 0, usage_daily: 0 });
    now = Date.parse("2026-11-19T00:00:10Z");
    expect(await keyData(gateway, "search")).toMatchObject({ usage: 0.5, usage_daily: 0 });
  });

  test("returns yesterday's windows right after midnight", async () => {
    turn({ staleAfterMidnightMs: 60_000 });
    now = Date.parse("2026-11-23T00:00:59.999Z");
    expect(await keyData(gateway, "billing")).toMatchObject({ usage_weekly: 1.5, limit_remaining: 3.5 });
    now = Date.parse("2026-11-23T00:01:00Z");
    expect(await keyData(gateway, "billing")).toMatchObject({ usage_weekly: 0, limit_remaining: 5 });
  });

  test.each([402, 403] as const)("refuses an exhausted key with %i", async (status) => {
    turn({ exhaustedKeyStatus: status });
    expect((await getKey(gateway, "billing")).status).toBe(200);
    gateway.setLimit("billing", 1_500_000);
    expect((await getKey(gateway, "billing")).status).toBe(status);
    turn({ exhaustedKeyStatus: null });
    expect(await keyData(gateway, "billing")).toMatchObject({ limit_remaining: 0 });
    gateway.setLimit("billing", 5e6);
  });
});

describe("errors", () => {
  test.each([
    ["envelope", '{"error":{"code":404,"message":"Resource does not exist"}}'],
    ["without_code", '{"error":{"message":"Resource does not exist"}}'],
    ["success_false", '{"success":false,"error":{"code":404,"message":"Resource does not exist"}}'],
    ["html", "<html><head><title>404</title></head><body>edge</body></html>"],
    ["empty", ""],
  ] as const)("body: %s", async (errorBody, text) => {
    turn({ errorBody });
    const response = await fetch(`${gateway.url}/nowhere`);
    expect([response.status, await response.text()]).toEqual([404, text]);
  });

  test.each([
    [{ rateLimitReset: "milliseconds" }, "1795003260000", "7"],
    [{ rateLimitReset: "seconds" }, "1795003260", "7"],
    [{ rateLimitReset: "metadata" }, null, "7"],
    [{ retryAfter: "http_date" }, "1795003260000", "Wed, 18 Nov 2026 12:00:17 GMT"],
    [{ retryAfter: "absent" }, "1795003260000", null],
  ] as const)("hints: %j", async (switches, reset, retryAfter) => {
    turn(switches);
    const fault = gateway.faults.add({ kind: "status", status: 429, retryAfterSeconds: 7 });
    const { headers, text } = await getKey(gateway, "billing");
    fault.clear();
    expect([headers.get("x-ratelimit-reset"), headers.get("retry-after")]).toEqual([reset, retryAfter]);
    expect(text.includes('"X-RateLimit-Reset":"1795003260000"')).toBe(reset === null);
  });
});

test("discounts create negative entries that the books include", () => {
  let at = noon;
  const options = { now: () => at, keys: 10, historyDays: 2, switches: { discounts: true } };
  const discounted = createGateway(options);
  const negative = [...discounted.books.entries()].filter(({ micros }) => micros < 0);
  expect(negative.length).toBeGreaterThan(5);
  at += DAY;
  const all = [...discounted.books.entries()].reduce((sum, { micros }) => sum + micros, 0);
  expect(discounted.books.analytics({ start: 0, end: at }).total.integers.credits_usage).toBe(all);
});
