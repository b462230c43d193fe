import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectServer } from "../../exporter/backfill/inspect-server.ts";
import { createPrometheusApi } from "../../exporter/backfill/prometheus-api.ts";
import { writeBlocks } from "../history/blocks.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { describeWithTools } from "../support/tools.ts";
import {
  asAsync,
  BEGIN,
  type BackfillStage,
  bothOf,
  END,
  EXPRESSIONS,
  HOUR,
  INSTANCE,
  RECORDED,
  REQUEST,
  SEAM,
  startBackfillStage,
} from "./backfill-stage.ts";

const run = promisify(execFile);
let stage: BackfillStage;

beforeAll(async () => {
  stage = await startBackfillStage(REQUEST);
}, 300_000);

afterAll(() => stage.remove());

describeWithTools(["prometheus2", "promtool2"], "a past that was backfilled", (tools) =>
  overTheSeam(tools.prometheus2, tools.promtool2),
);

describeWithTools(["prometheus3", "promtool3"], "a past that was backfilled", (tools) =>
  overTheSeam(tools.prometheus3, tools.promtool3),
);

function overTheSeam(binary: string, promtool: string): void {
  const folder = mkdtempSync(join(tmpdir(), "backfill-prometheus-"));
  let prometheus: Prometheus;

  async function start(): Promise<void> {
    const flags = ["--storage.tsdb.retention.time=20y"];
    prometheus = await startPrometheus({ binary, directory: folder, flags });
  }

  /** Prometheus loads new blocks at its start, or within a minute. */
  async function restart(): Promise<void> {
    await prometheus.stop();
    await start();
  }

  beforeAll(async () => {
    await writeBlocks(promtool, folder, asAsync(stage.scrapes));
    await start();
  }, 300_000);

  afterAll(async () => {
    await prometheus?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the server reports where its series begin, to the millisecond", async () => {
    const api = createPrometheusApi(prometheus.url);
    expect(await inspectServer(api, REQUEST, END)).toMatchObject({
      name: expect.stringMatching(/^Prometheus [23]\.\d+\.\d+/),
      keptDays: 20 * 365,
      isSizeLimited: false,
      firstMs: SEAM,
      otherTargets: [],
    });
    expect(await inspectServer(api, { ...REQUEST, job: "twin" }, END)).toMatchObject({
      firstMs: BEGIN + HOUR,
    });
    expect(await inspectServer(api, { ...REQUEST, instance: "elsewhere:1" }, END)).toMatchObject({
      firstMs: undefined,
      otherTargets: expect.arrayContaining([`job="live",instance="${INSTANCE}"`]),
    });
  });

  test("the printed script imports it, and the live series continue it", { timeout: 300_000 }, async () => {
    expect(stage.stdout).toContain(`${stage.past}/import.sh DATA_FOLDER`);
    await runImport({ RULES: "" });
    expect(readdirSync(stage.past).filter((name) => name.startsWith("blocks"))).toEqual([]);
    await restart();
    for (const expression of EXPRESSIONS) {
      const [live, twin] = await bothOf(prometheus, expression);
      expect({ expression, points: live }).toEqual({ expression, points: twin });
      expect(Object.keys(twin).length).toBeGreaterThan(0);
    }
    await expect(runImport({ DAYS: "", RULES: "" })).rejects.toThrow(/already has samples/);
    // Every five minutes, without a gap at the seam; the twin is scraped hourly.
    const points = await prometheus.query(
      `count_over_time(aigateway_key_usage_day_credits{job="live",key="billing"}[59m])`,
      SEAM - 1,
    );
    expect(points.map(({ value }) => value)).toEqual([12]);
    expect(await prometheus.query("aigateway_backfill_interpolation_seconds", SEAM)).toHaveLength(1);
    expect(await prometheus.query("aigateway_backfill_interpolation_seconds", END)).toEqual([]);
  });

  test("the recorded series are made in passes", { timeout: 300_000 }, async () => {
    for (const pass of [1, 2, 3]) {
      await runImport({ DAYS: "", RULES: `rules-${pass}.yaml`, CHECK: "no" });
      await restart();
    }
    for (let at = BEGIN + HOUR; at < SEAM; at += HOUR) {
      const [exact] = await prometheus.query('aigateway_key_usage_credits{job="live",key="billing"}', at);
      const [recorded] = await prometheus.query(RECORDED, at);
      // Rules are evaluated at some time of the last five minutes.
      expect(recorded?.value).toBeGreaterThan((exact?.value ?? Infinity) - 0.2);
      expect(recorded?.value).toBeLessThanOrEqual(exact?.value ?? 0);
    }
  });

  async function runImport(settings: Readonly<Record<string, string>>): Promise<void> {
    const path = `${join(promtool, "..")}${delimiter}${process.env["PATH"]}`;
    const env = { ...process.env, PATH: path, PAUSE: "0", ...settings };
    const script = join(stage.past, "import.sh");
    await run("sh", [script, join(folder, "data"), prometheus.url], { env });
  }
}
