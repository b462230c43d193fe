import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackfillRequest } from "../../exporter/backfill/plan.ts";
import { writeBlocks } from "../history/blocks.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { describeWithTools } from "../support/tools.ts";
import {
  asAsync,
  type BackfillStage,
  bothOf,
  EXPRESSIONS,
  REQUEST,
  startBackfillStage,
} from "./backfill-stage.ts";

const run = promisify(execFile);
const FOR_REMOTE_WRITE: BackfillRequest = { ...REQUEST, format: "remote-write" };

describeWithTools(["prometheus3", "promtool3"], "a past by remote write", (tools) => {
  const folder = mkdtempSync(join(tmpdir(), "backfill-remote-write-"));
  const stops: (() => Promise<void>)[] = [];
  let stage: BackfillStage;

  async function start(name: string, window: string): Promise<Prometheus> {
    const directory = join(folder, name);
    await writeBlocks(tools.promtool3, directory, asAsync(stage.scrapes));
    const prometheus = await startPrometheus({
      binary: tools.prometheus3,
      directory,
      config: { storage: { tsdb: { out_of_order_time_window: window } } },
      flags: ["--storage.tsdb.retention.time=20y", "--web.enable-remote-write-receiver"],
    });
    stops.push(() => prometheus.stop());
    return prometheus;
  }

  beforeAll(async () => {
    stage = await startBackfillStage(FOR_REMOTE_WRITE);
  }, 300_000);

  afterAll(async () => {
    for (const stop of stops) await stop();
    stage.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the printed script pushes it, and the live series continue it", { timeout: 300_000 }, async () => {
    const prometheus = await start("long", "20y");
    expect(stage.stdout).toContain(`${stage.past}/import.sh http`);
    await push(prometheus.url);
    for (const expression of EXPRESSIONS) {
      const [live, twin] = await bothOf(prometheus, expression);
      expect({ expression, points: live }).toEqual({ expression, points: twin });
      expect(Object.keys(twin).length).toBeGreaterThan(0);
    }
    await expect(push(prometheus.url)).rejects.toThrow(/already has samples/);
  });

  test("a server that refuses old samples is an error", { timeout: 180_000 }, async () => {
    const prometheus = await start("short", "1h");
    await expect(push(prometheus.url)).rejects.toThrow(/too old sample|out of bounds|has not stored/);
  });

  async function push(url: string): Promise<void> {
    const path = `${join(tools.promtool3, "..")}${delimiter}${process.env["PATH"]}`;
    const env = { ...process.env, PATH: path, PATIENCE: "5" };
    await run("sh", [join(stage.past, "import.sh"), url], { env });
  }
});
