import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../exporter/log.ts";
import type { CreateGateway } from "../../exporter/gateway/port.ts";
import { createGateway as createSimulatedGateway } from "../gateway/gateway.ts";
import { createManualClock } from "../support/clock.ts";
import { readConfig } from "../support/exporter-files.ts";
import { silentLog } from "../support/log.ts";
import { seriesOfText } from "../support/series.ts";
import { createTestApp, startTestApp } from "../support/test-app.ts";
import { testConfig, testKey } from "../support/test-config.ts";
import { NO_ANSWERS } from "../support/fake-client.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const MINUTE = 60_000;
const BILLING = 'aigateway_key_limit_credits{key="billing"}';
const SEARCH = 'aigateway_key_limit_credits{key="search"}';
const CONTENT = { schedule: { keys: "60s" } } as const;

/** Two keys with limits of 5 and 7 credits, both answered once. */
async function started() {
  const app = await startTestApp({
    start: START,
    prepare: ({ addKey, setLimit }) => {
      for (const name of ["billing", "search"]) addKey({ name });
      setLimit("billing", 5_000_000);
      setLimit("search", 7_000_000);
    },
    content: () => CONTENT,
  });
  onTestFinished(() => app.stop());
  const series = await app.seriesWhen((seen) => seen.has(BILLING) && seen.has(SEARCH));
  expect([series.get(BILLING), series.get(SEARCH)]).toEqual([5, 7]);
  return app;
}

test("App.apply resets no counter and no histogram, and its time is shown", async () => {
  const app = await started();
  const counted = [
    'aigateway_exporter_polls_total{collector="key"}',
    'aigateway_exporter_poll_duration_seconds_count{collector="key"}',
    'aigateway_exporter_upstream_requests_total{code="200",endpoint="key"}',
  ];
  const reloaded = "aigateway_exporter_config_last_reload_success_timestamp_seconds{}";
  const before = await app.series();
  expect(counted.map((name) => before.get(name))).toEqual([2, 2, 2]);
  expect(before.get(reloaded)).toBeLessThan(app.clock.now() / 1000);
  await app.apply({ keys: [{ name: "billing", api_key_env: "KEY_0" }] });
  const after = await app.series();
  expect(counted.map((name) => after.get(name))).toEqual([2, 2, 2]);
  expect(after.get(reloaded)).toBe(app.clock.now() / 1000);
});

test("App.apply with another gateway withdraws the answers of the previous one, and never polls it again", async () => {
  const app = await started();
  const other = createSimulatedGateway({ now: () => app.clock.now(), startAt: START });
  await other.start();
  onTestFinished(() => other.stop());
  // The other gateway knows none of the keys.
  await app.apply({ gateway: { base_url: other.url, requests_per_minute: 0 } });
  const asked = app.gateway.log.of("key").length;
  const up = 'aigateway_key_up{key="billing"}';
  const series = await app.seriesWhen((seen) => seen.get(up) === 0);
  expect([series.get(up), series.has(BILLING), series.has(SEARCH)]).toEqual([0, false, false]);
  await app.clock.runTo(app.clock.now() + 3 * MINUTE);
  expect(other.log.of("key").length).toBeGreaterThan(2);
  expect(app.gateway.log.of("key").length).toBe(asked);
});

test("the status page reports a failed reload until one succeeds", async () => {
  const clock = createManualClock(START);
  const config = testConfig({ keys: [testKey("a")] });
  const app = createTestApp(config, { clock, log: silentLog, createGateway: withoutAnswers });
  onTestFinished(() => app.stop());
  await app.start();
  const report = async () => {
    const page = await (await fetch(app.url())).text();
    return page.includes("Not reloaded");
  };
  expect(await report()).toBe(false);
  await app.apply(undefined);
  expect(await report()).toBe(true);
  await app.apply(config);
  expect(await report()).toBe(false);
});

test("lines of a log that nobody reads are counted", async () => {
  const log = createLog("info", "json", { writableLength: 2 ** 21, write: () => {} });
  const app = await startTestApp({ start: START, log, prepare: ({ addKey }) => void addKey({ name: "a" }) });
  onTestFinished(() => app.stop());
  log.warn({}, "Nobody reads it");
  const count = "aigateway_exporter_log_lines_dropped_total{}";
  const series = await app.seriesWhen((seen) => seen.get(count) !== 0);
  expect(series.get(count)).toBeGreaterThan(0);
});

test("App.once shows what nobody watches beside the listed keys", async () => {
  const app = await startTestApp({
    start: START,
    analytics: true,
    prepare: (gateway) => {
      for (const key of ["watched", "test"]) {
        gateway.addKey({ name: key });
        gateway.spend({ key, model: "acme/one", micros: 1_500_000 });
      }
    },
    keys: [],
    content: () => ({ discovery: { exclude: ["test"] } }),
  });
  onTestFinished(() => app.stop());
  const { clock, files } = app;
  const once = createTestApp(await readConfig(files), { clock, log: silentLog }).once();
  await clock.runTo(clock.now() + MINUTE);
  expect(seriesOfText((await once).exposition).get("aigateway_unwatched_month_credits{}")).toBe(1.5);
});

const withoutAnswers: CreateGateway = () => {
  const gateway = {
    clientFor: () => NO_ANSWERS,
    close: () => Promise.resolve(),
    reconfigured: () => gateway,
  };
  return gateway;
};
