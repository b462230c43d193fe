import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";
import { seriesName } from "../support/series.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "../support/test-app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The page, the JSON and the metrics say the same about what the gateway leaves in doubt.

const MINUTE = 60_000;
const MODEL = "acme/one";

async function start(options: TestAppOptions) {
  const app = await startTestApp({ start: "2026-11-18T12:00:00Z", analytics: true, ...options });
  onTestFinished(() => app.stop());
  return app;
}

async function after(app: TestApp, minutes: number) {
  await app.clock.runTo(app.clock.now() + minutes * MINUTE);
  return app.series();
}

const textOf = async (app: TestApp, path = "/") =>
  (await app.page(path))
    .replace(/<style>[^]*<\/style>/, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
const statusOf = async (app: TestApp) => JSON.parse(await app.page("/api/v1/status"));
const named = (series: ReadonlyMap<string, number>, part: string) =>
  [...series].filter(([name]) => name.includes(part));

test("a query whose filter the gateway cannot resolve shows nothing, and says which filter", async () => {
  const app = await start({
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.spend({ key: "docs", model: MODEL, micros: 900_000_000 });
      // A service that drops what it cannot resolve answers about the whole account.
      const body = JSON.stringify({
        data: {
          data: [{ model: MODEL, total_usage: 900, byok_usage: 0, request_count: 1 }],
          metadata: { truncated: false },
          warnings: ["Could not resolve api_key_id hash"],
        },
      });
      gateway.faults.add({ kind: "body", body, endpoint: "analytics" });
    },
    content: () => ({
      analytics: {
        management_key_env: "MANAGEMENT_KEY",
        queries: [
          {
            name: "billing",
            window: "day",
            dimensions: ["model"],
            filters: [{ field: "api_key_id", in: ["f".repeat(64)] }],
          },
        ],
      },
    }),
  });
  const series = await after(app, 3);
  expect(named(series, 'aigateway_query_credits{model="acme/one",query="billing"')).toEqual([]);
  expect(await textOf(app)).toContain("of the filter by api_key_id");
});

test("use of one's own provider keys is on the page, on the page of the key and in the JSON", async () => {
  const app = await start({
    analytics: false,
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      const set = { "data.byok_usage_monthly": 312.75, "data.byok_usage": 400 };
      gateway.faults.add({ kind: "fields", endpoint: "key", set });
    },
  });
  await after(app, 2);
  expect(await textOf(app)).toMatch(/\+ 312\.75 BYOK .*\+ 400\.00 BYOK/);
  expect(await textOf(app, "/keys/docs")).toContain("+ 312.75 BYOK");
  expect((await statusOf(app)).keys[0]).toMatchObject({
    byok_usage_day_credits: 0,
    byok_usage_month_credits: 312.75,
    byok_usage_credits: 400,
  });
});

test("a budget over a total that may contain BYOK is not complete, and says why", async () => {
  const app = await start({
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.spend({ key: "docs", model: MODEL, micros: 100_000_000 });
    },
    gateway: () => ({
      switches: { missingMetrics: ["byok_usage_inference", "credits_usage", "byok_usage"] },
    }),
    content: () => ({ budgets: [{ name: "all", limit: 150, window: "month", account: true }] }),
  });
  const series = await after(app, 10);
  expect(named(series, "aigateway_budget_complete")).toEqual([
    ['aigateway_budget_complete{budget="all"}', 0],
  ]);
  expect(await textOf(app)).toMatch(/may contain use of your own provider keys.* about 100\.00 of 150\.00/);
  expect((await statusOf(app)).budgets[0]).toMatchObject({ complete: false, gaps: { partial: 1 } });
});

test("a total that excludes BYOK gives no negative spend", async () => {
  const app = await start({
    gateway: () => ({ switches: { missingMetrics: ["credits_usage"] } }),
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      const rows = [{ model: MODEL, app: "web", total_usage: 0, byok_usage: 12.5, request_count: 1 }];
      const body = JSON.stringify({ data: { data: rows, metadata: { truncated: false } } });
      gateway.faults.add({ kind: "body", body, endpoint: "analytics" });
    },
  });
  const series = await after(app, 10);
  expect(named(series, "aigateway_usage_day_credits")).toEqual([
    [seriesName("aigateway_usage_day_credits", { app: "web", model: MODEL }), 0],
  ]);
});

test("after a rotation, a budget of the key is not complete until its window ends", async () => {
  const folder = temporaryFolder();
  const secret = join(folder, "docs");
  const app = await start({
    analytics: false,
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.spend({ key: "docs", model: MODEL, micros: 50_000_000 });
    },
    content: (gateway) => {
      writeFileSync(secret, gateway.tokens.get("docs") ?? "");
      return {
        keys: [{ name: "docs", api_key_file: secret }],
        budgets: [{ name: "team", limit: 100, window: "day", keys: ["docs"] }],
      };
    },
  });
  const complete = seriesName("aigateway_budget_complete", { budget: "team" });
  const spent = seriesName("aigateway_budget_spent_credits", { budget: "team" });
  await app.seriesWhen((series) => series.get(spent) === 50, { seconds: 90 });
  writeFileSync(secret, app.gateway.addKey({ name: "docs-2" }));
  const rotated = await app.seriesWhen((series) => series.get(spent) === 0, { seconds: 90 });
  expect(rotated.get(complete)).toBe(0);
  expect(
    rotated.get(seriesName("aigateway_key_secret_replaced_timestamp_seconds", { key: "docs" })),
  ).toBeDefined();
  expect(await textOf(app)).toContain("what the former secret of a key spent is missing");
  await app.clock.runTo(Date.UTC(2026, 10, 19, 0, 3));
  await app.seriesWhen((series) => series.get(complete) === 1, { seconds: 90 });
});

test("an unknown reset is not called one, and a key whose rest is not reported is not called within its limit", async () => {
  const app = await start({
    analytics: false,
    prepare: (gateway) => {
      for (const name of ["docs", "search"])
        gateway.addKey({ name, limitMicros: 100_000_000, limitReset: "monthly" });
      gateway.faults.add({ kind: "fields", key: "docs", set: { "data.limit_reset": "quarterly" } });
      gateway.faults.add({ kind: "fields", key: "search", remove: ["data.limit_remaining"] });
    },
  });
  for (let minute = 0; minute < 90; minute++) {
    app.gateway.spend({ key: "docs", model: MODEL, micros: 5000 });
    await after(app, 1);
  }
  expect(await textOf(app, "/keys/docs")).not.toContain("until its reset");
  expect(await textOf(app)).toMatch(/Keys stopped 0 of 2 1 unknown/);
});

test("a limit that begins to count BYOK, or ends it, is no spend and no refund", async () => {
  const app = await start({
    analytics: false,
    prepare: (gateway) => gateway.addKey({ name: "docs", limitMicros: 100_000_000, limitReset: "monthly" }),
  });
  const outlooks = new Set<string>();
  const burn = seriesName("aigateway_key_burn_credits_per_hour", { key: "docs", window: "1h" });
  const burns: number[] = [];
  const flip = async (set: Readonly<Record<string, unknown>>) => {
    app.gateway.faults.clear();
    const byok = { "data.byok_usage": 60, "data.byok_usage_monthly": 60 };
    app.gateway.faults.add({ kind: "fields", endpoint: "key", set: { ...byok, ...set } });
    for (let minute = 0; minute < 40; minute++) {
      app.gateway.spend({ key: "docs", model: MODEL, micros: 1000 });
      const series = await after(app, 1);
      burns.push(series.get(burn) ?? 0);
      for (const [name, value] of named(series, "aigateway_key_outlook")) if (value === 1) outlooks.add(name);
    }
  };
  await flip({ "data.include_byok_in_limit": false, "data.limit_remaining": 90 });
  await flip({ "data.include_byok_in_limit": true, "data.limit_remaining": 30 });
  await flip({ "data.include_byok_in_limit": false, "data.limit_remaining": 90 });
  expect([...outlooks].filter((name) => !/"(learning|lasts)"/.test(name))).toEqual([]);
  expect(Math.max(...burns)).toBeLessThan(0.1);
});

test("a schedule that rests at night is every minute by day: values expire after three polls, not after three nights", async () => {
  const app = await start({
    start: "2026-11-18T18:35:00Z",
    analytics: false,
    prepare: (gateway) => gateway.addKey({ name: "docs" }),
    content: () => ({ schedule: { keys: "* 8-18 * * *" } }),
  });
  const usage = seriesName("aigateway_key_usage_credits", { key: "docs" });
  const interval = seriesName("aigateway_exporter_poll_interval_seconds", { collector: "key" });
  const byDay = await after(app, 10);
  expect([byDay.get(interval), byDay.get(usage)]).toEqual([60, 0]);
  app.gateway.faults.add({ kind: "status", status: 503, endpoint: "key" });
  expect((await after(app, 5)).has(usage)).toBe(false);
  app.gateway.faults.clear();
  expect((await after(app, 5)).get(usage)).toBe(0);
  await app.clock.runTo(Date.UTC(2026, 10, 18, 23));
  const atNight = await app.series();
  expect([atNight.get(interval), atNight.get(usage)]).toEqual([13 * 3600 + 60, 0]);
  await app.clock.runTo(Date.UTC(2026, 10, 19, 8, 5));
  expect((await app.series()).get(interval)).toBe(60);
});

test("lists that were never answered are waited for, and show no number of keys", async () => {
  const app = await start({
    keys: [],
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.faults.add({ kind: "status", status: 503, endpoint: "keys" });
    },
    content: () => ({ discovery: { enabled: true } }),
  });
  await after(app, 5);
  const text = await textOf(app);
  expect(text).toContain("Waiting for the list of keys.");
  expect(text).not.toContain("0 keys");
  expect((await statusOf(app)).unwatched).not.toHaveProperty("unresolved_keys");
});

test("no share is above all, although two figures have different ages", async () => {
  const app = await start({
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.spend({ key: "docs", model: MODEL, micros: 1_000_000 });
      gateway.faults.add({ kind: "fields", endpoint: "key", set: { "data.usage_monthly": 3 } });
    },
  });
  await after(app, 10);
  expect(await textOf(app, "/account")).not.toMatch(/[1-9]\d\d\d?\.\d%(?<!100\.0%)/);
});

test("money is shown only where one price holds for the whole window", async () => {
  const app = await start({
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      gateway.spend({ key: "docs", model: MODEL, micros: 10_000_000 });
    },
    content: () => ({
      credit_value: { currency: "EUR", value: 2, former: [{ until: "2026-11-10", value: 1 }] },
    }),
  });
  await after(app, 10);
  expect(await textOf(app)).toMatch(
    /Credits today 10\.00 the only key 20\.00 EUR Credits this month 10\.00 the only key (?!20)/,
  );
});

test("the sums by model and by app are exact with the default settings", async () => {
  const [models, apps] = [12, 10];
  const app = await start({
    prepare: (gateway) => {
      gateway.addKey({ name: "docs" });
      for (let model = 0; model < models; model++)
        for (let each = 0; each < apps; each++)
          gateway.spend({ key: "docs", model: `acme/m${model}`, app: `a${each}`, micros: 1_000_000 + model });
    },
  });
  const series = await after(app, 10);
  const rows = named(series, "aigateway_usage_day_credits{");
  expect(rows.length).toBe(models * apps);
  expect(await textOf(app, "/models")).not.toContain("at least");
});
