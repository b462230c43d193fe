import { expect, test } from "vitest";

import { systemClock } from "../../exporter/time/clock.ts";
import { readConfig, writeExporterFiles } from "../support/exporter-files.ts";
import { silentLog } from "../support/log.ts";
import { seriesLike, seriesOfText } from "../support/series.ts";
import { startSimulatedGateway } from "../support/simulated-gateway.ts";
import { createTestApp } from "../support/test-app.ts";

test("App.once shows what nobody watches beside the listed keys", async () => {
  const now = Date.now();
  const gateway = await startSimulatedGateway({ now: () => now, startAt: now });
  for (const name of ["watched", "test"]) {
    gateway.addKey({ name });
    gateway.spend({ key: name, model: "acme/one", micros: 1_500_000 });
  }
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: new Map(),
    managementToken: gateway.managementToken,
    content: { discovery: { exclude: ["test"] } },
  });
  const config = await readConfig(files);
  files.remove();
  const app = createTestApp(config, { clock: systemClock, log: silentLog });
  const series = seriesOfText((await app.once()).exposition);
  await app.stop();
  expect(series.get("aigateway_unwatched_month_credits{}")).toBe(1.5);
});

test("App.once shows every key and budget, however fast they are polled", async () => {
  const now = Date.now();
  const gateway = await startSimulatedGateway({ now: () => now, startAt: now });
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const name of names) gateway.addKey({ name });
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    content: { budgets: [{ name: "all", limit: 5, window: "month", keys: "all" }] },
  });
  const config = await readConfig(files);
  files.remove();
  const app = createTestApp(config, { clock: systemClock, log: silentLog });
  const series = seriesOfText((await app.once()).exposition);
  await app.stop();
  expect([...seriesLike(series, /^aigateway_key_up/).values()]).toEqual(names.map(() => 1));
  expect(series.get('aigateway_budget_info{budget="all",scope="keys",window="month"}')).toBe(1);
});
