import { describe, expect, onTestFinished, test } from "vitest";

import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { SOON, startTestApp, type TestApp } from "../support/test-app.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const NOON = Date.parse("2026-11-18T12:00:00Z");
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
const DAY = 'aigateway_key_usage_day_credits{key="daily"}';
const KEYS = ["daily", "weekly", "monthly"] as const;
/** Credits that the first key has spent before the exporter starts. */
const SPENT = 7;

/** The exporter's wall clock can be stepped; the gateway's continues. */
async function startAt(start: number, schedule: NonNullable<ConfigFileInput["schedule"]>): Promise<TestApp> {
  const app = await startTestApp({
    start,
    gateway: (clock) => ({ now: () => start + Math.floor(clock.monotonic()) }),
    prepare: (gateway) => {
      for (const name of KEYS) gateway.addKey({ name, limitMicros: 90e6, limitReset: name });
      const at = start - SECOND;
      gateway.spend({ key: "daily", model: "acme/one", app: "Chat", micros: SPENT * 1e6, requests: 1, at });
    },
    content: () => ({ schedule }),
  });
  onTestFinished(() => app.stop());
  await app.clock.answered();
  const series = await app.seriesWhen((seen) => seen.get(DAY) === SPENT, SOON);
  expect(series.get(DAY)).toBe(SPENT);
  return app;
}

describe.each([
  ["an interval", { keys: "60s" }],
  ["a cron expression", { keys: "* * * * *" }],
])("with %s as schedule", (_, schedule) => {
  test.each([
    ["forward", HOUR],
    ["back", -HOUR],
  ])("a clock set %s by an hour neither stops polls nor accumulates them", async (_name, stepMs) => {
    const app = await startAt(NOON, schedule);
    const { clock } = app;
    await clock.runTo(NOON + 90 * SECOND);
    clock.set(clock.now() + stepMs);
    for (const times of await asked(app, 5)) {
      expect(times).toBeGreaterThanOrEqual(4);
      expect(times).toBeLessThanOrEqual(6);
    }
    const series = await app.seriesWhen((seen) => seen.get(DAY) === SPENT, SOON);
    expect(series.get(DAY)).toBe(SPENT);
    expect(series.get('aigateway_exporter_poll_lag_seconds{collector="key"}')).toBeLessThan(60);
  });

  test.each([
    ["forward over midnight ends the day", MIDNIGHT - 30 * MINUTE, HOUR],
    ["back over midnight hides the day that has not begun yet", MIDNIGHT + 30 * MINUTE, -HOUR],
  ])("a clock set %s at once", async (_name, start, stepMs) => {
    const app = await startAt(start, schedule);
    app.clock.set(app.clock.now() + stepMs);
    expect((await app.series()).has(DAY)).toBe(false);
    for (const times of await asked(app, 3)) expect(times).toBeGreaterThanOrEqual(2);
  });

  test("a process suspended for ten minutes over midnight hides the previous day", async () => {
    const app = await startAt(MIDNIGHT - 5 * MINUTE, schedule);
    const { gateway, clock } = app;
    gateway.log.clear();
    await clock.jump(MIDNIGHT + 5 * MINUTE);
    await clock.answered();
    expect((await app.series()).get(DAY)).not.toBe(SPENT);
    await clock.runTo(clock.now() + MINUTE);
    // Ten ticks were missed: there is one poll for the new day, and one at its regular time.
    for (const key of KEYS) expect(gateway.log.of("key", key).length).toBeLessThanOrEqual(3);
    const series = await app.seriesWhen((seen) => seen.get(DAY) === 0, SOON);
    expect(series.get(DAY)).toBe(0);
    for (const times of await asked(app, 5)) expect(times).toBe(5);
  });
});

/** How often each key is polled within the next minutes. */
async function asked({ gateway, clock }: TestApp, minutes: number): Promise<readonly number[]> {
  gateway.log.clear();
  await clock.runTo(clock.now() + minutes * MINUTE);
  return KEYS.map((key) => gateway.log.of("key", key).length);
}
