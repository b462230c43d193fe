import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inspectServer } from "../../exporter/backfill/inspect-server.ts";
import type { PastFormat } from "../../exporter/backfill/plan.ts";
import { createPrometheusApi } from "../../exporter/backfill/prometheus-api.ts";
import { writeBlocks } from "../support/past/blocks.ts";
import { startPrometheus } from "../support/prometheus.ts";
import { describeWithTools } from "../support/tools.ts";
import {
  asAsync,
  END,
  expectContinuity,
  REQUEST,
  runImport,
  SEAM,
  startBackfillStage,
} from "./backfill-stage.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 300_000 };

/** A server that has the scrapes, and the files of a past. */
async function setUp(format: PastFormat, binary: string, promtool: string, window = "0s") {
  const folder = temporaryFolder();
  const stage = await startBackfillStage({ ...REQUEST, format });
  onTestFinished(() => stage.remove());
  await writeBlocks(promtool, folder, asAsync(stage.scrapes));
  const start = () =>
    startPrometheus({
      binary,
      directory: folder,
      config: { storage: { tsdb: { out_of_order_time_window: window } } },
      flags: ["--storage.tsdb.retention.time=20y", "--web.enable-remote-write-receiver"],
    });
  let prometheus = await start();
  onTestFinished(() => prometheus.stop());
  /** Prometheus loads new blocks at its start, or within a minute. */
  const restart = async () => {
    await prometheus.stop();
    prometheus = await start();
    return prometheus;
  };
  return { data: join(folder, "data"), stage, prometheus, restart };
}

describeWithTools(["prometheus3", "promtool3"], "a past that was backfilled", (tools) => {
  test("the printed script imports it, and the live series continue it", PATIENCE, async () => {
    const { data, stage, prometheus, restart } = await setUp(
      "openmetrics",
      tools.prometheus3,
      tools.promtool3,
    );
    const server = await inspectServer(createPrometheusApi(prometheus.url), REQUEST, END);
    expect(server.firstMs).toBe(SEAM);
    expect(stage.stdout).toContain(`${stage.past}/import.sh DATA_FOLDER`);
    let { url } = prometheus;
    const runScript = (settings: Readonly<Record<string, string>>) =>
      runImport(stage, tools.promtool3, [data, url], settings);

    await runScript({});
    expect(readdirSync(stage.past).filter((name) => name.startsWith("blocks"))).toEqual([]);
    const store = await restart();
    ({ url } = store);
    await expectContinuity(store);
    await expect(runScript({ DAYS: "" })).rejects.toThrow(/already has samples/);
    // Every five minutes, without a gap at the seam; the twin is scraped hourly.
    const samples = `count_over_time(aigateway_key_usage_day_credits{job="live",key="billing"}[59m])`;
    expect(await store.query(samples, SEAM - 1)).toMatchObject([{ value: 12 }]);
    expect(await store.query("aigateway_backfill_interpolation_seconds", SEAM)).toHaveLength(1);
    expect(await store.query("aigateway_backfill_interpolation_seconds", END)).toEqual([]);
  });

  test("another script pushes it by remote write", PATIENCE, async () => {
    const { stage, prometheus } = await setUp("remote-write", tools.prometheus3, tools.promtool3, "20y");
    const push = () => runImport(stage, tools.promtool3, [prometheus.url], { PATIENCE: "5" });
    await push();
    await expectContinuity(prometheus);
    await expect(push()).rejects.toThrow(/already has samples/);
  });
});
