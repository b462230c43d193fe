import { systemClock } from "../../exporter/time/clock.ts";
import { analyticsCollector } from "../../exporter/collectors/analytics.ts";
import { createGateway } from "../../exporter/gateway/gateway.ts";
import { createPublisher } from "../../exporter/metrics/render/publisher.ts";
import { createPacking } from "../../exporter/metrics/render/block.ts";
import { createReadings } from "../../exporter/readings/readings.ts";
import { testAnalytics, testConfig, testGatewayConfig } from "../../test/support/test-config.ts";
import { serveParent } from "../child.ts";
import { watchStalls } from "../statistics.ts";

// Asks all four analytics queries at once, as the exporter does but without its rate limit, shows the
// answers, and reports the longest stall. Parameter: the API root.
// The upstream answers with rows of model and app.
const config = testConfig({
  gateway: testGatewayConfig({ baseUrl: process.argv[2] ?? "" }),
  analytics: testAnalytics({ top: 1000 }),
  seriesLimit: Number.POSITIVE_INFINITY,
});

const gateway = createGateway(config.gateway, {
  clock: systemClock,
  version: "0.0.0",
  random: Math.random,
  onAnswer: () => {},
});
const readings = createReadings(systemClock, createPacking(), () => config.seriesLimit);
const headers = analyticsCollector.families.map((family) => ({ family, help: family.help }));
const publisher = createPublisher(
  () => readings.view(),
  () => headers,
  systemClock,
  () => {},
);
const jobs = analyticsCollector.jobs(config);
for (const job of jobs) readings.configure(job.id, job.identity);
/** More than the distance of two renderings. */
const PUBLISHED_AFTER_MS = 1500;
const { signal } = new AbortController();
const UNLIMITED = { next: async () => ({ release: () => {} }) };
const stalls = watchStalls();

serveParent({}, async () => {
  stalls.longestMs();
  const requestedAtMs = systemClock.now();
  await Promise.all(
    jobs.map(async (job) => {
      const client = gateway.clientFor({
        endpoint: job.endpoint,
        name: job.name,
        permits: UNLIMITED,
        signal,
      });
      const result = await job.run(client, requestedAtMs);
      if (!result) throw new Error(`Cannot measure: ${job.title} did not run`);
      const { value, samples } = result;
      const reading = { value, requestedAtMs, asOfMs: requestedAtMs, timeToLiveMs: 60_000 };
      readings.store(job.id, reading, samples);
      publisher.changed();
    }),
  );
  await systemClock.sleep(PUBLISHED_AFTER_MS);
  return { stall: stalls.longestMs() };
});
