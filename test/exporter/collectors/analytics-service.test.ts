import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import { queryAnalytics } from "../../../exporter/gateway/analytics.ts";
import type { Gateway } from "../../../exporter/gateway/gateway.ts";
import type { Spend } from "../../gateway/spend.ts";
import type { Switches } from "../../gateway/switches.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { createClient } from "../../support/gateway-client.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { secretSource, testAnalytics, testConfig } from "../../support/test-config.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const SPENT_AT = NOON - 60_000;

/** A simulated service that has seen two pairs, and the collector's query of the day on it. */
async function service(switches: Partial<Switches> = {}, top = 50) {
  const gateway = await startSimulatedGateway({ switches, startAt: NOON });
  gateway.addKey({ name: "billing" });
  const spend = (model: string, micros: number, requests = 1, more: Partial<Spend> = {}) =>
    gateway.spend({
      key: "billing",
      model,
      app: "Chat",
      micros,
      requests,
      at: SPENT_AT,
      force: true,
      ...more,
    });
  spend("acme/one", 1_500_000, 3);
  spend("acme/two", 250_000, 1);

  const { http } = createClient({ baseUrl: gateway.url });
  const upstream: Gateway = {
    readKey: () => Promise.reject(new Error("Nobody asks for a key")),
    queryAnalytics: (...call) => queryAnalytics(http, ...call),
    close: () => http.close(),
  };
  const analytics = testAnalytics({ managementKey: secretSource(gateway.managementToken), top });
  const [target] = analyticsCollector.targets(testConfig({ analytics }));
  async function poll(): Promise<readonly string[]> {
    const reading = await target?.poll(upstream, NOON, new AbortController().signal);
    return sampleLines(analyticsCollector.families, reading?.samples ?? [])
      .filter((line) => /^aigateway_usage_day_(credits|requests)/.test(line))
      .map((line) => line.replace("aigateway_usage_day_", "").replace(',app="Chat"', ""));
  }
  /** Something happens once, right after the answer with this number has been made. */
  function afterAnswer(number: number, happens: () => void): void {
    let answers = 0;
    gateway.hooks.afterQuery = () => {
      answers += 1;
      if (answers === number) happens();
    };
  }
  /** Whether each question that was asked is grouped. */
  const asked = () =>
    gateway.log.of("analytics").map(({ body }) => (body.includes("dimensions") ? "rows" : "total"));
  return { gateway, spend, poll, afterAnswer, asked };
}

const STILL = [
  'credits{model="acme/one"} 1.5',
  'credits{model="acme/two"} 0.25',
  'requests{model="acme/one"} 3',
  'requests{model="acme/two"} 1',
];

describe("analytics of a service", () => {
  test("where nothing moves: two questions, and the books", async () => {
    const { poll, asked } = await service();
    expect(await poll()).toEqual(STILL);
    expect(asked()).toEqual(["rows", "total"]);
  });

  test.each<Partial<Switches>>([
    { numbersAs: "counts_as_strings" },
    { numbersAs: "strings" },
    { numbersAs: "by_turns" },
    { nullComponents: true, extraColumns: true, cachedAt: true },
  ])("that writes as it likes: %j", async (switches) => {
    const { poll, asked } = await service(switches);
    expect(await poll()).toEqual(STILL);
    expect(asked()).toEqual(["rows", "total"]);
  });

  test("that calls different models by one text", async () => {
    const { poll } = await service({ duplicateLabels: true });
    expect(await poll()).toEqual(['credits{model="acme"} 1.75', 'requests{model="acme"} 4']);
  });

  test("whose rest is folded", async () => {
    const { poll, asked } = await service({}, 1);
    expect(await poll()).toEqual([
      'credits{model="acme/one"} 1.5',
      'credits{model="_other",app="_other"} 0.25',
      'requests{model="acme/one"} 3',
      'requests{model="_other",app="_other"} 1',
    ]);
    expect(asked()).toEqual(["rows", "total"]);
  });
});

describe("analytics of a service where something is spent between the two answers", () => {
  test("the rows are asked for once more, and nothing is taken for the remainder", async () => {
    const { spend, poll, afterAnswer, asked } = await service();
    afterAnswer(1, () => spend("acme/two", 750_000, 2));
    expect(await poll()).toEqual([
      'credits{model="acme/one"} 1.5',
      'credits{model="acme/two"} 1',
      'requests{model="acme/one"} 3',
      'requests{model="acme/two"} 3',
    ]);
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test("a pair that was not there before", async () => {
    const { spend, poll, afterAnswer, asked } = await service();
    afterAnswer(1, () => spend("acme/new", 100_000, 1));
    expect(await poll()).toEqual([
      'credits{model="acme/one"} 1.5',
      'credits{model="acme/two"} 0.25',
      'credits{model="acme/new"} 0.1',
      'requests{model="acme/one"} 3',
      'requests{model="acme/two"} 1',
      'requests{model="acme/new"} 1',
    ]);
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test("a count that goes down, at the same price", async () => {
    const { spend, poll, afterAnswer, asked } = await service();
    afterAnswer(1, () => spend("acme/one", 0, -1));
    expect(await poll()).toEqual(STILL.with(2, 'requests{model="acme/one"} 2'));
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test("a row that is given back", async () => {
    const { spend, poll, afterAnswer, asked } = await service();
    afterAnswer(1, () => spend("acme/one", -500_000, -1));
    expect(await poll()).toEqual(
      STILL.with(0, 'credits{model="acme/one"} 1').with(2, 'requests{model="acme/one"} 2'),
    );
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test.each([1, 50])(
    "and again before the second rows: they are right, and not asked for a third time (top %i)",
    async (top) => {
      const { gateway, spend, poll, asked } = await service({}, top);
      gateway.hooks.afterQuery = () => void spend("acme/one", 100_000, 1);
      const [credits, requests] = [1.7, 5];
      const rest = top === 1 ? '_other",app="_other' : "acme/two";
      expect(await poll()).toEqual([
        `credits{model="acme/one"} ${credits}`,
        `credits{model="${rest}"} 0.25`,
        `requests{model="acme/one"} ${requests}`,
        `requests{model="${rest}"} 1`,
      ]);
      expect(asked()).toEqual(["rows", "total", "rows"]);
    },
  );

  test("and taken back before the second rows: what nobody has is _other's for one poll", async () => {
    const { gateway, spend, poll, asked } = await service();
    let answers = 0;
    gateway.hooks.afterQuery = () => {
      answers += 1;
      if (answers === 1) spend("acme/two", 750_000, 2);
      if (answers === 2) spend("acme/two", -750_000, -2);
    };
    expect(await poll()).toEqual([
      ...STILL.slice(0, 2),
      'credits{model="_other",app="_other"} 0.75',
      ...STILL.slice(2),
      'requests{model="_other",app="_other"} 2',
    ]);
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test("a failure of the second rows fails the poll", async () => {
    const { gateway, spend, poll, afterAnswer } = await service();
    afterAnswer(1, () => {
      spend("acme/two", 750_000, 2);
      gateway.faults.add({ kind: "garbage", form: "html", endpoint: "analytics" });
    });
    await expect(poll()).rejects.toMatchObject({ kind: "bad_response" });
  });
});
