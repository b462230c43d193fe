import { expect, onTestFinished, test } from "vitest";

import { startTestApp } from "../support/test-app.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const UP = 'aigateway_key_up{key="billing"}';

async function start() {
  const app = await startTestApp({
    start: START,
    prepare: ({ addKey }) => {
      addKey({ name: "billing" });
      addKey({ name: "unwatched" });
    },
    keys: ["billing"],
    content: () => ({ schedule: { keys: "60s" } }),
  });
  onTestFinished(() => app.stop());
  return app;
}

test("startTestApp polls the keys that are configured, on the clock of the gateway", async () => {
  const app = await start();
  const series = await app.seriesWhen((seen) => seen.get(UP) === 1);
  expect(series.get(UP)).toBe(1);
  expect(series.has('aigateway_key_up{key="unwatched"}')).toBe(false);
  expect(app.gateway.clock.now()).toBe(app.clock.now());
});

test("seriesWhen gives up after its seconds and returns what is shown then", async () => {
  const app = await start();
  const series = await app.seriesWhen((seen) => seen.has("never"), { seconds: 3 });
  expect(series.get(UP)).toBe(1);
  expect(app.clock.now()).toBe(START + 3000);
});

test("apply changes the configuration of the running exporter", async () => {
  const app = await start();
  await app.apply({ budgets: [{ name: "all", limit: 5, window: "month", keys: "all" }] });
  const limit = 'aigateway_budget_limit_credits{budget="all"}';
  expect((await app.seriesWhen((seen) => seen.has(limit))).get(limit)).toBe(5);
});

test("restart starts an exporter that remembers nothing", async () => {
  const app = await start();
  await app.seriesWhen((seen) => seen.get(UP) === 1);
  const asked = app.gateway.log.of("key").length;
  await app.restart();
  await app.seriesWhen((seen) => seen.get(UP) === 1);
  expect(app.gateway.log.of("key").length).toBe(asked + 1);
});

test("a failed poll is in the captured log", async () => {
  const app = await start();
  app.gateway.faults.add({ kind: "status", status: 401 });
  await app.clock.runTo(START + 60_000);
  expect(app.lines.map(({ level, message }) => [level, message])).toContainEqual([
    "error",
    expect.stringContaining('Cannot read key "billing"'),
  ]);
});
