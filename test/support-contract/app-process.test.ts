import { expect, onTestFinished, test } from "vitest";

import { createGateway } from "../gateway/gateway.ts";
import { startSteeredProcess } from "../support/app-process.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { seriesOfText } from "../support/series.ts";
import { until } from "../support/until.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const SUCCESS = 'aigateway_key_last_success_timestamp_seconds{key="billing"}';

test("startSteeredProcess starts an exporter in a time zone, whose clock the test moves", async () => {
  const gateway = createGateway({ now: () => START, startAt: START });
  gateway.addKey({ name: "billing" });
  await gateway.start();
  onTestFinished(() => gateway.stop());
  const files = writeExporterFiles({ gatewayUrl: gateway.url, tokens: gateway.tokens });
  onTestFinished(() => files.remove());
  const environment = { ...files.environment, TZ: "Pacific/Auckland" };
  const exporter = await startSteeredProcess({ configFile: files.configFile, environment }, START);
  onTestFinished(() => exporter.stop());
  const successAfter = (seconds: number): Promise<number | undefined> =>
    until(
      `a success ${seconds} s after the start`,
      async () => {
        const response = await fetch(`${exporter.url}/metrics`);
        return seriesOfText(await response.text()).get(SUCCESS);
      },
      (seen = 0) => seen >= START / 1000 + seconds,
    );

  expect(exporter.timeZone).toBe("Pacific/Auckland");
  await exporter.runTo(START + 5000);
  expect(await successAfter(0)).toBeLessThan(START / 1000 + 5);
  await exporter.runTo(START + 130_000);
  expect(await successAfter(60)).toBeLessThan(START / 1000 + 130);
  await exporter.jump(START + 600_000);
  await exporter.runTo(START + 605_000);
  expect(await successAfter(600)).toBeLessThan(START / 1000 + 605);
});
