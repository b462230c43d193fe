import { describe, expect, test } from "vitest";

import { capacityWarnings } from "../../exporter/cli/capacity.ts";
import type { Fault } from "../gateway/faults.ts";
import type { Switches } from "../gateway/switches.ts";
import { readConfig } from "../support/exporter-files.ts";
import { seriesLike, type SeriesMap } from "../support/series.ts";
import { SOON } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { mostWithin, nameOf, startPoliteStage, timesOf } from "./polite-stage.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe("the rate limit, counted by the gateway", () => {
  test("is never exceeded at the start, during and after an outage, or at midnight", async () => {
    const { gateway, run, asked } = await startPoliteStage({
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
    const analytics = timesOf(gateway.log.of("analytics"));
    expect(mostWithin(analytics, 10 * SECOND)).toBeLessThanOrEqual(10 + 1);
  });

  test("is respected when a hanging gateway answers every request at once", async () => {
    const held = Promise.withResolvers<void>();
    let received = 0;
    const { gateway, run, asked, clock } = await startPoliteStage({
      keys: 60,
      gateway: { requests_per_minute: 600, connections: 20 },
      stepMs: 100,
      hangs: true,
      prepare: ({ hooks }) => {
        hooks.beforeAnswer = () => {
          received++;
          return held.promise;
        };
      },
    });
    for (let turn = 1; turn <= 40; turn++) {
      await until(
        "the requests of this step",
        () => received,
        (seen) => seen === Math.min(turn, 20),
      );
      await clock.advance(100);
    }
    gateway.hooks.beforeAnswer = null;
    held.resolve();
    await clock.answered();
    await run(10 * SECOND);
    expect(asked()).toHaveLength(60);
    expect(mostWithin(asked(), SECOND)).toBeLessThanOrEqual(10 + 1);
  });

  test("no burst follows an outage, even without a rate limit", async () => {
    const { gateway, run, asked, app } = await startPoliteStage({ keys: 100, stepMs: 250 });
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
    expect(
      mostWithin(
        after.filter((at) => at >= 3 * MINUTE + 5 * SECOND),
        SECOND,
      ),
    ).toBeLessThanOrEqual(100 / 60 + 1);
    const series = await app.seriesWhen((seen) => keysUp(seen) === 100, SOON);
    expect(keysUp(series)).toBe(100);
  });
});

describe("only failures that may pass are retried", () => {
  test.each([
    [400, 1],
    [401, 1],
    [402, 1],
    [403, 1],
    [404, 1],
    [408, 4],
    [413, 1],
    [429, 4],
    [500, 4],
    [502, 4],
    [503, 4],
    [504, 4],
    [524, 4],
    [529, 4],
  ])("%i: a poll sends %i requests", async (status, times) => {
    const { gateway, run, asked } = await startPoliteStage({ keys: 1, stepMs: 250 });
    await run(MINUTE);
    expect(asked()).toHaveLength(1);
    gateway.faults.add({ kind: "status", status, origin: "provider" });
    await run(MINUTE);
    expect(asked()).toHaveLength(1 + times);
    await run(MINUTE);
    expect(asked()).toHaveLength(1 + 2 * times);
  });

  test("a key with nothing to show is polled again soon, then less and less often, and a refused key after half a minute", async () => {
    const { gateway, run, asked } = await startPoliteStage({
      keys: 3,
      stepMs: 250,
      content: { schedule: { keys: "10m", analytics: "10m" } },
      gateway: { deadline: "1s", timeout: "1s" },
      prepare: ({ faults }) => {
        faults.add({ kind: "status", status: 500, key: nameOf(0) });
        faults.add({ kind: "status", status: 401, key: nameOf(1) });
        faults.add({ kind: "status", status: 429, key: nameOf(2) });
      },
    });
    await run(4 * MINUTE);
    const pollsOf = (key: number) => pollStarts(asked(nameOf(key)));
    // 5, 10, 20, 40, 80 s after one another, up to a quarter sooner.
    const [first = 0, second = 0, third = 0] = gapsOf(pollsOf(0));
    expect(first).toBeGreaterThanOrEqual(3750);
    expect(first).toBeLessThanOrEqual(7000);
    expect(second).toBeGreaterThanOrEqual(7500);
    expect(third).toBeGreaterThanOrEqual(15_000);
    expect(pollsOf(0).length).toBeLessThanOrEqual(8);
    expect(pollsOf(1)).toHaveLength(1);
    expect(gapsOf(pollsOf(2))[0]).toBeGreaterThanOrEqual(22_500);
    gateway.faults.clear();
    const before = asked(nameOf(0)).length;
    await run(3 * MINUTE);
    expect(asked(nameOf(0))).toHaveLength(before + 1);
  });

  test("retries end with the deadline of the run, even if the rate limit grants no permit before", async () => {
    const { gateway, run, asked, app } = await startPoliteStage({
      keys: 200,
      gateway: { requests_per_minute: 600, timeout: "5s", deadline: "5s" },
      stepMs: 100,
    });
    await run(30 * SECOND);
    gateway.faults.add({ kind: "status", status: 503 });
    await run(2 * MINUTE);
    expect(keysDown(await app.seriesWhen((seen) => keysDown(seen) === 200, SOON))).toBe(200);
    for (let key = 0; key < 200; key += 20) {
      for (const spanMs of pollSpans(asked(nameOf(key)))) expect(spanMs).toBeLessThanOrEqual(5000);
    }
  });
});

describe("a gateway that asks to wait", () => {
  const noon = Date.parse("2026-11-18T12:00:00Z");
  const hitLimit = { limit: 20, remaining: 0, resetAt: noon + 60 * MINUTE };
  const inAnHour = { retryAfterSeconds: 3600 };

  test.each<[string, Refusal, Partial<Switches>]>([
    ["429, Retry-After in seconds", { status: 429, ...inAnHour }, {}],
    ["429, Retry-After as a date", { status: 429, ...inAnHour }, { retryAfter: "http_date" }],
    ["429, X-RateLimit-Reset in milliseconds", { status: 429, hitLimit }, {}],
    ["429, X-RateLimit-Reset in seconds", { status: 429, hitLimit }, { rateLimitReset: "seconds" }],
    ["429, X-RateLimit-Reset in the body", { status: 429, hitLimit }, { rateLimitReset: "metadata" }],
    ["503, Retry-After in seconds", { status: 503, ...inAnHour }, {}],
  ])("%s: one key rests, max_pause at most, and affects no other key", async (_, effect, switches) => {
    const { run, asked, app } = await startPoliteStage({
      keys: 10,
      prepare: (gateway) => {
        Object.assign(gateway.switches, switches);
        gateway.faults.add({ kind: "status", key: nameOf(3), ...effect });
      },
    });
    await run(20 * MINUTE);
    const gaps = gapsOf(asked(nameOf(3)));
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(6 * MINUTE + SECOND);
    const others = [0, 1, 2, 4, 5, 6, 7, 8, 9].map(nameOf);
    for (const key of others)
      expect(Math.max(...gapsOf(asked(key).slice(1)))).toBeLessThanOrEqual(61 * SECOND);
    const areFresh = (series: SeriesMap) =>
      others.every((key) => {
        const success = series.get(`aigateway_key_last_success_timestamp_seconds{key="${key}"}`) ?? 0;
        return app.clock.now() / SECOND - success <= 62 && series.get(`aigateway_key_up{key="${key}"}`) === 1;
      });
    const series = await app.seriesWhen(areFresh, SOON);
    expect(areFresh(series)).toBe(true);
    expect(series.get(`aigateway_key_up{key="${nameOf(3)}"}`)).toBe(0);
  });

  test("a run waits for a short retry-after", async () => {
    const { run, asked } = await startPoliteStage({
      keys: 1,
      stepMs: 500,
      prepare: ({ faults }) => faults.add({ kind: "status", status: 429, retryAfterSeconds: 4, times: 1 }),
    });
    await run(30 * SECOND);
    expect(asked()).toEqual([0, 4000]);
  });

  test("refused keys that are usually answered pause the endpoint: six more try one after the other, then none until max_pause", async () => {
    const { gateway, run, asked, app, clock, start } = await startPoliteStage({
      keys: 20,
      analytics: true,
      gateway: { max_pause: "4m", connections: 1 },
    });
    await run(MINUTE);
    expect(asked()).toHaveLength(20);
    const effect = { kind: "status", status: 429, retryAfterSeconds: 3600, endpoint: "key" } as const;
    const refusal = gateway.faults.add(effect);
    await run(3 * MINUTE);
    // Two targets that were answered in the last interval, and six more as trials.
    const [, , , , , , , tried = 0] = asked().slice(20);
    expect(asked()).toHaveLength(28);
    const throttled = 'aigateway_exporter_throttled_until_timestamp_seconds{endpoint="key"}';
    expect((await app.series()).get(throttled)).toBe((start + tried + 4 * MINUTE) / SECOND);
    // Only that endpoint is paused.
    const analytics = 'aigateway_analytics_up{query="day"}';
    const series = await app.seriesWhen((seen) => seen.has(analytics), SOON);
    expect(series.get(analytics)).toBe(1);
    await run(start + tried + 8 * MINUTE - SECOND - clock.now());
    // The next trial was refused, so the pause continues.
    expect(asked()).toHaveLength(29);
    expect(asked()[28]).toBeGreaterThanOrEqual(tried + 4 * MINUTE);
    refusal.clear();
    await run(4 * MINUTE);
    const later = gateway.log.of("key").slice(29);
    expect((later[0]?.at ?? 0) - start).toBeGreaterThanOrEqual((asked()[28] ?? 0) + 4 * MINUTE);
    expect(new Set(later.map(({ key }) => key)).size).toBe(20);
    expect((await app.series()).has(throttled)).toBe(false);
  });

  test("keys that are always refused pause no other key", async () => {
    const { run, asked, app } = await startPoliteStage({
      keys: 20,
      prepare: ({ faults }) => {
        const refusal = { kind: "status", status: 429, retryAfterSeconds: 300 } as const;
        for (const key of [3, 8]) faults.add({ ...refusal, key: nameOf(key) });
      },
    });
    await run(20 * MINUTE);
    for (const key of [0, 1, 2, 4, 5, 19]) {
      expect(Math.max(...gapsOf(asked(nameOf(key)).slice(1)))).toBeLessThanOrEqual(61 * SECOND);
    }
    expect(keysShown(await app.seriesWhen((seen) => keysShown(seen) === 18, SOON))).toBe(18);
  });
});

describe("more keys than the rate limit allows", () => {
  test("interval, warning, HELP, requests and time to live agree", async () => {
    const { gateway, run, asked, app } = await startPoliteStage({
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
      for (const gapMs of gapsOf(asked(nameOf(key))))
        expect(Math.abs(gapMs - 5 * MINUTE)).toBeLessThan(MINUTE);
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
});

const KEY_UP = /^aigateway_key_up/;

function keysUp(series: SeriesMap): number {
  return [...seriesLike(series, KEY_UP).values()].filter((value) => value === 1).length;
}

function keysDown(series: SeriesMap): number {
  return [...seriesLike(series, KEY_UP).values()].filter((value) => value === 0).length;
}

function keysShown(series: SeriesMap): number {
  return seriesLike(series, /^aigateway_key_usage_credits/).size;
}

type Refusal = Omit<Fault & { kind: "status" }, "kind">;

describe("more queries than the rate limit of the analytics allows", () => {
  test("interval, warning and requests agree", async () => {
    const { gateway, run, app } = await startPoliteStage({
      keys: 1,
      analytics: true,
      content: {
        schedule: { keys: "60s", analytics: "5s" },
        analytics: { management_key_env: "MANAGEMENT_KEY", queries: [] },
      },
    });
    expect(capacityWarnings(await readConfig(app.files))).toEqual([
      "4 queries at 60 requests per minute (the rate that the endpoint accepts) take 8 s, but schedule.analytics is " +
        "every 5 s: each query is polled every 8 s, and values expire after three times that",
    ]);
    await run(3 * MINUTE);
    const series = await app.series();
    expect(series.get('aigateway_exporter_poll_interval_seconds{collector="analytics"}')).toBe(8);
    const asked = timesOf(gateway.log.of("analytics"));
    expect(mostWithin(asked, MINUTE)).toBeLessThanOrEqual(60 + 1);
  });
});

/** Milliseconds between each time and the next. */
function gapsOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}

/** How long each poll took, from its first request to its last. */
/** The start of each poll: requests within 3 s of the previous one are its retries. */
function pollStarts(times: readonly number[]): readonly number[] {
  return times.filter((at, index) => at - (times[index - 1] ?? Number.NEGATIVE_INFINITY) > 3 * SECOND);
}

function pollSpans(times: readonly number[]): readonly number[] {
  const spans: number[] = [];
  let first = times[0] ?? 0;
  for (const [index, at] of times.entries()) {
    const next = times[index + 1];
    if (next !== undefined && next - at < 15 * SECOND) continue;
    spans.push(at - first);
    first = next ?? at;
  }
  return spans;
}
