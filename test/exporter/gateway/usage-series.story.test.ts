import { describe, expect, test } from "vitest";
import type { SeriesQuestion } from "../../../exporter/gateway/port.ts";
import { createClient, PLANTED } from "../../support/gateway-client.ts";
import { answering, startScriptedServer } from "../../support/scripted-server.ts";
import { secretSource } from "../../support/test-config.ts";

const DAY = Date.UTC(2026, 10, 17);
const HOUR = 3_600_000;
const QUESTION: SeriesQuestion = {
  range: { startMs: DAY, endMs: DAY + 24 * HOUR },
  granularity: "hour",
  dimensions: ["model", "app"],
};

async function ask(rows: readonly object[], change: Partial<SeriesQuestion> = {}, metadata: object = {}) {
  const body = { data: { data: rows, metadata: { truncated: false, ...metadata } } };
  const server = await startScriptedServer(answering(200, body));
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
    const { answer } = await ask([{ [column]: text, model: "One", app: null, total_usage: "1.5" }]);
    const { rows } = await answer;
    expect(rows).toMatchObject([{ startMs: DAY + HOUR, labels: ["One", null], amounts: { credits: 1.5 } }]);
  });

  test("a row without a readable time is unreadable", async () => {
    const good = { date__hour: "2026-11-17T01:00:00Z", model: "One", app: null, total_usage: 1 };
    const { answer } = await ask([good, { ...good, date__hour: "yesterday" }, { ...good, date__hour: 5 }]);
    expect(await answer).toMatchObject({
      unreadableRows: 2,
      rowProblem: expect.stringMatching(/time column/),
    });
  });

  test.each(["2026-11-16T23:00:00Z", "2026-11-18T00:00:00Z", "2026-11-17T01:30:00Z"])(
    "refuses a row about %s",
    async (text) => {
      const { answer } = await ask([{ date__hour: text, model: "One", app: null, total_usage: 1 }]);
      await expect(answer).rejects.toThrow(/a time that was not requested/);
    },
  );
});
