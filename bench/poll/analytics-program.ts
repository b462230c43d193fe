import { systemClock } from "../../exporter/time/clock.ts";
import { analyticsCollector } from "../../exporter/collectors/analytics.ts";
import { systemFiles } from "../../exporter/config/files.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import { createGateway } from "../../exporter/gateway/gateway.ts";
import { createPublisher } from "../../exporter/metrics/render/publisher.ts";
import { createStore } from "../../exporter/readings/store.ts";
import { serveParent } from "../child.ts";
import { watchStalls } from "../stall-watch.ts";

// Sends all four analytics queries at once, like the exporter but without its rate limit, exposes the answers, and reports the
// longest stall. Parameter: the API root.
const loaded = await loadConfig({
  ...systemFiles,
  path: "config.yaml",
  readFile: async () =>
    JSON.stringify({
      gateway: { base_url: process.argv[2] },
      analytics: { management_key_env: "MANAGEMENT_KEY" },
    }),
  env: { MANAGEMENT_KEY: "sk-ai-1" },
});
if (!loaded.ok) throw new Error(`Cannot load the configuration: ${JSON.stringify(loaded.problems)}`);
const { config } = loaded;

const gateway = createGateway(config.gateway, {
  clock: systemClock,
  version: "0.0.0",
  random: Math.random,
  admit: async () => ({ done: () => {} }),
  onAnswer: () => {},
});
const store = createStore(systemClock, () => config.seriesLimit);
const headers = analyticsCollector.families.map((family) => ({ family, help: family.help }));
const publisher = createPublisher(
  store,
  () => headers,
  systemClock,
  () => {},
);
const targets = analyticsCollector.targets(config);
/** Longer than the pause between two renderings. */
const PUBLISHED_AFTER_MS = 1500;
const { signal } = new AbortController();
const stalls = watchStalls();

serveParent({}, async () => {
  stalls.longestMs();
  const askedAtMs = systemClock.now();
  await Promise.all(
    targets.map(async (target) => {
      const { samples } = await target.poll(gateway, askedAtMs, signal);
      store.put(target.id, { samples, askedAtMs, timeToLiveMs: 60_000 });
      publisher.changed();
    }),
  );
  await systemClock.sleep(PUBLISHED_AFTER_MS);
  return { stall: stalls.longestMs() };
});
