import { describe, expect, test } from "vitest";
import type { UsageQuestion, SeriesQuestion } from "../../../exporter/gateway/port.ts";
import type { Switches } from "../../gateway/switches.ts";
import { createClient, PLANTED } from "../../support/gateway-client.ts";
import { answering, startScriptedServer } from "../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { secretSource } from "../../support/test-config.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const RANGE = { startMs: Date.UTC(2026, 9, 1), endMs: NOON + 1 };
const BOTH: UsageQuestion = { range: RANGE, pairs: true, total: true, rates: false };
const AMOUNTS = [
  "total_usage",
  "byok_usage",
  "request_count",
  "tokens_total",
  "tokens_prompt",
  "tokens_completion",
  "reasoning_tokens",
];

function body(rows: readonly object[], around: object = {}, metadata: object = {}) {
  return { data: { data: rows, metadata: { truncated: false, ...metadata }, ...around } };
}

/** Queries a server that sends these bodies in turn; the test reads the requests. */
async function ask(bodies: readonly object[], change: Partial<UsageQuestion> = {}) {
  const server = await startScriptedServer(...bodies.map((sent) => answering(200, sent)));
  const client = createClient({ baseUrl: server.url }).clientFor({ endpoint: "analytics", name: "day" });
  const usage = await client.usage({ ...BOTH, ...change }, secretSource(PLANTED));
  return { usage, requests: server.requests.map((request) => JSON.parse(request.body)) };
}

/** The kind of each request. */
const kinds = (requests: readonly object[]) =>
  requests.map((request) => ("dimensions" in request ? "pairs" : "total"));

const ONE = { model: "One", app: null, total_usage: 5, request_count: 10 };
const TWO = { model: "Two", app: "Chat", total_usage: 3, request_count: 20 };
const SUM = { total_usage: 8, request_count: 30 };

describe("usage: the requests", () => {
  test("requests the pairs by credits, then the total, with times in milliseconds", async () => {
    const { requests } = await ask([body([ONE]), body([ONE])]);
    const time_range = { start: "2026-10-01T00:00:00.000Z", end: "2026-11-18T12:00:00.001Z" };
    expect(requests).toEqual([
      {
        metrics: AMOUNTS,
        dimensions: ["model", "app"],
        time_range,
        limit: 1000,
        order_by: { field: "total_usage", direction: "desc" },
      },
      { metrics: AMOUNTS, time_range },
    ]);
  });

  test("requests the rates of the pairs only", async () => {
    const { requests } = await ask([body([ONE]), body([ONE])], { rates: true });
    expect(requests.map(({ metrics }) => metrics)).toEqual([
      [...AMOUNTS, "cache_hit_rate", "avg_latency", "p90_latency"],
      AMOUNTS,
    ]);
  });
});

describe("usage: pairs and total that disagree", () => {
  const after = [body([ONE, TWO])];
  test.each<[string, object, boolean]>([
    ["they agree", SUM, false],
    ["a request was added", { total_usage: 8.5, request_count: 31 }, true],
    ["a refund was added", { total_usage: 7.5, request_count: 30 }, true],
    ["tokens were added", { ...SUM, tokens_total: 1 }, true],
    ["a billionth of a credit", { total_usage: 8.000000001, request_count: 30 }, true],
  ])("%s", async (_, total, again) => {
    const { requests } = await ask([body([ONE, TWO]), body([total]), ...after]);
    expect(kinds(requests)).toEqual(again ? ["pairs", "total", "pairs"] : ["pairs", "total"]);
  });

  test.each<[string, object, readonly object[]]>([
    ["pairs are missing", body([ONE], {}, { truncated: true }), [SUM]],
    ["a row cannot be read", body([ONE, { model: 7 }]), [SUM]],
    ["the total has no row", body([ONE]), []],
  ])("are not requested again if %s", async (_, pairs, total) => {
    const { requests } = await ask([pairs, body(total)]);
    expect(kinds(requests)).toEqual(["pairs", "total"]);
  });
});

describe("usage: the answer", () => {
  test("has rows, truncation, warnings and query time of the pairs if they were requested", async () => {
    const pairs = body(
      [ONE, { ...ONE, model: [] }],
      { warnings: ["a", "b"] },
      { truncated: true, query_time_ms: 12 },
    );
    const { usage } = await ask([pairs, body([SUM], { warnings: ["c"] }, { query_time_ms: 5 })]);
    expect(usage).toMatchObject({
      rows: 2,
      unreadableRows: 1,
      rowProblem: "model: Invalid input: expected a text or a number",
      truncated: true,
      warnings: 2,
      queryTimeMs: 12,
    });
  });

  test.each([
    [NOON, NOON + 1000, NOON],
    [NOON + 1000, NOON, NOON],
    [NOON, undefined, NOON],
    [undefined, NOON, NOON],
    [undefined, undefined, undefined],
  ])("computed at %j and %j: as of %j", async (pairsAt, totalAt, wanted) => {
    const { usage } = await ask([body([ONE], { cachedAt: pairsAt }), body([ONE], { cachedAt: totalAt })]);
    expect(usage.computedAtMs).toBe(wanted);
  });

  test.each<[string, readonly object[], object]>([
    ["a row", [SUM], { empty: false, amounts: { credits: 8, requests: 30 } }],
    ["no row: nothing was used", [], { empty: true, amounts: {} }],
  ])("a total with %s", async (_, rows, wanted) => {
    const { usage } = await ask([body(rows)], { pairs: false });
    expect(usage.total).toMatchObject(wanted);
  });

  test.each<[string, readonly object[], boolean]>([
    ["null and no requests", [{ total_usage: null, request_count: 0 }], true],
    ["null and unknown requests", [{ total_usage: null, request_count: null }], false],
    ["null and some requests", [{ total_usage: null, request_count: 3 }], false],
  ])("of %s means that nothing was used: %s", async (_, rows, empty) => {
    const { usage } = await ask([body(rows)], { pairs: false });
    expect(usage.total?.empty).toBe(empty);
  });

  test.each<[string, object, string | undefined]>([
    ["one row", body([SUM]), undefined],
    ["one row, truncated", body([SUM], {}, { truncated: true }), "cut"],
    ["two rows", body([SUM, SUM]), "cut"],
    ["a warning", body([SUM], { warnings: ["x"] }), "warned"],
  ])("a total with %s", async (_, sent, gap) => {
    const { usage } = await ask([sent], { pairs: false });
    expect(usage.total?.gap).toBe(gap);
  });

  test("a total without a row is unknown if the answer was cut", async () => {
    const { usage } = await ask([body([], {}, { truncated: true })], { pairs: false });
    expect(usage.total).toBeUndefined();
  });
});

describe("usage: a simulated service", () => {
  test.each<Switches["numbersAs"]>(["numbers", "counts_as_strings", "strings", "by_turns"])(
    "that writes numbers as %s",
    async (numbersAs) => {
      const switches = { numbersAs, extraColumns: true, cachedAt: true };
      const gateway = await startSimulatedGateway({ switches, startAt: NOON });
      gateway.addKey({ name: "billing" });
      const spend = { key: "billing", requests: 1, at: NOON - 90_000 };
      gateway.spend({ ...spend, model: "acme/one", app: "Chat", micros: 1_500_000 });
      gateway.spend({ ...spend, model: "acme/two", micros: -250_000 });
      const client = createClient({ baseUrl: gateway.url }).clientFor({ endpoint: "analytics", name: "day" });
      const usage = await client.usage(BOTH, secretSource(gateway.managementToken));
      expect(usage).toMatchObject({
        pairs: [
          { model: "acme/one", app: "Chat", amounts: { credits: 1.5, requests: 1 } },
          { model: "acme/two", app: null, amounts: { credits: -0.25, requests: 1 } },
        ],
        total: { empty: false, amounts: { credits: 1.25, requests: 2 } },
        unreadableRows: 0,
        truncated: false,
        computedAtMs: expect.any(Number),
      });
    },
  );
});

describe("usage: a service that refuses requests with BYOK", () => {
  const refusal = { error: { code: 400, message: "Unknown metric" } };
  /** Two questions to a server that refuses some requests; which requests had BYOK. */
  async function asked(
    refuses: (body: string, number: number) => boolean,
    filters?: UsageQuestion["filters"],
  ) {
    let number = 0;
    const server = await startScriptedServer((response, request) => {
      const step = refuses(request.body, (number += 1))
        ? answering(400, refusal)
        : answering(200, body([ONE]));
      return step(response, request);
    });
    const { clientFor } = createClient({ baseUrl: server.url });
    const answer = () =>
      clientFor({ endpoint: "analytics", name: "day" })
        .usage({ ...BOTH, pairs: false, ...(filters && { filters }) }, secretSource(PLANTED))
        .then(
          ({ creditsSource }) => creditsSource,
          ({ kind }) => kind,
        );
    const answers = [await answer(), await answer()];
    return { answers, requests: server.requests.map((request) => isWithByok(request.body)) };
  }

  test("is asked without it, and with it no more", async () => {
    const { answers, requests } = await asked(isWithByok);
    expect(answers).toEqual(["total", "total"]);
    expect(requests).toEqual([true, false, false]);
  });

  test("and refuses them without it as well: BYOK was not the reason", async () => {
    const { answers, requests } = await asked(() => true);
    expect(answers).toEqual(["bad_request", "bad_request"]);
    expect(requests).toEqual([true, false, true, false]);
  });
});

function isWithByok(text: string): boolean {
  return text.includes("byok_usage");
}

const DAY = Date.UTC(2026, 10, 17);
const HOUR = 3_600_000;
const QUESTION: SeriesQuestion = {
  range: { startMs: DAY, endMs: DAY + 24 * HOUR },
  granularity: "hour",
  dimensions: ["model", "app"],
};

async function askSeries(
  rows: readonly object[],
  change: Partial<SeriesQuestion> = {},
  metadata: object = {},
) {
  const answerBody = { data: { data: rows, metadata: { truncated: false, ...metadata } } };
  const server = await startScriptedServer(answering(200, answerBody));
  const client = createClient({ baseUrl: server.url }).clientFor({ endpoint: "analytics", name: "past" });
  const answer = client.usageSeries({ ...QUESTION, ...change }, secretSource(PLANTED));
  return { answer, requests: () => server.requests.map((request) => JSON.parse(request.body)) };
}

describe("usageSeries", () => {
  test.each([
    ["date__hour", "2026-11-17T01:00:00.000Z"],
    ["created_at__hour", "2026-11-17 01:00:00"],
    ["date__hour", "2026-11-17T01:00"],
  ])("reads a time column %s: %s", async (column, text) => {
    const { answer } = await askSeries([{ [column]: text, model: "One", app: null, total_usage: "1.5" }]);
    const { rows } = await answer;
    expect(rows).toMatchObject([{ startMs: DAY + HOUR, labels: ["One", null], amounts: { credits: 1.5 } }]);
  });

  test("a row without a readable time is unreadable", async () => {
    const good = { date__hour: "2026-11-17T01:00:00Z", model: "One", app: null, total_usage: 1 };
    const { answer } = await askSeries([
      good,
      { ...good, date__hour: "yesterday" },
      { ...good, date__hour: 5 },
    ]);
    expect(await answer).toMatchObject({
      unreadableRows: 2,
      rowProblem: expect.stringMatching(/time column/),
    });
  });

  test.each(["2026-11-16T23:00:00Z", "2026-11-18T00:00:00Z", "2026-11-17T01:30:00Z"])(
    "refuses a row about %s",
    async (text) => {
      const { answer } = await askSeries([{ date__hour: text, model: "One", app: null, total_usage: 1 }]);
      await expect(answer).rejects.toThrow(/a time that was not requested/);
    },
  );
});
