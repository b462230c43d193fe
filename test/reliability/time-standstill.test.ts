import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";

import { createGateway } from "../gateway/gateway.ts";
import { startFastProcess } from "../support/app-process.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { type FastTime, realAt, shownAt } from "../support/fast-time.ts";
import { seriesLike, seriesOfText, type SeriesMap } from "../support/series.ts";
import { until } from "../support/until.ts";
import { mostWithin } from "./polite-stage.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MIDNIGHT = Date.parse("2026-11-19T00:00:00Z");
const KEYS = 20;

/** SIGSTOP in the middle of the first polls, which send a request every six seconds of the fast clock. */
test("a process suspended over midnight neither sends a burst afterwards nor shows the previous day", async () => {
  const time: FastTime = { speed: 10, realMs: Date.now(), shownMs: MIDNIGHT - 2 * MINUTE };
  const now = (): number => shownAt(time, Date.now());
  const gateway = createGateway({ now, startAt: now() });
  for (let key = 0; key < KEYS; key++) gateway.addKey({ name: `key-${key}` });
  await gateway.start();
  onTestFinished(() => gateway.stop());
  for (const key of gateway.tokens.keys())
    gateway.spend({
      key,
      model: "acme/one",
      app: "Chat",
      micros: 7_000_000,
      requests: 1,
      at: now() - SECOND,
    });
  const files = writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    content: {
      gateway: { base_url: gateway.url, requests_per_minute: 10, deadline: "10m" },
      schedule: { keys: "60s" },
    },
  });
  onTestFinished(() => files.remove());
  const exporter = await startFastProcess(files, time);
  onTestFinished(() => exporter.stop());
  const dayValues = async (): Promise<SeriesMap> => {
    const response = await fetch(`${exporter.url}/metrics`);
    return seriesLike(seriesOfText(await response.text()), /^aigateway_key_usage_day_credits/);
  };
  await until("a value of the day", dayValues, (values) => [...values.values()].includes(7));
  // The process is stopped while some of its keys wait for a permit.
  process.kill(exporter.pid, "SIGSTOP");
  const askedBefore = gateway.log.total;
  expect(askedBefore).toBeLessThan(KEYS - 5);
  await delay(Math.max(0, realAt(time, MIDNIGHT + 10 * SECOND) - Date.now()));
  const continuedAt = now();
  expect(gateway.log.total - askedBefore).toBeLessThanOrEqual(1);
  process.kill(exporter.pid, "SIGCONT");

  const wrong: string[] = [];
  const seen = await until("a value of the new day", dayValues, (values) => {
    for (const [name, value] of values) {
      if (value !== 0) wrong.push(`${name} is ${value}`);
      if (now() < MIDNIGHT + 90 * SECOND) wrong.push(`${name} is shown before it can be trusted`);
    }
    return values.size > 0;
  });
  expect(wrong).toEqual([]);
  expect(seen.size).toBeGreaterThan(0);
  const times = gateway.log.of("key").flatMap(({ at }) => (at > continuedAt ? [at] : []));
  expect(times.length).toBeGreaterThanOrEqual(8);
  // Two fit the rate limit; the others allow for a slow machine.
  expect(mostWithin(times, 10 * SECOND)).toBeLessThanOrEqual(5);
});
