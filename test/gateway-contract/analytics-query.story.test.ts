import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { ask, query } from "./client.ts";

const day = (text: string): number => Date.parse(`${text}Z`);
const gateway = createGateway({ now: () => day("2026-11-18T12:00:00") });
const classifier = "3f0e8a52-7c7d-4b6e-8b7a-2f1f5d9c0a10";
const production = "b7a54a0a-1b0e-4f0e-8d1c-9f64c2f4e922";

beforeAll(async () => {
  await gateway.start();
  const { world } = gateway;
  gateway.addKey({ name: "billing" });
  gateway.addKey({ name: "search" });
  world.addModel("acme/one", "Acme One");
  world.addModel("acme/two:free", "Acme Two (free)");
  const [chat, twin] = [world.addApp("Chat"), world.addApp("Chat")];
  world.addUser("idp|ada", "Ada");
  world.addWorkspace(production, "Production");
  world.addClassifier(classifier);
  const tag = (tags: Record<string, string | number>) => ({ tags: { [classifier]: tags } });
  const one = { key: "billing", model: "acme/one", app: chat.id, user: "idp|ada", country: "DE" };
  const post = (at: string, spend: Parameters<typeof gateway.spend>[0]) =>
    gateway.spend({ ...spend, at: day(at) });
  // Credits are powers of two from 1 to 32, so that each sum identifies its entries.
  post("2026-11-15T00:00:00", { ...one, micros: 1e6, promptTokens: 100, cachedTokens: 25, latencyMs: 100 });
  post("2026-11-16T23:59:59.999", {
    ...one,
    micros: 2e6,
    app: twin.id,
    requests: 2,
    latencyMs: 600,
    ...tag({ topic: "bug" }),
  });
  post("2026-11-17T00:00:00", {
    ...one,
    key: "search",
    app: null,
    user: null,
    country: null,
    micros: 4e6,
    ...tag({ topic: "fun", language: "de" }),
  });
  post("2026-11-17T00:01:30", {
    key: "search",
    model: "acme/two:free",
    workspace: production,
    micros: 8e6,
    provider: "North",
  });
  post("2026-11-18T11:00:00", {
    ...one,
    micros: 16e6,
    byokMicros: 5e6,
    reasoningTokens: 7,
    completionTokens: 9,
  });
  post("2026-11-18T12:00:01", { ...one, micros: 32e6 });
});
afterAll(() => gateway.stop());

const usage = async (body: Record<string, unknown>) => {
  const { data } = await ask(gateway, { metrics: ["credits_usage"], ...body });
  return data.map(({ credits_usage: credits, ...row }) => [...Object.values(row), credits]);
};
const total = async (body: Record<string, unknown>) => (await usage(body)).map(([credits]) => credits);

describe("time_range is half-open, and future entries are unknown", () => {
  test.each([
    ["2026-11-15T00:00:00Z", "2026-11-17T00:00:00Z", 3],
    ["2026-11-15T00:00:00.001Z", "2026-11-17T00:00:00Z", 2],
    ["2026-11-15T00:00:00Z", "2026-11-16T23:59:59.999Z", 1],
    ["2026-11-17T00:00:00Z", "2026-11-18T00:00:00Z", 12],
    ["2026-11-18T00:00:00Z", "2026-11-19T00:00:00Z", 16],
    ["2026-11-18T11:00:00Z", "2026-11-18T11:00:00.001Z", 16],
    ["2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z", 0],
  ])("%s to %s", async (start, end, credits) => {
    expect(await total({ time_range: { start, end } })).toEqual([credits]);
  });
});

describe("filters use the identifier", () => {
  test.each<[string, Record<string, unknown>, number]>([
    ["model eq", { field: "model", operator: "eq", value: "acme/one" }, 23],
    ["model eq by its label finds nothing", { field: "model", operator: "eq", value: "Acme One" }, 0],
    ["model not_in", { field: "model", operator: "not_in", value: ["acme/one"] }, 8],
    ["in an empty list", { field: "model", operator: "in", value: [] }, 0],
    ["app eq number", { field: "app", operator: "eq", value: 5001 }, 17],
    ["app eq digits", { field: "app", operator: "eq", value: "5002" }, 2],
    ["app gte", { field: "app", operator: "gte", value: 5001 }, 19],
    ["app lt", { field: "app", operator: "lt", value: 5002 }, 17],
    ["not_in does not match unset", { field: "app", operator: "not_in", value: [5001] }, 2],
    ["in with include_unset", { field: "app", operator: "in", value: [5002], include_unset: true }, 14],
    [
      "not_in with include_unset",
      { field: "app", operator: "not_in", value: [5001], include_unset: true },
      14,
    ],
    ["key by number", { field: "api_key_id", operator: "eq", value: 1002 }, 19],
    ["user", { field: "user", operator: "eq", value: "idp|ada" }, 19],
    ["workspace", { field: "workspace", operator: "eq", value: production }, 8],
    [
      "the default workspace includes earlier activity",
      { field: "workspace", operator: "eq", value: "00000000-0000-4000-8000-000000000000" },
      23,
    ],
    ["provider by value", { field: "provider", operator: "eq", value: "North" }, 8],
  ])("%s", async (_name, filter, credits) => {
    expect(await total({ filters: [filter] })).toEqual([credits]);
  });

  test("a key hash is resolved; an unknown hash causes a warning and the query still runs", async () => {
    const filter = {
      field: "api_key_id",
      operator: "in",
      value: [gateway.world.key("search").hash, "f".repeat(64)],
    };
    const answer = await ask(gateway, { metrics: ["credits_usage"], filters: [filter] });
    expect(answer.data).toEqual([{ credits_usage: 12 }]);
    expect(answer.warnings).toEqual([expect.stringContaining("f".repeat(64))]);
    expect(await ask(gateway, { metrics: ["credits_usage"] })).not.toHaveProperty("warnings");
  });
});

describe("rows", () => {
  const order = { order_by: { field: "credits_usage", direction: "asc" } };

  test("rows with the same label stay separate, and unset is null", async () => {
    expect(await usage({ dimensions: ["app"], ...order })).toEqual([
      ["Chat", 2],
      [null, 12],
      ["Chat", 17],
    ]);
  });

  test.each([
    ["minute", "date__minute", "2026-11-17T00:01:00.000Z", 5],
    ["hour", "date__hour", "2026-11-17T00:00:00.000Z", 4],
    ["day", "date__day", "2026-11-17T00:00:00.000Z", 4],
    ["week", "date__week", "2026-11-15T00:00:00.000Z", 1],
    ["month", "date__month", "2026-11-01T00:00:00.000Z", 1],
  ])("granularity %s returns the column %s, newest first", async (granularity, column, holdsNorth, count) => {
    const { data } = await ask(gateway, { metrics: ["credits_usage"], granularity });
    const times = data.map((row) => String(row[column]));
    expect(times).toHaveLength(count);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(times).toContain(holdsNorth);
    expect(data.reduce((sum, row) => sum + Number(row["credits_usage"]), 0)).toBe(31);
  });

  test("one row contains every metric, and rates with a zero denominator are null", async () => {
    const metrics = [
      "request_count",
      "tokens_total",
      "tokens_prompt",
      "tokens_completion",
      "reasoning_tokens",
      "cached_tokens",
      "byok_usage",
      "cache_hit_rate",
      "avg_latency",
      "p90_latency",
    ];
    const { data, metadata } = await ask(gateway, { metrics });
    expect(data).toEqual([
      {
        request_count: 6,
        tokens_total: 109,
        tokens_prompt: 100,
        tokens_completion: 9,
        reasoning_tokens: 7,
        cached_tokens: 25,
        byok_usage: 5,
        cache_hit_rate: 0.25,
        avg_latency: 700 / 6,
        p90_latency: 300,
      },
    ]);
    expect(metadata).toEqual({ query_time_ms: expect.any(Number), row_count: 1, truncated: false });
    const nothing = { start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" };
    const empty = await ask(gateway, { metrics, time_range: nothing });
    expect(empty.data[0]).toMatchObject({
      request_count: 0,
      byok_usage: 0,
      cache_hit_rate: null,
      avg_latency: null,
      p90_latency: null,
    });
    const grouped = await ask(gateway, { metrics, dimensions: ["model"], time_range: nothing });
    expect(grouped).toMatchObject({ data: [], metadata: { row_count: 0, truncated: false } });
  });
});

test("a management key sees only its own account", async () => {
  const two = createGateway({ now: () => day("2026-11-18T12:00:00") });
  await two.start();
  two.world.addAccount("other");
  two.addKey({ name: "ours" });
  two.addKey({ name: "theirs", account: "other" });
  const token = two.addKey({ name: "their-management", account: "other", management: true });
  two.spend({ key: "ours", model: "acme/one", micros: 1e6 });
  two.spend({ key: "theirs", model: "acme/one", micros: 2e6 });
  const body = { metrics: ["credits_usage"] };
  expect((await ask(two, body)).data).toEqual([{ credits_usage: 1 }]);
  expect((await query(two, body, token)).text).toContain('"data":[{"credits_usage":2}]');
  const period = { start: 0, end: day("2026-11-19T00:00:00"), account: "other" };
  expect(two.books.analytics(period).total.integers.credits_usage).toBe(2e6);
  await two.stop();
});

describe("limit", () => {
  test.each<[string, Record<string, unknown>, number, boolean]>([
    ["grouped rows within limit", { dimensions: ["app"], limit: 3 }, 3, false],
    ["grouped rows beyond limit", { dimensions: ["app"], limit: 2 }, 2, true],
    ["buckets without dimensions beyond limit", { granularity: "day", limit: 2 }, 2, true],
    ["limit is raised for a time series", { granularity: "day", dimensions: ["app"], limit: 1 }, 4, false],
  ])("%s", async (_name, body, rows, truncated) => {
    const { data, metadata } = await ask(gateway, { metrics: ["credits_usage"], ...body });
    expect(data).toHaveLength(rows);
    expect(metadata).toMatchObject({ row_count: rows, truncated });
  });
});

describe("classifiers", () => {
  test.each<[string, Record<string, unknown>, unknown[][]]>([
    [
      "one name",
      by(["topic"]),
      [
        ["bug", 2],
        ["fun", 4],
      ],
    ],
    [
      "two names cross-group",
      by(["topic", "language"]),
      [
        ["bug", null, 2],
        ["fun", "de", 4],
      ],
    ],
    ["a name that some calls lack", by(["language"]), [["de", 4]]],
    [
      "with untagged calls",
      by(["topic"], true),
      [
        ["bug", 2],
        ["fun", 4],
        [null, 25],
      ],
    ],
    [
      "with a standard dimension",
      { ...by(["topic"]), dimensions: ["api_key_id"] },
      [
        ["billing", "bug", 2],
        ["search", "fun", 4],
      ],
    ],
  ])("dimensions: %s", async (_name, body, rows) => {
    expect(await usage(body)).toEqual(rows);
  });
});

function by(names: string[], includeNulls = false) {
  return {
    classifier_dimensions: { classifier_id: classifier, dimension_names: names, include_nulls: includeNulls },
    order_by: { field: "credits_usage", direction: "asc" },
  };
}
