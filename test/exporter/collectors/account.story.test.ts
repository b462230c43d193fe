import { describe, expect, onTestFinished, test } from "vitest";
import { accountCollector } from "../../../exporter/collectors/account.ts";
import type { Switches } from "../../gateway/switches.ts";
import { seriesName } from "../../support/series.ts";
import { startTestApp } from "../../support/test-app.ts";
import { testConfig } from "../../support/test-config.ts";

const nameOf = (name: string) => seriesName(`aigateway_account_${name}`, {});
const FIGURES = ["bought_credits", "used_credits", "balance_credits"].map(nameOf);

/** An exporter beside a gateway whose account has bought and used credits. */
async function start(switches: Partial<Switches> = {}, schedule = {}) {
  const app = await startTestApp({
    analytics: true,
    content: () => ({ schedule }),
    gateway: () => ({ switches }),
    prepare: (gateway) => {
      gateway.addKey({ name: "billing" });
      gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
      gateway.spend({ key: "billing", model: "acme/one", micros: 25_750_001, byokMicros: 9e6 });
    },
  });
  onTestFinished(() => app.stop());
  return app;
}

function lineOf(figures: ReadonlyMap<string, number>): readonly (number | undefined)[] {
  return FIGURES.map((name) => figures.get(name));
}

describe("the balance", () => {
  test("is what was bought less what was used, and is polled with the analytics", async () => {
    const app = await start();
    const { gateway, clock } = app;
    const shown = await app.seriesWhen((series) => series.has(nameOf("balance_credits")));
    expect(lineOf(shown)).toEqual([100.5, 25.750001, 74.749999]);
    gateway.moveCredits({ kind: "expiry", micros: -80_000_000 });
    await clock.runTo(clock.now() + 600_000);
    const after = await app.seriesWhen((series) => series.get(nameOf("bought_credits")) === 20.5);
    expect(lineOf(after)).toEqual([20.5, 25.750001, -5.250001]);
  });

  test.each<[string, Partial<Switches>]>([["without the operation", { missingOperations: ["credits"] }]])(
    "is absent for a service %s, which is no failure",
    async (_, switches) => {
      const app = await start(switches);
      const series = await app.seriesWhen((shown) => shown.has(nameOf("last_success_timestamp_seconds")));
      expect(lineOf(series)).toEqual([undefined, undefined, undefined]);
      expect(app.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
    },
  );
});

describe("the capabilities", () => {
  const NAME = "aigateway_analytics_capabilities_info";
  test("are counted, and read once a day", async () => {
    const app = await start({}, { keys: "1h", analytics: "1h" });
    const { gateway, clock } = app;
    const labels = { metrics: "23", dimensions: "16", granularities: "5" };
    await app.seriesWhen((series) => series.has(seriesName(NAME, labels)));
    // As everything, they are read once more after midnight.
    const counts = [];
    for (const hours of [11, 2, 22, 2]) {
      await clock.runTo(clock.now() + hours * 3_600_000);
      counts.push(gateway.log.of("meta").length);
    }
    expect(counts).toEqual([1, 2, 2, 3]);
  });
});

test("a dimension that the gateway does not list is a warning with the nearest one, and is asked for", async () => {
  const queries = [
    { name: "hosts", dimensions: ["providr"], window: "day" as const },
    { name: "odd", dimensions: ["zzzzzzzzz"], window: "day" as const },
  ];
  const app = await startTestApp({
    analytics: true,
    content: () => ({ analytics: { management_key_env: "MANAGEMENT_KEY", queries } }),
  });
  await app.seriesWhen(
    (series) =>
      series.has('aigateway_analytics_up{query="hosts"}') &&
      [...series.keys()].some((name) => name.startsWith("aigateway_analytics_capabilities_info")),
    { seconds: 60 },
  );
  const [warning] = app.lines.filter(({ message }) => message.includes("capabilities of the analytics, but"));
  expect(warning?.message).toContain(
    'query "hosts" names the dimension "providr", which the gateway does not list; the nearest one is "provider"; query "odd" names the dimension "zzzzzzzzz", which the gateway does not list',
  );
  expect((await app.series()).get('aigateway_analytics_up{query="hosts"}')).toBe(0);
});

test("nothing about the account is requested without a management key", () => {
  expect(accountCollector.jobs(testConfig())).toEqual([]);
});

test("a balance that buys credits by itself bounds no key, and is announced while a purchase is missing", async () => {
  const app = await startTestApp({
    analytics: true,
    content: () => ({ account: { top_up_below: 2, top_up: 4, low_balance: 3 } }),
    prepare: (gateway) => {
      gateway.addKey({ name: "billing" });
      gateway.moveCredits({ kind: "purchase", micros: 7_000_000 });
      gateway.spend({ key: "billing", model: "acme/one", micros: 4_100_000 });
    },
  });
  onTestFinished(() => app.stop());
  await app.clock.runTo(app.clock.now() + 600_000);
  const series = await app.series();
  expect(series.get(nameOf("low_balance_credits"))).toBe(3);
  expect([...series.keys()].find((name) => name.startsWith("aigateway_key_spendable"))).toBeUndefined();
  expect(await app.page("/account")).toContain(
    "Buys 4.00 credits automatically when the balance falls below\n    2.00.",
  );
  app.gateway.spend({ key: "billing", model: "acme/one", micros: 1_000_000 });
  await app.clock.runTo(app.clock.now() + 7_200_000);
  const isImminent = seriesName("aigateway_account_outlook", { aigateway_account_outlook: "imminent" });
  expect((await app.series()).get(isImminent)).toBe(1);
});
