import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectServer } from "../../exporter/backfill/inspect-server.ts";
import { createPrometheusApi } from "../../exporter/backfill/prometheus-api.ts";
import type { BackfillRequest } from "../../exporter/backfill/plan.ts";
import type { ChildServer } from "../support/child.ts";
import { type PrometheusApi, prometheusApi } from "../support/prometheus-api.ts";
import { describeWithTools } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { startProgram } from "../support/victoria-metrics.ts";
import {
  type BackfillStage,
  END,
  expectContinuity,
  REQUEST,
  runImport,
  SEAM,
  startBackfillStage,
} from "./backfill-stage.ts";

const FOR_VICTORIA_METRICS: BackfillRequest = { ...REQUEST, format: "victoria-metrics" };

describeWithTools(["victoriaMetrics"], "a past in VictoriaMetrics", (tools) => {
  const folder = mkdtempSync(join(tmpdir(), "backfill-victoria-metrics-"));
  let stage: BackfillStage;
  let server: ChildServer;
  let store: PrometheusApi;

  const runScript = (settings: Readonly<Record<string, string>> = {}) =>
    runImport(stage, tools.victoriaMetrics, [server.url], settings);

  beforeAll(async () => {
    stage = await startBackfillStage(FOR_VICTORIA_METRICS);
    server = await startProgram(tools.victoriaMetrics, [
      `-storageDataPath=${folder}`,
      "-retentionPeriod=100y",
      "-search.disableCache",
    ]);
    store = prometheusApi(server.url);
    const lines = stage.scrapes.flatMap((scrape) => scrape.lines);
    // Times are milliseconds here.
    const text = lines.map((line) => line.replace(/ (\d+)\.(\d{3})$/, " $1$2\n")).join("");
    await fetch(`${server.url}/api/v1/import/prometheus`, { method: "POST", body: text });
    await until(
      "the scrapes",
      () => store.query('count(up{job="live"})', END),
      (samples) => samples.length > 0,
    );
  }, 300_000);

  afterAll(async () => {
    await server?.stop();
    stage?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the server reports where its series begin", async () => {
    expect(await inspectServer(createPrometheusApi(server.url), FOR_VICTORIA_METRICS, END)).toMatchObject({
      name: "VictoriaMetrics",
      retention: "100y",
      firstMs: SEAM,
    });
    await expect(inspectServer(createPrometheusApi(server.url), REQUEST, END)).rejects.toThrow(/buildinfo/);
  });

  test("the printed script imports it, and the live series continue it", { timeout: 300_000 }, async () => {
    await runScript();
    await expectContinuity(store);
    await expect(runScript({ DAYS: "" })).rejects.toThrow(/already has samples/);
  });
});
