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

  test("components can be null instead of 0", async () => {
    turn({ nullComponents: true });
    const filters = [{ field: "api_key_id", operator: "eq", value: hashOf("billing") }];
    const { data } = await ask(gateway, { metrics: ["byok_fees", "usage_cache", "usage_data"], filters });
    expect(data).toEqual([{ byok_fees: null, usage_cache: null, usage_data: -0.000005 }]);
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

  test("more values in a filter than the service takes are a 400", async () => {
    turn({ mostFilterValues: 2 });
    expect((await query(gateway, longFilter(2))).status).toBe(200);
    expect(await query(gateway, longFilter(3))).toMatchObject({
      status: 400,
      text: expect.stringContaining("at most 2 values, got 3"),
    });
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

  test("the user brings a column with an address that nobody asked for", async () => {
    const { data } = await ask(gateway, { metrics: ["credits_usage"], dimensions: ["user"] });
    expect(data).toContainEqual({ user: "Ada", user_email: "ada@people.example", credits_usage: 7 });
    expect(data).toContainEqual({ user: null, user_email: null, credits_usage: 8 });
  });

  test("calls without an app can be Unknown", async () => {
    turn({ placeholders: true });
    expect(await credits({ dimensions: ["app"] })).toContainEqual(["Unknown", 8]);
  });

  test("filtering by an app's title is a 500", async () => {
    const filters = [{ field: "app", operator: "eq", value: "Chat" }];
    expect((await query(gateway, { metrics: ["credits_usage"], filters })).status).toBe(500);
  });

  test.each(dimensionNames)("include_unset on %s", async (field) => {
    const filters = [{ field, operator: "in", value: [], include_unset: true }];
    const hasUnset = field === "app" || field === "user" || field === "api_key_id";
    const { status } = await query(gateway, { metrics: ["credits_usage"], filters });
    expect(status).toBe(hasUnset ? 200 : 400);
  });

  test.each(["generation_id", "session_id"])("%s is in the meta, and a 400 in a query", async (name) => {
    expect((await query(gateway, { metrics: ["credits_usage"], dimensions: [name] })).status).toBe(400);
    expect(namesOf(await meta(), "dimensions")).toContain(name);
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

  test("and queries lack what an older deployment lacks", async () => {
    turn({ missingMetrics: ["credits_usage", "byok_fees"], missingDimensions: ["provider"] });
    const data = await meta();
    expect(namesOf(data, "metrics")).not.toContain("credits_usage");
    expect(namesOf(data, "metrics")).toContain("total_usage");
    expect(namesOf(data, "dimensions")).not.toContain("provider");
    const metrics = ["total_usage"];
    const statuses = [
      { metrics },
      { metrics: ["credits_usage"] },
      { metrics, dimensions: ["provider"] },
      { metrics, filters: [{ field: "provider", operator: "eq", value: "North" }] },
    ].map(async (body) => (await query(gateway, body)).status);
    expect(await Promise.all(statuses)).toEqual([200, 400, 400, 400]);
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

  test("an old hour is allowed in hours, and an old minute in minutes", async () => {
    turn({ rangeLimits: true });
    const time_range = { start: iso(now - 300 * DAY), end: iso(now - 300 * DAY + HOUR) };
    for (const granularity of ["hour", "minute"]) {
      const { status } = await query(gateway, { metrics: ["credits_usage"], granularity, time_range });
      expect(status).toBe(200);
    }
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

function longFilter(values: number) {
  const value = Array.from({ length: values }, () => unknown);
  return { metrics: ["credits_usage"], filters: [{ field: "api_key_id", operator: "not_in", value }] };
}

function by(...dimensions: string[]) {
  return { dimensions };
}
