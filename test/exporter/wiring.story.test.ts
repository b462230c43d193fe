import { expect, onTestFinished, test } from "vitest";

import { MOST_CONNECTIONS } from "../../exporter/http/server.ts";
import { connectRaw, type RawClient } from "../support/raw-client.ts";
import { startTestApp, type TestAppOptions } from "../support/test-app.ts";

// One story for each part that createApp connects: it fails when the connection is cut.

const MINUTE = 60_000;

/** Figures that no other text on a page has: what the key "billing" has spent, and its limit. */
const [SPENT, LIMIT] = [4_321_000, 98_765_000];
const FIGURES = /4\.32|98\.76|98\.77|94\.44/;

const VIEWS = ["/metrics", "/", "/keys/billing", "/account", "/models", "/apps", "/api/v1/status"];

/** Two keys; the first one is answered and shown. */
async function start(options: Partial<TestAppOptions> = {}) {
  const app = await startTestApp({
    start: "2026-11-18T12:00:00Z",
    prepare: (gateway) => {
      gateway.addKey({ name: "billing", limitMicros: LIMIT, limitReset: "daily" });
      gateway.addKey({ name: "other" });
      gateway.spend({ key: "billing", model: "acme/one", micros: SPENT });
    },
    content: () => ({ schedule: { keys: "60s" }, keys: [{ name: "billing", api_key_env: "KEY_0" }] }),
    ...options,
  });
  onTestFinished(() => app.stop());
  await app.seriesWhen((series) => series.get('aigateway_key_usage_day_credits{key="billing"}') === 4.321);
  const views = async (): Promise<readonly string[]> => {
    const texts = await Promise.all(
      VIEWS.map(async (path) => [path, await textAt(`${app.url}${path}`)] as const),
    );
    return texts.filter(([, text]) => FIGURES.test(text)).map(([path]) => path);
  };
  return { ...app, views };
}

test("readings are on the page, on the key's page, in the JSON and in the metrics", async () => {
  const app = await start();
  expect(await app.views()).toEqual(["/metrics", "/", "/keys/billing", "/api/v1/status"]);
});

test("after the identity of a key has changed, no view shows anything of the former one", async () => {
  const app = await start();
  app.gateway.faults.add({ kind: "status", status: 503, endpoint: "key" });
  await app.apply({
    keys: [{ name: "billing", api_key_env: "KEY_1" }],
    budgets: [{ name: "both", limit: 100, window: "day", keys: "all" }],
  });
  expect(await app.views()).toEqual([]);
  app.gateway.faults.clear();
  await app.seriesWhen((series) => series.get('aigateway_key_up{key="billing"}') === 1, { seconds: 130 });
  await app.clock.runTo(app.clock.now() + 2 * MINUTE);
  expect(await app.views()).toEqual([]);
});

test("the metrics that the service lists outlast a reload of how it is asked", async () => {
  const app = await start({ analytics: true });
  const asked = async () => {
    await app.clock.runTo(app.clock.now() + 12 * MINUTE);
    return app.gateway.log.of("analytics").at(-1)?.body;
  };
  expect(await asked()).toContain("credits_usage");
  await app.apply({ gateway: { base_url: app.gateway.url, requests_per_minute: 100 } });
  expect(await asked()).toContain("credits_usage");
});

const listed = (secret: string) => ({ discovery: {}, keys: [{ name: "billing", api_key_env: secret }] });

test("the gateway's history is drawn, and the charts of a key are those of its present identity", async () => {
  const app = await start({ analytics: true, content: () => listed("KEY_0") });
  /** The credits of the hour that begins at noon, in the charts of a page. */
  const atNoon = async (path: string) => {
    await app.clock.runTo(app.clock.now() + 10 * MINUTE);
    return [...(await app.page(path)).matchAll(/Credits: [^<]*?\b12:00 (\d[\d.]*\d|0)/g)].map(
      ([, credits]) => credits,
    );
  };
  expect(await atNoon("/keys/billing")).toEqual(["4.32"]);
  expect(await atNoon("/models")).toEqual(["4.32"]);
  await app.apply(listed("KEY_1"));
  expect(await atNoon("/keys/billing")).toEqual(["0.00"]);
});

test("a connection beyond the limit is refused and counted", async () => {
  const app = await start();
  const clients: RawClient[] = [];
  // The test's own requests have a connection, too.
  for (let count = 0; count <= MOST_CONNECTIONS; count++) clients.push(await connectRaw(app.url));
  expect(await clients.at(-1)?.rest()).toBe("");
  const series = await app.series();
  expect(series.get("aigateway_exporter_http_connections_dropped_total{}")).toBeGreaterThan(0);
  for (const { socket } of clients) socket.destroy();
});

test("readings reach the budgets, in the metrics and on the page", async () => {
  const app = await start({
    content: () => ({
      keys: [{ name: "billing", api_key_env: "KEY_0" }],
      budgets: [{ name: "all", limit: 10, window: "day", keys: "all" }],
    }),
  });
  const spent = 'aigateway_budget_spent_credits{budget="all"}';
  const series = await app.seriesWhen((shown) => shown.has(spent));
  expect(series.get(spent)).toBe(4.321);
  expect(await app.status()).toMatchObject({
    budgets: [{ budget: "all", spent_credits: 4.321 }],
  });
  await app.apply({
    keys: [{ name: "billing", api_key_env: "KEY_0" }],
    budgets: [{ name: "new", limit: 20, window: "day", keys: "all" }],
  });
  const after = await app.seriesWhen((shown) => !shown.has(spent));
  expect(after.get('aigateway_budget_limit_credits{budget="new"}')).toBe(20);
});

test("a reload withdraws what it removes, and polls what it adds", async () => {
  const app = await start();
  await app.apply({ keys: [{ name: "other", api_key_env: "KEY_1" }] });
  expect(await app.views()).toEqual([]);
  const isUp = 'aigateway_key_up{key="other"}';
  expect((await app.seriesWhen((series) => series.has(isUp))).get(isUp)).toBe(1);
});

/** The body, also of an error. */
async function textAt(url: string): Promise<string> {
  return (await fetch(url)).text();
}
