import { expect, onTestFinished, test } from "vitest";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import { createKeyModels } from "../../../exporter/status/key-models.ts";
import type { KeySpends } from "../../../exporter/readings/reading.ts";
import type { ReadingSource } from "../../../exporter/readings/readings.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { testAnalytics } from "../../support/test-config.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { startTestApp } from "../../support/test-app.ts";
import { rows, textOf } from "./page/page-reader.ts";

const START = "2026-11-18T23:30:00Z";
const HOUR_MS = 3_600_000;
const OFF: Partial<ConfigFileInput> = {
  discovery: {},
  analytics: { management_key_env: "MANAGEMENT_KEY", queries: [] },
};

/** The exporter with two configured keys of an account, ten minutes after its start. */
async function start(
  content: Partial<ConfigFileInput> = { discovery: {} },
  prepare: (gateway: Gateway) => void = () => {},
) {
  const app = await startTestApp({
    start: START,
    gateway: () => ({ keys: 0 }),
    analytics: true,
    content: () => content,
    prepare: (gateway) => {
      gateway.addKey({ name: "billing", title: "Billing (prod)" });
      gateway.addKey({ name: "search", title: "Search" });
      const spend = (model: string, micros: number, at: number) =>
        gateway.spend({ key: "billing", model, micros, at });
      spend("acme/one", 1_500_000, Date.parse(START) - HOUR_MS);
      spend("acme/two", 250_000, Date.parse(START) - HOUR_MS);
      spend("acme/two", 1_000_000, Date.parse(START) - 48 * HOUR_MS);
      prepare(gateway);
    },
  });
  onTestFinished(() => app.stop());
  await app.clock.runTo(app.clock.now() + 600_000);
  const keyOf = async (name: string) => (await app.status()).keys.find(({ key }) => key === name);
  return { ...app, keyOf };
}

test("the page of a key shows what it spends by model, by the name that a list of keys has", async () => {
  const app = await start();
  const page = await app.page("/keys/billing");
  expect(rows(page).filter(([model = ""]) => /^(Model|acme|_other)/.test(model))).toEqual([
    ["Model", "Today", "This month"],
    ["acme/one", "1.50 85.7%", "1.50 54.5%"],
    ["acme/two", "0.25 14.3%", "1.25 45.5%"],
  ]);
  expect(textOf(page)).toContain("By the name of the key at the gateway, Billing (prod):");
  const model = await app.page("/models/acme%2Fone");
  expect(rows(model).filter(([name = ""]) => name.startsWith("Billing"))).toEqual([
    ["Billing (prod) billing", "1.50", "1.50"],
  ]);
  expect(await app.keyOf("billing")).toMatchObject({
    models_day: {
      complete: true,
      credits: 1.75,
      models: [
        { model: "acme/one", credits: 1.5 },
        { model: "acme/two", credits: 0.25 },
      ],
    },
    models_month: { complete: true, credits: 2.75 },
  });
});

test("a key without spend has none, which is not unknown", async () => {
  const app = await start();
  expect(textOf(await app.page("/keys/search"))).toContain("In all 0.00 0.00");
  expect(await app.keyOf("search")).toMatchObject({ models_day: { complete: true, credits: 0, models: [] } });
});

test.each<[string, Partial<ConfigFileInput>, ((gateway: Gateway) => void) | undefined, string | undefined]>([
  [
    "whose name is in no list",
    {},
    undefined,
    "Unknown: the gateway reports this by the names that keys have",
  ],
  [
    "whose name another key has as well",
    { discovery: {} },
    (gateway) => gateway.addKey({ name: "twin", title: "Billing (prod)" }),
    "Unknown: several keys have the name Billing (prod) at the gateway, which reports them as one.",
  ],
  [
    "whose name a deleted key had as well",
    { discovery: {} },
    (gateway) => {
      gateway.addKey({ name: "former", title: "Billing (prod)" });
      gateway.spend({ key: "former", model: "acme/one", micros: 5_000_000, at: Date.parse(START) - HOUR_MS });
      gateway.remove("former");
    },
    "Unknown: several keys have the name Billing (prod) at the gateway, which reports them as one.",
  ],
  [
    "that has no name at the gateway",
    { discovery: {} },
    (gateway) => gateway.rename("billing", ""),
    "Unknown: the gateway reports this by the names that keys have",
  ],
  ["of an exporter that asks no such query", OFF, undefined, undefined],
])("the models of a key %s are unknown", async (_, content, prepare, words) => {
  const app = await start(content, prepare);
  const text = textOf(await app.page("/keys/billing"));
  expect(text).toContain(words ?? "Spend by day");
  expect(text).not.toMatch(/acme|reports no spend/);
  expect(words !== undefined && /Spend by day|Spend of today/.test(text)).toBe(false);
  expect(await app.keyOf("billing")).not.toHaveProperty("models_day");
  // Elsewhere, the spend under the name belongs to no key either.
  const charts = (await app.page("/")).match(/<ul class="legend">.*?<\/ul>/gs) ?? [];
  const others = [...charts, await app.page("/models/acme%2Fone")].join("");
  expect(others.includes("/keys/billing")).toBe(words === undefined);
});

test("models of a day that has ended are withdrawn, and those of the month stay", async () => {
  const app = await start();
  await app.clock.runTo(Date.parse("2026-11-19T00:00:01Z"));
  expect(await app.keyOf("billing")).not.toHaveProperty("models_day");
  expect(await app.keyOf("billing")).toMatchObject({ models_month: { credits: 2.75 } });
});

test("models beyond the named ones are _other, exact to the spend of the key", async () => {
  const query = { name: "keys-day", dimensions: ["api_key_id", "model"], window: "day" as const, top: 1 };
  const analytics = { management_key_env: "MANAGEMENT_KEY", queries: [query] };
  const app = await start({ discovery: {}, analytics });
  expect((await app.keyOf("billing"))?.models_day).toMatchObject({
    complete: true,
    credits: 1.75,
    models: [
      { model: "acme/one", credits: 1.5 },
      { model: "_other", credits: 0.25 },
    ],
  });
});

/** What the answer with these spends tells of the key "Prod". */
function figuresOf(keySpends: KeySpends, day?: number) {
  const window = windowAt("day", Date.parse(START));
  const value = {
    kind: "usage" as const,
    window,
    range: window,
    dataMs: 5,
    credits: 2,
    requests: 2,
    pairs: [],
    foldedPairs: 0,
    truncated: true,
    spend: undefined,
    exceedsTotal: false,
    keySpends,
  };
  const readings: ReadingSource = {
    status: () => undefined,
    shown: () => ({ value, requestedAtMs: 0, leftMs: 1, shows: () => true }),
    latest: () => undefined,
    isCurrent: () => true,
  };
  const names = { of: () => ({ label: "Prod", isShared: false }), keyOf: () => undefined };
  const queries = [
    { name: "q", dimensions: ["model", "api_key_id"], metrics: ["credits" as const], window: "day" as const },
  ].map((query) => ({ ...query, top: 9, filters: [] }));
  const source = createKeyModels({ analytics: testAnalytics({ queries }) }, readings, names);
  return source?.of({ name: "prod", day, month: undefined, lastSuccessMs: undefined });
}

const UNKNOWN = { dataMs: 5, pairs: [] };
test.each<[string, number | undefined, number | undefined, boolean, object]>([
  ["that reports no spend spent nothing", 0, undefined, true, { credits: 0, pairs: [] }],
  ["that reports spend is unknown", 3, undefined, true, UNKNOWN],
  ["whose figures are unknown is unknown", undefined, undefined, true, UNKNOWN],
  ["that is perhaps in a missing row is unknown", 0, undefined, false, UNKNOWN],
  ["that reports spend, but has free use there, is unknown", 3, 0, true, UNKNOWN],
  ["with free use has it", 0, 0, true, { credits: 0, pairs: [{ model: "a", app: "", credits: 0 }] }],
  ["in an answer that lacks rows has a lower bound", 3, 1, false, { credits: 1, isLeast: true }],
])("a key %s", (_, day, credits, hasAllRows, expected) => {
  const spend = { models: [{ model: "a", credits }], credits, isComplete: true };
  const keys = new Map(credits === undefined ? [] : [["Prod", spend]]);
  expect(figuresOf({ keys, hasAllRows }, day)).toMatchObject([expected]);
});
