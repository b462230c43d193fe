import { describe, expect, test } from "vitest";
import { parseAnalytics, queryAnalytics } from "../../../exporter/gateway/analytics.ts";
import type { AnalyticsRequest } from "../../../exporter/gateway/analytics-request.ts";
import type { Switches } from "../../gateway/switches.ts";
import { createClient } from "../../support/gateway-client.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { moveTo, ZONES } from "../../support/time-zone.ts";
import { secretSource } from "../../support/test-config.ts";

const REQUEST: AnalyticsRequest = { metrics: ["total_usage", "request_count"], dimensions: ["model", "app"] };
const ROW = { model: "One", app: "Chat", total_usage: 1.5, request_count: 3 };
const READ = {
  labels: { model: "One", app: "Chat" },
  values: { total_usage: 1.5, request_count: 3 },
  timeMs: undefined,
};

function body(rows: readonly unknown[], around: object = {}, metadata: object = {}) {
  return {
    data: {
      data: rows,
      metadata: { query_time_ms: 12, row_count: rows.length, truncated: false, ...metadata },
      ...around,
    },
  };
}

function parsed(rows: readonly unknown[], request = REQUEST) {
  return parseAnalytics(body(rows), request, "ask");
}

describe("parseAnalytics: the answer around the rows", () => {
  const PLAIN = {
    rows: [READ],
    unreadableRows: 0,
    truncated: false,
    warnings: [],
    cachedAtMs: undefined,
    queryTimeMs: 12,
  };
  test.each<[string, unknown, object]>([
    ["the contract's", body([ROW]), {}],
    ["nothing", body([]), { rows: [] }],
    ["more rows than these", body([ROW], {}, { truncated: true }), { truncated: true }],
    ["warnings", body([ROW], { warnings: ["no such key"] }), { warnings: ["no such key"] }],
    [
      "warnings that are no texts are counted",
      body([ROW], { warnings: [{ code: 7 }, "b", null] }),
      { warnings: ["a warning that is no text", "b", "a warning that is no text"] },
    ],
    ["warnings null", body([ROW], { warnings: null }), {}],
    ["warnings of another type", body([ROW], { warnings: "none" }), {}],
    ["cached", body([ROW], { cachedAt: 1795003100000 }), { cachedAtMs: 1795003100000 }],
    ["cached, as a text", body([ROW], { cachedAt: "1795003100000" }), { cachedAtMs: 1795003100000 }],
    ["cached some time", body([ROW], { cachedAt: "today" }), {}],
    ["a query time as a text", body([ROW], {}, { query_time_ms: "12.5" }), { queryTimeMs: 12.5 }],
    ["no query time", body([ROW], {}, { query_time_ms: undefined }), { queryTimeMs: undefined }],
    ["more metadata, fewer counts", body([ROW], {}, { row_count: "many", shard: 3 }), {}],
  ])("%s", (_, answer, change) => {
    expect(parseAnalytics(answer, REQUEST, "ask")).toEqual({ ...PLAIN, ...change });
  });

  test.each<[string, unknown, string]>([
    ["no object", null, "the body: Invalid input: expected object, received null"],
    ["no data", {}, "data: Invalid input: expected object, received undefined"],
    ["rows without an envelope", { data: [ROW] }, "data: Invalid input: expected object, received array"],
    [
      "no rows",
      { data: { metadata: { truncated: false } } },
      "data.data: Invalid input: expected array, received undefined",
    ],
    [
      "rows null",
      { data: { data: null, metadata: {} } },
      "data.data: Invalid input: expected array, received null",
    ],
    [
      "no metadata",
      { data: { data: [] } },
      "data.metadata: Invalid input: expected object, received undefined",
    ],
    [
      "nothing about truncation",
      { data: { data: [], metadata: {} } },
      "data.metadata.truncated: Invalid input: expected boolean, received undefined",
    ],
    [
      "no row that can be read",
      body([{ model: "One" }, 7]),
      "none of the 2 rows can be read (the first: app: Invalid input: expected a text or a number)",
    ],
  ])("%s is a bad response", (_, answer, why) => {
    expect(() => parseAnalytics(answer, REQUEST, "ask")).toThrow(
      expect.objectContaining({ kind: "bad_response", message: `Cannot ask: ${why}` }),
    );
  });
});

describe("parseAnalytics: rows", () => {
  test.each<[string, object, object, object]>([
    ["counts as texts", { request_count: "3" }, {}, { request_count: 3 }],
    ["all as texts", { request_count: "3", total_usage: "1.50" }, {}, {}],
    [
      "null values",
      { total_usage: null, request_count: null },
      {},
      { total_usage: null, request_count: null },
    ],
    ["a missing value", { total_usage: undefined }, {}, { total_usage: null }],
    [
      "negative values",
      { total_usage: -0.25, request_count: "-1" },
      {},
      { total_usage: -0.25, request_count: -1 },
    ],
    ["null labels", { model: null, app: null }, { model: null, app: null }, {}],
    ["empty labels", { model: "", app: "" }, { model: "", app: "" }, {}],
    ["numbers for labels", { app: 5001 }, { app: "5001" }, {}],
    ["more columns", { app_id: 5001, tokens_total: "many", date__day: "x", user: {} }, {}, {}],
  ])("%s", (_, change, labels, values) => {
    expect(parsed([{ ...ROW, ...change }]).rows).toEqual([
      { ...READ, labels: { ...READ.labels, ...labels }, values: { ...READ.values, ...values } },
    ]);
  });

  test.each<[string, unknown]>([
    ["a text", "One"],
    ["null", null],
    ["a list", ["One", "Chat", 1.5]],
    ["a label missing", { ...ROW, app: undefined }],
    ["a label of another type", { ...ROW, model: { name: "One" } }],
    ["a value that is no number", { ...ROW, total_usage: "much" }],
    ["a value of another type", { ...ROW, request_count: [3] }],
  ])("%s cannot be read, is left out and counted", (_, row) => {
    expect(parsed([row, ROW, row])).toMatchObject({ rows: [READ], unreadableRows: 2 });
  });

  test("reads the tags of a classifier: in columns of their names, or as pairs", () => {
    const classifierId = "0b5c1f0a-5b1a-4a52-9d4e-0a1b2c3d4e5f";
    const metrics = ["total_usage"];
    const named = { metrics, classifierDimensions: { classifierId, dimensionNames: ["team"] } };
    expect(parsed([{ team: "search", total_usage: 1 }], named).rows[0]?.labels).toEqual({ team: "search" });
    const unnamed = { metrics, classifierDimensions: { classifierId } };
    const pair = { clf_dimension_name: "team", clf_dimension_value: null };
    expect(parsed([{ ...pair, total_usage: 1 }], unnamed).rows[0]?.labels).toEqual(pair);
  });
});

describe("parseAnalytics: time columns", () => {
  const request: AnalyticsRequest = { metrics: ["total_usage"], granularity: "day" };
  const times: readonly [string, object, string | undefined][] = [
    ["the contract's", { date__day: "2026-11-17T00:00:00.000Z" }, "2026-11-17T00:00:00.000Z"],
    ["another prefix", { created_at__day: "2026-11-17T00:00:00Z" }, "2026-11-17T00:00:00.000Z"],
    ["no offset", { date__day: "2026-11-17T00:00:00" }, "2026-11-17T00:00:00.000Z"],
    ["a space", { date__day: "2026-11-17 00:00:00" }, "2026-11-17T00:00:00.000Z"],
    ["a day", { date__day: "2026-11-17" }, "2026-11-17T00:00:00.000Z"],
    [
      "beside another that is none",
      { title__day: "Monday", date__day: "2026-11-17" },
      "2026-11-17T00:00:00.000Z",
    ],
    ["of another granularity", { date__hour: "2026-11-17T00:00:00Z" }, undefined],
    ["null", { date__day: null }, undefined],
    ["no time", { date__day: "yesterday" }, undefined],
    ["none", {}, undefined],
  ];
  test.each(
    ZONES.flatMap((zone) => times.map(([form, columns, wanted]) => ({ zone, form, columns, wanted }))),
  )("$form on a machine in $zone: $wanted", ({ zone, columns, wanted }) => {
    moveTo(zone);
    const good = { date__day: "2026-11-18T00:00:00Z", total_usage: 1 };
    const rows = parsed([{ ...columns, total_usage: 2 }, good], request).rows.map(({ timeMs }) =>
      timeMs === undefined ? undefined : new Date(timeMs).toISOString(),
    );
    expect(rows).toEqual([...(wanted === undefined ? [] : [wanted]), "2026-11-18T00:00:00.000Z"]);
  });
});

describe("queryAnalytics: from a service", () => {
  const noon = Date.UTC(2026, 10, 18, 12);
  const timeRange = { startMs: Date.UTC(2026, 9, 1), endMs: noon };

  async function ask(request: AnalyticsRequest, switches: Partial<Switches> = {}) {
    const gateway = await startSimulatedGateway({ switches, startAt: noon });
    gateway.addKey({ name: "billing" });
    gateway.spend({
      key: "billing",
      model: "acme/one",
      app: "Chat",
      micros: 1_500_000,
      requests: 3,
      at: noon - 90_000,
    });
    gateway.spend({
      key: "billing",
      model: "acme/two",
      micros: -250_000,
      requests: 1,
      at: Date.UTC(2026, 10, 1),
    });
    const { http } = createClient({ baseUrl: gateway.url });
    const secret = secretSource(gateway.managementToken);
    return queryAnalytics(http, "day", request, secret, new AbortController().signal);
  }

  test.each<Switches["numbersAs"]>(["numbers", "counts_as_strings", "strings", "by_turns"])(
    "rows with numbers as %s",
    async (numbersAs) => {
      const request: AnalyticsRequest = {
        ...REQUEST,
        timeRange,
        orderBy: { field: "total_usage", direction: "desc" },
      };
      const answer = await ask(request, { numbersAs, extraColumns: true, cachedAt: true });
      expect(answer).toMatchObject({
        rows: [
          { labels: { model: "acme/one", app: "Chat" }, values: { total_usage: 1.5, request_count: 3 } },
          { labels: { model: "acme/two", app: null }, values: { total_usage: -0.25, request_count: 1 } },
        ],
        unreadableRows: 0,
        truncated: false,
        cachedAtMs: expect.any(Number),
      });
    },
  );

  test.each(
    (["minute", "hour", "day", "week", "month"] as const).flatMap((granularity) =>
      (["iso", "no_offset", "space", "date"] as const).map((timeFormat) => ({ granularity, timeFormat })),
    ),
  )(
    "time series by $granularity, times as $timeFormat, newest first",
    async ({ granularity, timeFormat }) => {
      moveTo("America/Los_Angeles");
      const request: AnalyticsRequest = { metrics: ["request_count"], granularity, timeRange };
      const answer = await ask(request, { timeFormat, timeColumnPrefix: "generation_time" });
      const times = answer.rows.map(({ timeMs }) => new Date(timeMs ?? Number.NaN).toISOString());
      const starts = {
        minute: ["2026-11-18T11:58:00.000Z", "2026-11-01T00:00:00.000Z"],
        hour: ["2026-11-18T11:00:00.000Z", "2026-11-01T00:00:00.000Z"],
        day: ["2026-11-18T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
        // Weeks of the analytics start on Sunday (observed-behaviour 8).
        week: ["2026-11-15T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
        month: ["2026-11-01T00:00:00.000Z"],
      };
      expect(times).toEqual(starts[granularity]);
    },
  );

  test("a wrong kind of key is forbidden, said and not asked again", async () => {
    const gateway = await startSimulatedGateway();
    const secret = secretSource(gateway.addKey({ name: "billing" }));
    const { http, clock } = createClient({ baseUrl: gateway.url });
    const asked = queryAnalytics(http, "day", REQUEST, secret, new AbortController().signal);
    await expect(asked).rejects.toMatchObject({
      kind: "forbidden",
      status: 403,
      message: expect.stringMatching(/^Cannot query the analytics of "day": gateway answered 403: ./),
    });
    expect(gateway.log.total).toBe(1);
    expect(clock.pending()).toEqual([]);
  });

  test("a request out of bounds is not sent", async () => {
    const gateway = await startSimulatedGateway();
    const { http } = createClient({ baseUrl: gateway.url });
    const asked = queryAnalytics(
      http,
      "day",
      { metrics: [] },
      secretSource("sk"),
      new AbortController().signal,
    );
    await expect(asked).rejects.toThrow(
      new RangeError("Cannot query the analytics: metrics: needs at least 1 item"),
    );
    expect(gateway.log.total).toBe(0);
  });
});
