import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { get, getKey, keyData } from "./client.ts";

let now = Date.parse("2026-11-18T12:00:00Z");
const gateway = createGateway({ now: () => now });
const at = (text: string): number => (now = Date.parse(text));

beforeAll(() => gateway.start());
afterAll(() => gateway.stop());

test("GET /key has every field of the contract", async () => {
  gateway.addKey({
    name: "complete",
    limitMicros: 10_500_000,
    limitReset: "monthly",
    includeByokInLimit: true,
  });
  gateway.spend({ key: "complete", model: "acme/one", micros: 1_234_567, byokMicros: 500_000 });
  expect(await keyData(gateway, "complete")).toEqual({
    label: expect.stringMatching(/^sk-sim-v1-..\.\.\....$/u),
    limit: 10.5,
    limit_reset: "monthly",
    limit_remaining: 8.765433,
    include_byok_in_limit: true,
    usage: 1.234567,
    usage_daily: 1.234567,
    usage_weekly: 1.234567,
    usage_monthly: 1.234567,
    byok_usage: 0.5,
    byok_usage_daily: 0.5,
    byok_usage_weekly: 0.5,
    byok_usage_monthly: 0.5,
    is_free_tier: false,
    rate_limit: expect.any(Object),
  });
  expect((await getKey(gateway, "complete")).text).not.toContain(gateway.tokens.get("complete"));
});

test("an unlimited key has null for limit, reset and remaining", async () => {
  gateway.addKey({ name: "unlimited", freeTier: true });
  gateway.spend({ key: "unlimited", model: "acme/one", micros: 5 });
  expect(await keyData(gateway, "unlimited")).toMatchObject({
    limit: null,
    limit_reset: null,
    limit_remaining: null,
    usage: 0.000005,
    is_free_tier: true,
  });
});

describe("windows begin at 00:00 UTC, weeks on Monday, months on the 1st", () => {
  // One credit is spent at each of these times; the cases show the sum of each window at a later time.
  const spends = [
    "2026-10-31T23:59:59.999Z",
    "2026-11-01T00:00:00Z",
    "2026-11-15T23:59:59.999Z",
    "2026-11-16T00:00:00Z",
  ];
  test.each([
    ["2026-10-31T23:59:59.999Z", { usage: 1, usage_daily: 1, usage_weekly: 1, usage_monthly: 1 }],
    ["2026-11-01T00:00:00.000Z", { usage: 2, usage_daily: 1, usage_weekly: 2, usage_monthly: 1 }],
    ["2026-11-02T00:00:00.000Z", { usage: 2, usage_daily: 0, usage_weekly: 0, usage_monthly: 1 }],
    ["2026-11-15T23:59:59.999Z", { usage: 3, usage_daily: 1, usage_weekly: 1, usage_monthly: 2 }],
    ["2026-11-16T00:00:00.000Z", { usage: 4, usage_daily: 1, usage_weekly: 1, usage_monthly: 3 }],
    ["2026-11-17T00:00:00.000Z", { usage: 4, usage_daily: 0, usage_weekly: 1, usage_monthly: 3 }],
    ["2026-11-23T00:00:00.000Z", { usage: 4, usage_daily: 0, usage_weekly: 0, usage_monthly: 3 }],
    ["2026-12-01T00:00:00.000Z", { usage: 4, usage_daily: 0, usage_weekly: 0, usage_monthly: 0 }],
  ])("at %s", async (time, figures) => {
    const name = `windows-${Date.parse(time)}`;
    gateway.addKey({ name });
    for (const spend of spends)
      gateway.spend({ key: name, model: "acme/one", micros: 1e6, at: Date.parse(spend) });
    at(time);
    expect(await keyData(gateway, name)).toMatchObject(figures);
  });
});

describe("the limit resets exactly at the end of its window", () => {
  test.each([
    ["daily", "2026-11-18T23:59:59.999Z", "2026-11-19T00:00:00Z"],
    ["weekly", "2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00Z"],
    ["monthly", "2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00Z"],
  ] as const)("%s", async (limitReset, last, next) => {
    at("2026-11-18T12:00:00Z");
    gateway.addKey({ name: limitReset, limitMicros: 10e6, limitReset });
    gateway.spend({ key: limitReset, model: "acme/one", micros: 4e6 });
    at(last);
    expect(await keyData(gateway, limitReset)).toMatchObject({ limit_reset: limitReset, limit_remaining: 6 });
    expect(gateway.books.key(limitReset).window.end).toBe(Date.parse(next));
    at(next);
    expect(await keyData(gateway, limitReset)).toMatchObject({ limit_remaining: 10, usage: 4 });
  });

  test("never, for a limit without reset", async () => {
    at("2026-11-18T12:00:00Z");
    gateway.addKey({ name: "never", limitMicros: 10e6, limitReset: null });
    gateway.spend({ key: "never", model: "acme/one", micros: 4e6 });
    at("2028-01-01T00:00:00Z");
    expect(await keyData(gateway, "never")).toMatchObject({ limit_reset: null, limit_remaining: 6 });
    at("2026-11-18T12:00:00Z");
  });
});

describe("authentication", () => {
  test.each([
    ["no token", "", 401],
    ["an unknown token", "sk-sim-nobody", 401],
    ["a disabled key", gateway.addKey({ name: "closed", disabled: true }), 401],
    ["an expired key", gateway.addKey({ name: "expired", expiresAt: now }), 401],
    ["a key that expires later", gateway.addKey({ name: "mortal", expiresAt: now + 1 }), 200],
    ["the management key", gateway.managementToken, 200],
  ])("%s", async (_name, token, status) => {
    const answer = await get(gateway, "/key", token);
    const body: unknown = JSON.parse(answer.text);
    expect(answer.status).toBe(status);
    expect(body).toMatchObject(status === 200 ? { data: {} } : { error: { code: status } });
  });
});
