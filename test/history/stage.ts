import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type ChildServer, startChild } from "../support/child.ts";
import type { Prometheus } from "../support/prometheus.ts";
import { ROOT } from "../support/repository.ts";
import { readStageConfig, type StageConfig, stageConfig } from "./stage-config.ts";
import { type PastOptions, type Schedule, watchPast } from "./watched-past.ts";

/** A Prometheus with weeks of history of a gateway, which continues to scrape and evaluates the rules. */
export interface Stage {
  readonly prometheus: Prometheus;
  /** When the scrapes of the present began, by `performance.now()`. */
  readonly watchedSince: number;
  stop(): Promise<void>;
}

export interface StageOptions extends Omit<PastOptions, "configOf"> {
  /** The schedule of polls in the present. */
  readonly schedule: Schedule;
}

export async function startStage(options: StageOptions): Promise<Stage> {
  const { gateway, schedule } = options;
  const past = await watchPast({
    ...options,
    configOf: (ofPast) => readStageConfig(stageConfig(gateway, ofPast)),
  });
  const exporter = await startExporter(stageConfig(gateway, schedule), past.directory);
  const watchedSince = performance.now();
  const prometheus = await past.watch(exporter.url);
  return {
    prometheus,
    watchedSince,
    stop: async () => {
      await prometheus.stop();
      await exporter.stop();
      past.remove();
    },
  };
}

/** The real program. */
function startExporter({ text, environment }: StageConfig, directory: string): Promise<ChildServer> {
  const configFile = join(directory, "exporter.yaml");
  writeFileSync(configFile, text);
  return startChild({
    command: process.execPath,
    arguments: [
      join(ROOT, "exporter", "main.ts"),
      `--config.file=${configFile}`,
      "--web.listen-address=127.0.0.1:0",
      "--log.format=logfmt",
    ],
    environment,
    address: /url=http:\/\/(127\.0\.0\.1:\d+)/,
    healthPath: "/-/ready",
  });
}
