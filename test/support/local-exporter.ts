import { setTimeout as delay } from "node:timers/promises";

import { type App, createApp } from "../../exporter/app.ts";
import type { Clock } from "../../exporter/time/clock.ts";
import { systemFiles } from "../../exporter/config/files.ts";
import { loadConfig } from "../../exporter/config/load.ts";
import { createLog, type Log } from "../../exporter/log.ts";
import type { ExporterFiles } from "./exporter-files.ts";
import { seriesOfText, type SeriesMap } from "./series.ts";
import type { SteeredClock } from "./steered-clock.ts";

/** An exporter in the test's own process. */
export interface LocalExporter {
  readonly app: App;
  readonly url: string;
  /** What `/metrics` shows now. */
  series(): Promise<SeriesMap>;
  /**
   * What `/metrics` shows when it shows what is wanted. What was polled is published a moment later, compressed in real
   * time: until then the clock goes on by a second at a time, `seconds` at most.
   */
  seriesWhen(
    steered: SteeredClock,
    isWanted: (series: SeriesMap) => boolean,
    seconds?: number,
  ): Promise<SeriesMap>;
  stop(): Promise<void>;
}

/** Starts the exporter that the files describe; it listens on a free port. */
export async function startLocalExporter(
  files: ExporterFiles,
  clock: Clock,
  log: Log = createLog("error", "json", process.stderr),
): Promise<LocalExporter> {
  const loaded = await loadConfig({ path: files.configFile, ...systemFiles, env: files.environment });
  if (!loaded.ok) throw new Error(`Cannot load "${files.configFile}": ${JSON.stringify(loaded.problems)}`);
  const app = createApp(loaded.config, {
    clock,
    random: () => 0.5,
    log,
    build: { version: "0.0.0", revision: "test", nodeVersion: process.version },
    listen: { host: "127.0.0.1", port: 0 },
    telemetryPath: "/metrics",
  });
  await app.start();
  const url = app.url();
  return {
    app,
    url,
    series: () => scrape(url),
    seriesWhen: async (steered, isWanted, seconds = 10) => {
      for (let left = seconds; left > 0; left--) {
        const series = await scrape(url);
        if (isWanted(series)) return series;
        await steered.run(steered.clock.now() + 1000);
        await delay(REAL_PAUSE_MS);
      }
      return scrape(url);
    },
    stop: async () => {
      await app.stop();
      files.remove();
    },
  };
}

/** So that the seconds do not pass before a busy machine has compressed anything. */
const REAL_PAUSE_MS = 50;

async function scrape(url: string): Promise<SeriesMap> {
  const response = await fetch(`${url}/metrics`);
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot scrape "${url}": ${response.status}: ${text}`);
  return seriesOfText(text);
}
