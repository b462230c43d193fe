import { expect, onTestFinished, test } from "vitest";

import { capacityWarnings } from "../../exporter/cli/configuration-warnings.ts";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { readConfig } from "../support/exporter-files.ts";
import { seriesLike, type SeriesMap } from "../support/series.ts";
import { SOON, startTestApp, type TestApp } from "../support/test-app.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NOON = Date.parse("2026-11-18T12:00:00Z");

interface PoliteOptions {
  readonly keys: number;
  readonly start?: string;
  readonly gateway?: Partial<ConfigFileInput["gateway"]>;
  readonly analytics?: boolean;
  readonly stepMs?: number;
  /** Sets up faults before the exporter starts. */
  readonly prepare?: (gateway: Gateway) => void;
}

/** Gateway and exporter with one clock, seen from the gateway: only the times of requests matter. */
async function startPolite({ keys, start, gateway, analytics, stepMs = 1000, prepare }: PoliteOptions) {
  const app: TestApp = await startTestApp({
    start: start ?? NOON,
    prepare: (world) => {
      for (let key = 0; key < keys; key++) world.addKey({ name: nameOf(key), limitReset: "daily" });
      prepare?.(world);
    },
    analytics: analytics === true,
    content: ({ url }) => ({
      gateway: { base_url: url, requests_per_minute: 0, ...gateway },
      schedule: { keys: "60s", analytics: "60s" },
    }),
  });
  onTestFinished(() => app.stop());
  // The first polls are sent before any time passes.
  await app.clock.answered();
  return {
    app,
    gateway: app.gateway,
    /** In steps as short as the distance between permits, so that the gateway logs exact times. */
    run: (ms: number) => app.clock.runTo(app.clock.now() + ms, stepMs),
    asked: (key?: string) => app.gateway.log.of("key", key).map(({ at }) => at),
  };
}

test("the rate limit is never exceeded at the start, during and after an outage, or at midnight", async () => {
  const { gateway, run, asked } = await startPolite({
    keys: 200,
    start: "2026-11-18T23:57:00Z",
    gateway: { requests_per_minute: 240 },
    analytics: true,
    stepMs: 250,
  });
  await run(MINUTE);
  expect(new Set(gateway.log.lines.map(({ key }) => key)).size).toBe(201);
  const before = asked().length;
  const outage = gateway.faults.add({ kind: "reset" });
  await run(90 * SECOND);
  outage.clear();
  // Retries must have used up the rate limit, otherwise the test proves nothing.
  expect(asked().length - before).toBeGreaterThan(350);
  await run(3 * MINUTE);
  // One more, because a late permit is made up for.
  expect(mostWithin(asked(), SECOND)).toBeLessThanOrEqual(4 + 1);
  expect(mostWithin(asked(), MINUTE)).toBeLessThanOrEqual(240 + 1);
  const analytics = gateway.log.of("analytics").map(({ at }) => at);
  expect(mostWithin(analytics, 10 * SECOND)).toBeLessThanOrEqual(10 + 1);
});

test("no burst follows an outage, even without a rate limit", async () => {
  const { gateway, run, asked, app } = await startPolite({ keys: 100, stepMs: 250 });
  await run(MINUTE);
  const before = gateway.log.total;
  const outage = gateway.faults.add({ kind: "status", status: 503 });
  await run(2 * MINUTE);
  expect(gateway.log.total - before).toBeGreaterThan(3 * 2 * 100);
  outage.clear();
  const recovered = asked().length;
  await run(MINUTE);
  const after = asked().slice(recovered);
  // As in any minute: missed polls are not made up for.
  expect(after.length).toBeGreaterThanOrEqual(100);
  // The first seconds also contain the last retries.
  expect(mostWithin(after, SECOND)).toBeLessThanOrEqual((4 * 100) / 60 + 1);
  const later = after.filter((at) => at >= NOON + 3 * MINUTE + 5 * SECOND);
  expect(mostWithin(later, SECOND)).toBeLessThanOrEqual(100 / 60 + 1);
  const series = await app.seriesWhen((seen) => keysUp(seen) === 100, SOON);
  expect(keysUp(series)).toBe(100);
});

test("interval, warning, HELP, requests and time to live agree when there are more keys than the rate limit allows", async () => {
  const { gateway, run, asked, app } = await startPolite({
    keys: 100,
    start: "2026-11-18T10:00:00Z",
    gateway: { requests_per_minute: 20 },
  });
  expect(capacityWarnings(await readConfig(app.files))).toEqual([
    "100 keys at 20 requests per minute (gateway.requests_per_minute) take 300 s, but schedule.keys is " +
      "every 60 s: each key is polled every 300 s, and values expire after three times that",
  ]);
  await run(25 * MINUTE);
  expect(mostWithin(asked(), MINUTE)).toBeLessThanOrEqual(20 + 1);
  for (let key = 0; key < 100; key++) {
    for (const gapMs of gapsOf(asked(nameOf(key)))) expect(Math.abs(gapMs - 5 * MINUTE)).toBeLessThan(MINUTE);
  }
  const series = await app.series();
  expect(series.get('aigateway_exporter_poll_interval_seconds{collector="key"}')).toBe(300);
  expect(series.get('aigateway_exporter_poll_lag_seconds{collector="key"}')).toBeLessThan(60);
  const text = await app.page("/metrics");
  expect(text).toMatch(/^# HELP aigateway_key_usage_credits .*Polled every 300 s/m);

  gateway.faults.add({ kind: "status", status: 401 });
  const last = gateway.log.of("key").at(-1);
  const usage = `aigateway_key_usage_credits{key="${last?.key}"}`;
  await run(15 * MINUTE - 10 * SECOND);
  expect((await app.series()).has(usage)).toBe(true);
  await run(10 * SECOND);
  expect((await app.series()).has(usage)).toBe(false);
});

function nameOf(key: number): string {
  return `key-${String(key).padStart(3, "0")}`;
}

function keysUp(series: SeriesMap): number {
  return [...seriesLike(series, /^aigateway_key_up/).values()].filter((value) => value === 1).length;
}

/** The largest number of times within a span of that length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  let first = 0;
  let most = 0;
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - spanMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Milliseconds between each time and the next. */
function gapsOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}
