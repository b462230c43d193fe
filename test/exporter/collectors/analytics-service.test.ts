import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { Spend } from "../../gateway/spend.ts";
import type { Switches } from "../../gateway/switches.ts";
import { testConfig } from "../../support/test-config.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { createClient, secretSource } from "../../support/gateway-client.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const SPENT_AT = NOON - 60_000;

/** A simulated service with the spend of two pairs, and the collector's query of the day. */
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

  const { clientFor } = createClient({ baseUrl: gateway.url });
  const analytics = { managementKey: secretSource(gateway.managementToken), top, rates: false, queries: [] };
  const [job] = analyticsCollector.jobs(testConfig({ analytics }));
  async function poll(): Promise<readonly string[]> {
    const result = await job?.run(clientFor({ endpoint: "analytics", name: "day" }), NOON);
    return sampleLines(analyticsCollector.families, result?.samples ?? [])
      .filter((line) => /^aigateway_usage_day_(credits|requests)/.test(line))
      .map((line) => line.replace("aigateway_usage_day_", "").replace(',app="Chat"', ""));
  }
  /** Runs a callback once, right after the answer with this number was computed. */
  function afterAnswer(number: number, happens: () => void): void {
    let answers = 0;
    gateway.hooks.afterQuery = () => {
      answers += 1;
      if (answers === number) happens();
    };
  }
  /** Whether each request is for rows or for the total. */
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
  test("without changes between the answers: two requests", async () => {
    const { poll, asked } = await service();
    expect(await poll()).toEqual(STILL);
    expect(asked()).toEqual(["rows", "total"]);
  });

  test.each<Partial<Switches>>([
    { numbersAs: "counts_as_strings" },
    { numbersAs: "strings" },
    { numbersAs: "by_turns" },
    { nullComponents: true, extraColumns: true, cachedAt: true },
  ])("with the variants %j", async (switches) => {
    const { poll, asked } = await service(switches);
    expect(await poll()).toEqual(STILL);
    expect(asked()).toEqual(["rows", "total"]);
  });

  test("with the same text for different models", async () => {
    const { poll } = await service({ duplicateLabels: true });
    expect(await poll()).toEqual(['credits{model="acme"} 1.75', 'requests{model="acme"} 4']);
  });

  test("with a folded remainder", async () => {
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

describe("analytics of a service with spend between the two answers", () => {
  test("requests the rows once more, and puts nothing into the remainder", async () => {
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

  test("a new pair", async () => {
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

  test("a count that decreases at the same price", async () => {
    const { spend, poll, afterAnswer, asked } = await service();
    afterAnswer(1, () => spend("acme/one", 0, -1));
    expect(await poll()).toEqual(STILL.with(2, 'requests{model="acme/one"} 2'));
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test("a refund", async () => {
    const { spend, poll, afterAnswer, asked } = await service();
    afterAnswer(1, () => spend("acme/one", -500_000, -1));
    expect(await poll()).toEqual(
      STILL.with(0, 'credits{model="acme/one"} 1').with(2, 'requests{model="acme/one"} 2'),
    );
    expect(asked()).toEqual(["rows", "total", "rows"]);
  });

  test.each([1, 50])(
    "accepts the second rows after further spend, without a third request (top %i)",
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

  test("spend that is refunded before the second rows belongs to _other for one run", async () => {
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

  test("a failure of the second rows fails the run", async () => {
    const { gateway, spend, poll, afterAnswer } = await service();
    afterAnswer(1, () => {
      spend("acme/two", 750_000, 2);
      gateway.faults.add({ kind: "garbage", form: "html", endpoint: "analytics" });
    });
    await expect(poll()).rejects.toMatchObject({ kind: "bad_response" });
  });
});
