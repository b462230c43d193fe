import { expect, onTestFinished, test } from "vitest";

import { OUTLOOKS, URGENCY } from "../../../exporter/forecast/outlook.ts";
import { createGateway as createSimulatedGateway } from "../../gateway/gateway.ts";
import type { SeriesMap } from "../../support/series.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "../../support/test-app.ts";

// A key spends 1.2 credits a minute of 60 that it may spend in a day, so that it runs out in less than an hour.

const MINUTE = 60_000;
const START = "2026-11-18T12:00:00Z";
const KEYS = [{ name: "billing", api_key_env: "KEY_0" }];

async function runaway(options: Partial<TestAppOptions> = {}) {
  const app = await startTestApp({
    start: START,
    prepare: (gateway) => {
      gateway.addKey({ name: "billing", limitMicros: 60_000_000, limitReset: "daily" });
      gateway.addKey({ name: "other", limitMicros: 60_000_000, limitReset: "daily" });
    },
    content: () => ({ schedule: { keys: "60s" }, keys: KEYS }),
    ...options,
  });
  onTestFinished(() => app.stop());
  await pass(app, 35);
  expect(outlookOf(await app.series())).toBe("imminent");
  return app;
}

/** Lets minutes pass in which the key spends, and returns its outlook after each. */
async function pass(
  app: TestApp,
  minutes: number,
  micros = 1_200_000,
): Promise<readonly (string | undefined)[]> {
  const outlooks: (string | undefined)[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    if (micros > 0) app.gateway.spend({ key: "billing", model: "acme/one", micros });
    await app.clock.runTo(app.clock.now() + MINUTE);
    outlooks.push(outlookOf(await app.series()));
  }
  return outlooks;
}

/** The one state that applies; undefined: the key has none. */
function outlookOf(series: SeriesMap, key = "billing"): string | undefined {
  const states = OUTLOOKS.map((state) => {
    const name = `aigateway_key_outlook{aigateway_key_outlook="${state}",key="${key}"}`;
    return [state, series.get(name)] as const;
  });
  if (states.every(([, value]) => value === undefined)) return undefined;
  expect(states.filter(([, value]) => value === 0)).toHaveLength(OUTLOOKS.length - 1);
  return states.find(([, value]) => value === 1)?.[0];
}

const exhaustionOf = (series: SeriesMap) =>
  series.get('aigateway_key_exhaustion_timestamp_seconds{key="billing"}');

const burnOf = (series: SeriesMap) =>
  series.get('aigateway_key_burn_credits_per_hour{key="billing",window="1h"}');

test("the metrics, the page and the JSON announce a runaway key with the same instant", async () => {
  const app = await runaway();
  const series = await app.series();
  expect(burnOf(series)).toBeCloseTo(72, -1);
  // 18 credits are left.
  expect(exhaustionOf(series)).toBeCloseTo(app.clock.now() / 1000 + 15 * 60, -2);
  expect(await app.status()).toMatchObject({
    keys: [
      {
        key: "billing",
        outlook: "imminent",
        exhaustion_timestamp_seconds: exhaustionOf(series),
        burn_credits_per_hour: { "1h": burnOf(series) },
      },
    ],
  });
  const instant = new Date((exhaustionOf(series) ?? 0) * 1000).toISOString().slice(11, 16);
  for (const path of ["/", "/keys/billing"]) {
    const page = await app.page(path);
    expect(page).toContain("Runs out within the hour");
    expect(page).toContain(`${instant}:`);
  }
});

test("the urgency follows the outlook and the owner, and tells a key with little left while it is learning", async () => {
  const app = await runaway({
    content: () => owned("payments"),
    prepare: (gateway) => {
      gateway.addKey({ name: "billing", limitMicros: 60_000_000, limitReset: "daily" });
      gateway.addKey({ name: "other", limitMicros: 60_000_000, limitReset: null });
      gateway.spend({ key: "other", model: "acme/one", micros: 54_000_000, at: Date.UTC(2026, 10, 2) });
    },
  });
  const urgencies = async () =>
    [...(await app.series())].filter(([name]) => name.startsWith("aigateway_key_exhaustion_urgency"));
  const other = 'aigateway_key_exhaustion_urgency{key="other"}';
  expect(outlookOf(await app.series(), "other")).toBe("learning");
  expect(await urgencies()).toEqual([
    [urgencyOf("payments"), URGENCY.imminent],
    [other, 0],
  ]);
  app.gateway.setLimit("other", 59_000_000, null);
  await app.apply(owned("search"));
  await pass(app, 1);
  expect(outlookOf(await app.series(), "other")).toBe("learning");
  expect(await urgencies()).toEqual([
    [urgencyOf("search"), URGENCY.imminent],
    [other, URGENCY.learning],
  ]);
});

/** Two keys, and the team of the first. */
function owned(team: string) {
  return {
    schedule: { keys: "60s" },
    keys: [
      { name: "billing", api_key_env: "KEY_0", owner: { team } },
      { name: "other", api_key_env: "KEY_1" },
    ],
  };
}

function urgencyOf(team: string): string {
  return `aigateway_key_exhaustion_urgency{key="billing",team="${team}"}`;
}

test("the instant and the outlook stay while the gateway does not answer, and end with the reset", async () => {
  const app = await runaway({ start: "2026-11-18T22:45:00Z" });
  const before = exhaustionOf(await app.series());
  app.gateway.faults.add({ kind: "status", status: 503 });
  await pass(app, 10, 0);
  const silent = await app.series();
  expect(silent.has('aigateway_key_limit_remaining_credits{key="billing"}')).toBe(false);
  expect([outlookOf(silent), exhaustionOf(silent)]).toEqual(["imminent", before]);
  await app.clock.runTo(Date.parse("2026-11-19T00:00:00Z"));
  const after = await app.series();
  expect([outlookOf(after), exhaustionOf(after)]).toEqual(["unknown", undefined]);
});

test("a reload and another name keep the course; another key begins anew, and shows nothing of the former one", async () => {
  const app = await runaway();
  await app.apply({ keys: [{ ...KEYS[0], name: "invoices", api_key_env: "KEY_0" }] });
  expect(outlookOf(await app.series())).toBeUndefined();
  await pass(app, 1);
  const renamed = await app.series();
  expect([outlookOf(renamed), outlookOf(renamed, "invoices")]).toEqual([undefined, "imminent"]);
  await app.apply({ keys: KEYS });
  await pass(app, 1);
  await app.apply({ keys: KEYS, budgets: [] });
  expect(outlookOf(await app.series())).toBe("imminent");
  await app.apply({ keys: [{ name: "billing", api_key_env: "KEY_1" }] });
  expect(outlookOf(await app.series())).toBeUndefined();
  await pass(app, 2);
  const rotated = await app.series();
  expect([outlookOf(rotated), exhaustionOf(rotated), burnOf(rotated)]).toEqual([
    "learning",
    undefined,
    undefined,
  ]);
});

test("a forecast ends at once when the limit is removed, and when the key is gone", async () => {
  const app = await runaway();
  app.gateway.setLimit("billing", null, null);
  await pass(app, 1);
  const series = await app.series();
  expect([outlookOf(series), exhaustionOf(series)]).toEqual(["unlimited", undefined]);
  // The service may leave the reset, which then ends nothing.
  app.gateway.setLimit("billing", null, "daily");
  await pass(app, 1);
  await app.clock.runTo(Date.parse("2026-11-19T00:00:10Z"));
  expect(outlookOf(await app.series())).toBe("unlimited");
  await app.apply({ keys: [{ name: "other", api_key_env: "KEY_1" }] });
  expect(outlookOf(await app.series())).toBeUndefined();
});

test("without a management key, an exporter that restarts amid a runaway is learning until it knows", async () => {
  const app = await runaway();
  await app.restart();
  const outlooks = await pass(app, 13);
  const known = outlooks.indexOf("imminent");
  expect(known).toBeGreaterThan(1);
  expect(outlooks).toEqual(outlooks.map((_, minute) => (minute < known ? "learning" : "imminent")));
});

test("with a management key, an exporter that restarts amid a runaway goes on with the gateway's history", async () => {
  const app = await runaway({ analytics: true, content: () => ({ keys: KEYS, discovery: {} }) });
  // Meanwhile nothing contradicts what Prometheus has heard before.
  app.gateway.faults.add({ kind: "status", status: 503, endpoint: "analytics" });
  await app.restart();
  expect(await pass(app, 1)).toEqual([undefined]);
  expect((await app.series()).get('aigateway_key_up{key="billing"}')).toBe(1);
  app.gateway.faults.clear();
  await pass(app, 1);
  expect(await pass(app, 5)).toEqual(Array.from({ length: 5 }, () => "imminent"));
  expect(burnOf(await app.series())).toBeGreaterThan(60);
  // A history that does not come is not waited for.
  app.gateway.faults.add({ kind: "status", status: 503, endpoint: "analytics" });
  await app.restart();
  const waited = await pass(app, 3);
  expect([waited[0], waited[2]]).toEqual([undefined, "predicted"]);
});

test("with a management key, keys and account of a new exporter begin with the gateway's week, and no key lasts longer than the account", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `key-${index}`);
  const app = await startTestApp({
    start: "2026-11-18T12:00:00Z",
    analytics: true,
    prepare: (gateway) => {
      // 468 credits are left.
      gateway.moveCredits({ kind: "purchase", micros: 4_500_000_000, at: Date.parse("2026-10-01") });
      for (const name of names) {
        gateway.addKey({ name, limitMicros: 60_000_000, limitReset: "daily" });
        for (let hour = 0; hour < 24 * 7; hour++) {
          const at = Date.parse("2026-11-18T11:30:00Z") - hour * 60 * MINUTE;
          gateway.spend({ key: name, model: "acme/one", micros: 2_000_000, at });
        }
      }
    },
    content: () => ({ discovery: {} }),
  });
  onTestFinished(() => app.stop());
  const series = await app.seriesWhen(
    (now) => names.every((name) => ![undefined, "learning"].includes(outlookOf(now, name))),
    { seconds: 10 },
  );
  for (const name of names)
    expect(series.get(`aigateway_key_burn_credits_per_hour{key="${name}",window="1d"}`)).toBeCloseTo(2, 1);
  const predicted = 'aigateway_account_outlook{aigateway_account_outlook="predicted"}';
  const bound = await app.seriesWhen((now) => now.get(predicted) === 1, { seconds: 20 });
  const instant = bound.get("aigateway_account_exhaustion_timestamp_seconds{}");
  for (const name of names) {
    expect(outlookOf(bound, name)).toBe("predicted");
    expect(bound.get(`aigateway_key_exhaustion_timestamp_seconds{key="${name}"}`)).toBe(instant);
    expect(bound.get(`aigateway_key_outlook_source_info{key="${name}",source="account"}`)).toBe(1);
    expect(bound.get(`aigateway_key_exhaustion_urgency{key="${name}"}`)).toBe(0);
  }
  const { keys } = await app.status();
  expect(keys[0]).toMatchObject({ outlook: "predicted", outlook_source: "account" });
  expect(await app.page("/keys/key-0")).toContain("the balance of the account is used up");
  // One entry for the account, and none for its twelve keys.
  const needs = /<section class="card attention".*?<\/section>/s.exec(await app.page("/"))?.[0] ?? "";
  expect(needs).toContain("Balance of the account");
  expect(needs).not.toContain("key-");
  // With credits again, the keys' own limits decide.
  app.gateway.moveCredits({ kind: "purchase", micros: 90_000_000_000, at: app.clock.now() });
  await app.clock.runTo(app.clock.now() + 60 * MINUTE);
  const freed = await app.seriesWhen((now) => outlookOf(now, "key-0") === "lasts", {
    seconds: 10,
  });
  for (const name of names) expect(outlookOf(freed, name)).toBe("lasts");
});

test("a budget has a forecast for the end of its window, and a prepaid balance an outlook", async () => {
  const app = await runaway({
    analytics: true,
    content: () => ({
      keys: KEYS,
      budgets: [
        { name: "day", limit: 100, window: "day", keys: "all" },
        { name: "prepaid", limit: 50, window: "total", since: "2026-11-18", account: true },
      ],
    }),
  });
  const series = await app.series();
  const spent = series.get('aigateway_budget_spent_credits{budget="day"}') ?? NaN;
  const elapsed = (app.clock.now() - Date.parse("2026-11-18")) / (24 * 60 * MINUTE);
  expect(series.get('aigateway_budget_forecast_credits{budget="day"}')).toBeCloseTo(spent / elapsed, 0);
  expect(series.has('aigateway_budget_forecast_credits{budget="prepaid"}')).toBe(false);
  const exhaustion = series.get('aigateway_budget_exhaustion_timestamp_seconds{budget="prepaid"}');
  expect(exhaustion).toBeGreaterThan(app.clock.now() / 1000);
  await app.apply({ schedule: { keys: "60s" } });
  const after = await app.series();
  expect(after.get('aigateway_budget_exhaustion_timestamp_seconds{budget="prepaid"}')).toBe(exhaustion);
});

test("the totals of another gateway, which has the same key, are no spend", async () => {
  const app = await runaway();
  const other = createSimulatedGateway({ now: () => app.clock.now(), startAt: Date.parse(START) });
  const token = app.gateway.tokens.get("billing") ?? "";
  other.addKey({ name: "billing", token, limitMicros: 6_000_000_000, limitReset: "monthly" });
  other.spend({ key: "billing", model: "acme/one", micros: 900_000_000, at: app.clock.now() - 10 * MINUTE });
  await other.start();
  onTestFinished(() => other.stop());
  await app.apply({ gateway: { base_url: other.url, requests_per_minute: 0 } });
  await app.clock.runTo(app.clock.now() + 5 * MINUTE);
  const series = await app.seriesWhen((now) => outlookOf(now) !== undefined);
  expect([outlookOf(series), burnOf(series) ?? 0]).toEqual(["learning", 0]);
});
