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
  ])("%j", async (switches, row) => {
    turn(switches);
    expect((await ask(gateway, { metrics })).data).toEqual([row]);
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

  test("shows yesterday as today right after midnight", async () => {
    turn({ staleAfterMidnightMs: 60_000 });
    const today = { start: "2026-11-19T00:00:00Z", end: "2026-11-20T00:00:00Z" };
    const usage = async () => (await ask(gateway, { metrics: ["total_usage"], time_range: today })).data;
    now = Date.parse("2026-11-19T00:00:59.999Z");
    expect(await usage()).toEqual([{ total_usage: 0.5 }]);
    now = Date.parse("2026-11-19T00:01:00Z");
    expect(await usage()).toEqual([{ total_usage: 0 }]);
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

  test("returns yesterday's windows right after midnight", async () => {
    turn({ staleAfterMidnightMs: 60_000 });
    now = Date.parse("2026-11-23T00:00:59.999Z");
    expect(await keyData(gateway, "billing")).toMatchObject({ usage_weekly: 1.5, limit_remaining: 3.5 });
    now = Date.parse("2026-11-23T00:01:00Z");
    expect(await keyData(gateway, "billing")).toMatchObject({ usage_weekly: 0, limit_remaining: 5 });
  });
});

describe("errors", () => {
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
