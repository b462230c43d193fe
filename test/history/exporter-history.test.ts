import { expect, onTestFinished, test } from "vitest";

import { createGateway } from "../gateway/gateway.ts";
import { exporterHistory, type ScrapedLines } from "./exporter-history.ts";
import { readStageConfig, stageConfig } from "./stage-config.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const HOUR = 3_600_000;

test("exporterHistory scrapes an exporter through a past time, with the books of each time", async () => {
  const gateway = createGateway({ now: () => 0, startAt: START });
  // One of each team that has a budget.
  for (const name of ["billing", "support-bot", "data-science"]) gateway.addKey({ name });
  await gateway.start();
  onTestFinished(() => gateway.stop());
  for (const hour of [1, 2])
    gateway.spend({
      key: "billing",
      model: "acme/one",
      micros: 1_000_000,
      at: START + (hour - 1) * HOUR + 60_000,
    });
  const config = await readStageConfig(stageConfig(gateway, { keys: "5m", analytics: "5m" }));
  const times = [START + HOUR, START + 2 * HOUR];
  const scrapes: ScrapedLines[] = [];
  for await (const scrape of exporterHistory({
    gateway,
    config,
    startAt: START,
    times,
    labels: { job: "a" },
  })) {
    scrapes.push(scrape);
  }
  const usage = scrapes.map(({ lines }) =>
    lines.find((line) => line.startsWith('aigateway_key_usage_day_credits{job="a",key="billing"}')),
  );
  expect(usage).toEqual([
    `aigateway_key_usage_day_credits{job="a",key="billing"} 1 ${(START + HOUR) / 1000}.000`,
    `aigateway_key_usage_day_credits{job="a",key="billing"} 2 ${(START + 2 * HOUR) / 1000}.000`,
  ]);
  expect(gateway.clock.now()).toBe(START + 2 * HOUR);
});
