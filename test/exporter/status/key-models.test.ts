import { expect, onTestFinished, test } from "vitest";
import type { ConfigFileInput } from "../../../exporter/config/schema.ts";
import { createKeyModels } from "../../../exporter/status/key-models.ts";
import type { KeySpends } from "../../../exporter/readings/key-spend.ts";
import type { ReadingSource } from "../../../exporter/readings/readings.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { testAnalytics } from "../../support/test-config.ts";
import { statusSchema } from "../../../exporter/status/json/schema.ts";
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
  const keyOf = async (name: string) => {
    const { keys } = statusSchema.parse(JSON.parse(await app.page("/api/v1/status")));
    return keys.find(({ key }) => key === name);
  };
  return { ...app, keyOf };
}

test("the page of a key shows what it spends by model, by the name that a list of keys has", async () => {
  const app = await start();
  const page = await app.page("/keys/billing");
  expect(rows(page).filter(([model = ""]) => /^(Model|acme|_other)/.test(model))).toEqual([
    ["Model", "Credits", "Share"],
    ["acme/one", "1.50", "85.7%"],
    ["acme/two", "0.25", "14.3%"],
    ["Model", "Credits", "Share"],
    ["acme/one", "1.50", "54.5%"],
    ["acme/two", "1.25", "45.5%"],
  ]);
  expect(textOf(page)).toContain("By the name of the key at the gateway, Billing (prod):");
  const model = await app.page("/models/acme%2Fone");
  expect(rows(model).filter(([name = ""]) => name.startsWith("Billing"))).toEqual([
    ["Billing (prod) billing", "1.50"],
    ["Billing (prod) billing", "1.50"],
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
  expect(textOf(await app.page("/keys/search"))).toContain(
    "Credits 0.00 The gateway reports no spend in this window.",
  );
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
    "that has no name at the gateway",
    { discovery: {} },
    (gateway) => gateway.rename("billing", ""),
    "Unknown: the gateway reports this by the names that keys have there, and this key has none.",
  ],
  ["of an exporter that asks no such query", OFF, undefined, undefined],
])("the models of a key %s are unknown", async (_, content, prepare, words) => {
  const app = await start(content, prepare);
  const text = textOf(await app.page("/keys/billing"));
  expect(text).toContain(words ?? "Spend of today");
  expect(text).not.toMatch(/acme|reports no spend/);
  expect(await app.keyOf("billing")).not.toHaveProperty("models_day");
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

/** The models of keys with these names at the gateway, by an answer with these spends of names. */
function sourceOf(labels: readonly string[], keySpends: KeySpends) {
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
    shown: () => ({ value, askedAtMs: 0, leftMs: 1, shows: () => true }),
    latest: () => undefined,
    isCurrent: () => true,
  };
  const names = labels.map((label) => ({
    name: label.toLowerCase(),
    twins: [],
    label,
    owner: { team: "", project: "", costCenter: "" },
  }));
  const listed = new Map([["default", new Map(names.map((name) => [name.name, name]))]]);
  const queries = [
    { name: "q", dimensions: ["model", "api_key_id"], metrics: ["credits" as const], window: "day" as const },
  ].map((query) => ({ ...query, top: 9, filters: [] }));
  const source = createKeyModels({ analytics: testAnalytics({ queries }) }, readings, listed);
  return {
    keysOf: (model: string) => source?.keysOf(model),
    of: (name: string, day?: number) => source?.of({ name, day, month: undefined }),
  };
}

const spendOf = (credits: number | undefined) => ({
  models: [{ model: "a", credits }],
  credits,
  isComplete: true,
});

test("an answer that lacks rows is a lower bound, and a key that it does not name is unknown", () => {
  const spend = spendOf(1);
  const answer = { keys: new Map([["Prod", spend]]), hasAllRows: false };
  const { keysOf, of } = sourceOf(["Prod", "Batch", "_concealed", "_none", ""], answer);
  const keys = [{ label: "Prod", name: "prod", credits: 1 }];
  expect(keysOf("a")).toEqual([{ window: "day", keys }]);
  expect(keysOf("b")).toEqual([{ window: "day", keys: [] }]);
  expect(of("prod")).toMatchObject([{ gap: "partial", credits: 1, models: spend.models }]);
  expect(of("batch")).toMatchObject([{ gap: "partial", credits: undefined, models: [] }]);
  for (const name of ["_concealed", "_none"])
    expect(of(name)).toMatchObject([{ gap: "shared", credits: undefined, models: [] }]);
  for (const name of ["other", ""])
    expect(of(name)).toMatchObject([{ gap: "unnamed", dataMs: undefined, credits: undefined, models: [] }]);
});

test.each<[string, number | undefined, [string, number | undefined][], object]>([
  ["and reports no spend either", 0, [["_none", 9]], { gap: undefined, credits: 0 }],
  ["and reports spend itself", 3, [], { gap: "doubtful", credits: undefined }],
  ["with figures that are unknown", undefined, [], { gap: undefined, credits: 0 }],
  ["with spend of no name", undefined, [["_none", 9]], { gap: "doubtful", credits: undefined }],
  ["with unknown spend of no name", undefined, [["_none", undefined]], { gap: "doubtful" }],
  ["with free use of no name", undefined, [["_none", 0]], { gap: undefined, credits: 0 }],
  ["but with free use, and reports spend itself", 3, [["Prod", 0]], { gap: "doubtful", credits: undefined }],
  ["but with free use", 0, [["Prod", 0]], { gap: undefined, credits: 0 }],
])("a key without spend in a complete answer %s", (_, day, spends, expected) => {
  const keys = new Map(spends.map(([label, credits]) => [label, spendOf(credits)]));
  expect(sourceOf(["Prod"], { keys, hasAllRows: true }).of("prod", day)).toMatchObject([
    { dataMs: 5, ...expected },
  ]);
});
