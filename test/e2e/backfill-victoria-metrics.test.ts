import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
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
  BEGIN,
  type BackfillStage,
  bothOf,
  END,
  EXPRESSIONS,
  HOUR,
  RECORDED,
  REQUEST,
  SEAM,
  startBackfillStage,
} from "./backfill-stage.ts";

const run = promisify(execFile);
const FOR_VICTORIA_METRICS: BackfillRequest = { ...REQUEST, format: "victoria-metrics" };

describeWithTools(["victoriaMetrics", "vmalert"], "a past in VictoriaMetrics", (tools) => {
  const folder = mkdtempSync(join(tmpdir(), "backfill-victoria-metrics-"));
  const stops: (() => Promise<void>)[] = [];
  let stage: BackfillStage;
  let server: ChildServer;
  let store: PrometheusApi;

  async function start(name: string, retention: string): Promise<ChildServer> {
    const started = await startProgram(tools.victoriaMetrics, [
      `-storageDataPath=${join(folder, name)}`,
      `-retentionPeriod=${retention}`,
      "-search.disableCache",
    ]);
    stops.push(() => started.stop());
    return started;
  }

  beforeAll(async () => {
    stage = await startBackfillStage(FOR_VICTORIA_METRICS);
    server = await start("data", "100y");
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
    for (const stop of stops) await stop();
    stage.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the server reports where its series begin", async () => {
    expect(await inspectServer(createPrometheusApi(server.url), FOR_VICTORIA_METRICS, END)).toMatchObject({
      name: expect.stringMatching(/^VictoriaMetrics/),
      keptDays: 36_500,
      firstMs: SEAM,
      otherTargets: [],
    });
    await expect(inspectServer(createPrometheusApi(server.url), REQUEST, END)).rejects.toThrow(/buildinfo/);
  });

  test("the printed script imports it, and the live series continue it", { timeout: 300_000 }, async () => {
    expect(stage.stdout).toContain(`${stage.past}/import.sh http`);
    await runImport(server.url, { RULES: "" });
    for (const expression of EXPRESSIONS) {
      const [live, twin] = await until(
        expression,
        () => bothOf(store, expression),
        ([one, other]) => JSON.stringify(one) === JSON.stringify(other),
        { timeoutMs: 30_000 },
      ).catch(() => bothOf(store, expression));
      expect({ expression, points: live }).toEqual({ expression, points: twin });
      expect(Object.keys(twin).length).toBeGreaterThan(0);
    }
    await expect(runImport(server.url, { DAYS: "", RULES: "" })).rejects.toThrow(/already has samples/);
  });

  test("vmalert makes the recorded series in passes", { timeout: 300_000 }, async () => {
    await runImport(server.url, { DAYS: "", CHECK: "no", PAUSE: "3" });
    await until(
      "the recorded series",
      () => store.query(RECORDED, SEAM - HOUR),
      (samples) => samples.length > 0,
    );
    for (let at = BEGIN + HOUR; at < SEAM; at += HOUR) {
      const [exact] = await store.query('aigateway_key_usage_credits{job="live",key="billing"}', at);
      const [recorded] = await store.query(RECORDED, at);
      expect(recorded?.value).toBeGreaterThan((exact?.value ?? Infinity) - 0.2);
      expect(recorded?.value).toBeLessThanOrEqual(exact?.value ?? 0);
    }
  });

  test("a retention that drops the past is an error", { timeout: 180_000 }, async () => {
    const short = await start("short", "1d");
    await expect(runImport(short.url, { RULES: "", PATIENCE: "2" })).rejects.toThrow(
      /has not stored 2026-11-17\.prom: set -retentionPeriod/,
    );
  });

  async function runImport(url: string, settings: Readonly<Record<string, string>>): Promise<void> {
    const path = `${join(tools.vmalert, "..")}${delimiter}${process.env["PATH"]}`;
    await run("sh", [join(stage.past, "import.sh"), url], {
      env: { ...process.env, PATH: path, ...settings },
    });
  }
});
