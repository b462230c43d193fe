import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { simulatedClassifier } from "../gateway/simulation/names.ts";
import { query } from "./client.ts";

const gateway = createGateway({ startAt: Date.parse("2026-11-18T12:00:00Z"), keys: 1, models: 4, apps: 2 });
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());

const metrics = ["total_usage"];
const range = { start: "2026-11-01T00:00:00Z", end: "2026-11-18T00:00:00Z" };
const filter = { field: "model", operator: "eq", value: "aurora/large-1" };
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const UNKNOWN = "3f0e8a52-7c7d-4b6e-8b7a-2f1f5d9c0a11";
const named = (...names: string[]) => ({ classifier_id: simulatedClassifier, dimension_names: names });

describe("a request that follows the contract gets an answer", () => {
  test.each<[string, Record<string, unknown>]>([
    ["one metric", { metrics }],
    [
      "every metric",
      { metrics: ["request_count", "tokens_total", "byok_usage", "cache_hit_rate", "p90_latency"] },
    ],
    ["two dimensions", { metrics, dimensions: ["api_key_id", "country"] }],
    ["20 filters", { metrics, filters: many(20, filter) }],
    ["an array for in", { metrics, filters: [{ field: "model", operator: "in", value: ["a/b", "c/d"] }] }],
    ["a number for app", { metrics, filters: [{ field: "app", operator: "gte", value: 5001 }] }],
    ["include_unset with in", unset("app", "in", [1], true)],
    ["fractional seconds", { metrics, time_range: { ...range, start: "2026-11-01T00:00:00.5Z" } }],
    ["a limit of 1", { metrics, limit: 1 }],
    ["order by a requested metric", ordered("total_usage")],
    ["order by request_count, not requested", ordered("request_count")],
    ["order by date", { ...ordered("date"), granularity: "day" }],
    ["two dimension names", { metrics, classifier_dimensions: named("topic", "language") }],
  ])("%s", async (_name, body) => {
    const answer = await query(gateway, body);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"row_count"')]);
  });
});

describe("a violation of the request's shape is a 400 that names the field", () => {
  test.each<[string, unknown, string]>([
    ["not JSON", "{", "body"],
    ["not an object", [], "body"],
    ["an unknown field", { metrics, timerange: range }, "timerange"],
    ["no metrics", {}, "metrics"],
    ["a metric that does not exist", { metrics: ["cost"] }, "metrics[0]"],
    ["three dimensions", { metrics, dimensions: ["model", "app", "user"] }, "dimensions"],
    ["a dimension that does not exist", { metrics, dimensions: ["region"] }, "dimensions[0]"],
    ["21 filters", { metrics, filters: many(21, filter) }, "filters"],
    [
      "a filter without a value",
      { metrics, filters: [{ field: "model", operator: "eq" }] },
      "filters[0].value",
    ],
    ["an unknown operator", filtered({ ...filter, operator: "like" }), "filters[0].operator"],
    ["an array for eq", filtered({ ...filter, value: ["a/b"] }), "filters[0].value"],
    ["include_unset with eq", unset("app", "eq", 1, true), "filters[0].include_unset"],
    ["include_unset on model", unset("model", "in", ["a/b"], true), "filters[0].include_unset"],
    ["a key's name", filtered({ field: "api_key_id", operator: "eq", value: "billing" }), "filters[0].value"],
    ["an unknown granularity", { metrics, granularity: "year" }, "granularity"],
    ["no start", { metrics, time_range: { end: range.end } }, "time_range.start"],
    ["minute precision", timed({ start: "2026-11-01T00:00Z" }), "time_range.start"],
    ["no time zone", timed({ end: "2026-11-18T00:00:00" }), "time_range.end"],
    ["a day that does not exist", timed({ start: "2026-02-30T00:00:00Z" }), "time_range.start"],
    ["an end before the start", timed({ end: "2026-10-31T00:00:00Z" }), "time_range.end"],
    ["limit 0", { metrics, limit: 0 }, "limit"],
    ["order without direction", { metrics, order_by: { field: "date" } }, "order_by.direction"],
    ["order by a metric not requested", ordered("tokens_total"), "order_by.field"],
    ["order by a dimension not requested", ordered("model"), "order_by.field"],
    ["three dimension names", { metrics, classifier_dimensions: named("a", "b", "c") }, "dimension_names"],
    [
      "an unknown classifier",
      { metrics, classifier_dimensions: { ...named("topic"), classifier_id: UNKNOWN } },
      "classifier_id",
    ],
    ["the name of a metric", { metrics, classifier_dimensions: named("total_usage") }, "dimension_names"],
  ])("%s", async (_name, body, field) => {
    const answer = await query(gateway, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      error: { code: 400, message: expect.stringContaining(field) },
    });
  });

  test("a body with another content type is a 400", async () => {
    const headers = { authorization: `Bearer ${gateway.managementToken}`, "content-type": "text/plain" };
    const response = await fetch(`${gateway.url}/analytics/query`, { method: "POST", headers, body: "{}" });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("Content-Type")]);
  });
});

describe("analytics need a management key", () => {
  test.each([
    ["no key", "", 401],
    ["an unknown key", "sk-sim-unknown", 401],
    ["a usable key of another kind", gateway.tokens.get("billing") ?? "", 403],
    ["the management key", gateway.managementToken, 200],
  ])("%s", async (_name, token, status) => {
    expect((await query(gateway, { metrics }, token)).status).toBe(status);
  });
});

function filtered(wanted: Record<string, unknown>) {
  return { metrics, filters: [wanted] };
}

function unset(field: string, operator: string, value: unknown, includeUnset: boolean) {
  return filtered({ field, operator, value, include_unset: includeUnset });
}

function timed(part: Record<string, unknown>) {
  return { metrics, time_range: { ...range, ...part } };
}

function ordered(field: string) {
  return { metrics, order_by: { field, direction: "desc" } };
}
