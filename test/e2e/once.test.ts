import { expect, test } from "vitest";

import { createApp } from "../../exporter/app.ts";
import { systemClock } from "../../exporter/time/clock.ts";
import { systemFiles } from "../../exporter/config/files.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { silentLog } from "../support/log.ts";
import { seriesLike, seriesOfText } from "../support/series.ts";
import { startSimulatedGateway } from "../support/simulated-gateway.ts";

test("App.once shows every key and budget, however fast they were polled", async () => {
  const now = Date.now();
  const gateway = await startSimulatedGateway({ now: () => now, startAt: now });
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const name of names) gateway.addKey({ name });
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    content: { budgets: [{ name: "all", limit: 5, window: "month", keys: "all" }] },
  });
  const loaded = await loadConfig({ path: files.configFile, ...systemFiles, env: files.environment });
  files.remove();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const app = createApp(loaded.config, {
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
    build: { version: "", revision: "", nodeVersion: "" },
    listen: { host: "127.0.0.1", port: 0 },
    telemetryPath: "/metrics",
  });
  const series = seriesOfText(await app.once());
  await app.stop();
  expect([...seriesLike(series, /^aigateway_key_up/).values()]).toEqual(names.map(() => 1));
  expect(series.get('aigateway_budget_info{budget="all",scope="keys",window="month"}')).toBe(1);
});
