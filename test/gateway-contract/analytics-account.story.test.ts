import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { dimensionNames } from "../gateway/analytics/dimensions.ts";
import { metricNames } from "../gateway/analytics/metrics.ts";
import { createGateway } from "../gateway/gateway.ts";
import { createSwitches, type Switches } from "../gateway/switches.ts";
import { DAY, HOUR, MINUTE } from "../gateway/windows.ts";
import { ask, getData, query } from "./client.ts";

const now = Date.parse("2026-11-18T12:00:00Z");
const gateway = createGateway({ now: () => now });
const turn = (switches: Partial<Switches>): void => void Object.assign(gateway.switches, switches);
const iso = (at: number): string => new Date(at).toISOString();
const hashOf = (key: string): string => gateway.world.key(key).hash;
const unknown = "f".repeat(64);

beforeAll(async () => {
  await gateway.start();
  for (const name of ["billing", "search", "gone"]) gateway.addKey({ name });
  gateway.addKey({ name: "chat", keyless: true });
  gateway.world.addUser("user_ada", "Ada");
  const at = now - HOUR;
  const use = { model: "acme/one", app: "Chat", user: "user_ada", at };
  // Credits are powers of two, so that each sum identifies its entries.
  gateway.spend({ ...use, key: "billing", micros: 1e6, provider: "North", streamed: true, dataMicros: -5 });
  gateway.spend({
    ...use,
    key: "search",
    micros: 2e6,
    byokMicros: 100e6,
    byokFeeMicros: 500_000,
    requests: 3,
  });
  gateway.spend({ ...use, key: "gone", micros: 4e6, finishReason: "length", externalUser: "customer-7" });
  gateway.spend({ ...use, key: "chat", app: null, user: null, micros: 8e6, cacheMicros: -900_000 });
  gateway.remove("gone");
});
afterAll(() => gateway.stop());
afterEach(() => turn(createSwitches()));

const credits = async (body: Readonly<Record<string, unknown>>) => {
  const { data } = await ask(gateway, { metrics: ["credits_usage"], ...body });
  return data.map(({ credits_usage, ...row }) => [...Object.values(row), credits_usage]);
};

describe("credits and BYOK", () => {
  test("the total is credits plus BYOK, and the components add up", async () => {
    const metrics = [
      "total_usage",
      "credits_usage",
      "byok_usage",
      "byok_fees",
      "openrouter_usage",
      "usage_upstream",
      "usage_cache",
      "usage_data",
      "byok_request_count",
      "blended_cost_per_million_tokens",
    ];
    const { data } = await ask(gateway, { metrics });
    expect(data).toEqual([
      {
        total_usage: 115,
        credits_usage: 15,
        byok_usage: 100,
        byok_fees: 0.5,
        openrouter_usage: 14.5,
        usage_upstream: 15.400005,
        usage_cache: -0.9,
        usage_data: -0.000005,
        byok_request_count: 3,
        blended_cost_per_million_tokens: null,
      },
    ]);
  });
});

describe("keys", () => {
  test("activity without a key is Chatroom and unset", async () => {
    const order_by = { field: "credits_usage", direction: "asc" };
    expect(await credits({ dimensions: ["api_key_id"], order_by })).toEqual([
      ["billing", 1],
      ["search", 2],
      ["gone", 4],
      ["Chatroom", 8],
    ]);
  });

  test("one filter asks what all but some keys spent", async () => {
    expect(await credits({ filters: butTwoKeys(false) })).toEqual([[4]]);
    expect(await credits({ filters: butTwoKeys(true) })).toEqual([[12]]);
    const period = { start: 0, end: now };
    expect(gateway.books.unwatched(period, ["billing", "search"]).numbers.credits_usage).toBe(12);
  });

  test.each([
    ["of no key", () => unknown],
    ["of a deleted key", () => hashOf("gone")],
  ])("the hash %s is a warning, and excludes nothing", async (_name, hash) => {
    const value = [hashOf("billing"), hash()];
    const filters = [{ field: "api_key_id", operator: "not_in", value, include_unset: true }];
    const answer = await ask(gateway, { metrics: ["credits_usage"], filters });
    expect(answer.data).toEqual([{ credits_usage: 14 }]);
    expect(answer.warnings).toEqual([expect.stringContaining(hash())]);
  });
});

describe("dimensions", () => {
  test.each([
    ["finish_reason", "length", 4],
    ["external_user", "customer-7", 4],
    ["provider", "North", 1],
    ["streamed", "true", 1],
    ["context_length_bucket", "0-4k", 15],
    ["data_region", "global", 15],
    ["user", "user_ada", 7],
  ])("%s filters by %s", async (field, value, sum) => {
    expect(await credits({ filters: [{ field, operator: "eq", value }] })).toEqual([[sum]]);
  });

  test.each(dimensionNames)("include_unset on %s", async (field) => {
    const filters = [{ field, operator: "in", value: [], include_unset: true }];
    const hasUnset = field === "app" || field === "user" || field === "api_key_id";
    const { status } = await query(gateway, { metrics: ["credits_usage"], filters });
    expect(status).toBe(hasUnset ? 200 : 400);
  });
});

type Meta = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
const meta = () => getData<Meta>(gateway, "/analytics/meta");
const namesOf = (data: Meta, list: string) => data[list]?.map(({ name }) => name);

describe("the meta", () => {
  test("lists every name with what it is", async () => {
    const data = await meta();
    expect(Object.keys(data)).toEqual(["metrics", "dimensions", "operators", "granularities"]);
    expect(namesOf(data, "metrics")).toEqual(metricNames);
    expect(namesOf(data, "dimensions")).toEqual([...dimensionNames, "generation_id", "session_id"]);
    expect(namesOf(data, "granularities")).toEqual(["minute", "hour", "day", "week", "month"]);
    expect(data["metrics"]).toContainEqual({
      name: "p90_latency",
      display_label: "Latency, 90 %",
      is_rate: true,
      display_format: "latency",
    });
    expect(data["metrics"]).toContainEqual({
      name: "credits_usage",
      display_label: "Credits",
      is_rate: false,
      display_format: "currency",
    });
    expect(data["operators"]).toContainEqual({ name: "not_in", value_type: "array" });
    expect(data["operators"]).toContainEqual({ name: "gte", value_type: "scalar" });
  });
});

describe("with range limits, a query reaches back", () => {
  const filtered = { filters: [{ field: "country", operator: "in", value: ["DE"] }] };
  test.each<[string, Record<string, unknown>, number, number]>([
    ["367 days", {}, 367 * DAY, 200],
    ["no further", {}, 367 * DAY + 1000, 400],
    ["367 days by model and key", by("model", "api_key_id"), 367 * DAY, 200],
    ["31 days by provider", by("model", "provider"), 31 * DAY, 200],
    ["no further by provider", by("model", "provider"), 31 * DAY + 1000, 400],
    ["no further with a filter by country", filtered, 31 * DAY + 1000, 400],
    ["367 days for the cache hit rate", { metrics: ["cache_hit_rate"] }, 367 * DAY, 200],
    ["31 days for fees", { metrics: ["byok_fees"] }, 31 * DAY, 200],
    ["no further for fees", { metrics: ["byok_fees"] }, 31 * DAY + 1000, 400],
    ["no further for latencies", { metrics: ["p99_latency", "request_count"] }, 31 * DAY + 1000, 400],
    ["31 days in hours", { granularity: "hour" }, 31 * DAY, 200],
    ["no further in hours", { granularity: "hour" }, 31 * DAY + 1000, 400],
    ["3 hours in minutes", { granularity: "minute" }, 3 * HOUR, 200],
    ["no further in minutes", { granularity: "minute" }, 3 * HOUR + 1000, 400],
    ["367 days in days", { granularity: "day" }, 367 * DAY, 200],
  ])("%s", async (_name, body, ago, status) => {
    const time_range = { start: iso(now - ago), end: iso(now) };
    const asked = { metrics: ["credits_usage"], time_range, ...body };
    expect((await query(gateway, asked)).status).toBe(200);
    turn({ rangeLimits: true });
    expect((await query(gateway, asked)).status).toBe(status);
  });

  test("without a range, it covers what is in reach", async () => {
    const old = createGateway({ now: () => now, switches: { rangeLimits: true } });
    await old.start();
    old.addKey({ name: "old" });
    for (const days of [1, 32, 368]) {
      old.spend({ key: "old", model: "acme/one", micros: days * 1e6, at: now - days * DAY - MINUTE });
    }
    expect((await ask(old, { metrics: ["credits_usage"] })).data).toEqual([{ credits_usage: 33 }]);
    const recent = await ask(old, { metrics: ["credits_usage"], dimensions: ["provider"] });
    expect(recent.data).toEqual([{ provider: "acme", credits_usage: 1 }]);
    await old.stop();
  });
});

function butTwoKeys(include_unset: boolean) {
  const value = [hashOf("billing"), hashOf("search")];
  return [{ field: "api_key_id", operator: "not_in", value, include_unset }];
}

function by(...dimensions: string[]) {
  return { dimensions };
}
