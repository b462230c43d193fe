import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type ConfigText, demoFile, readConfigText } from "../../demo-configuration.ts";
import { GOOD_EARS, POOR_EARS } from "../../demo-gateway.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { type ChildServer, startChild } from "../child.ts";
import type { Prometheus } from "../prometheus.ts";
import { ROOT } from "../repository.ts";
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
  const configOf = (ofPast: Schedule) => readConfigText(stageConfig(gateway, ofPast));
  const past = await watchPast({ ...options, configOf });
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
function startExporter({ text, environment }: ConfigText, directory: string): Promise<ChildServer> {
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

/** Everything that the dashboards can show: owners, budgets of every window, rates, queries, listed keys, probes. */
function stageConfig(gateway: Gateway, { probes, ...schedule }: Schedule): ConfigText {
  return demoFile(gateway, schedule, {
    gateway: { base_url: gateway.url, requests_per_minute: 0 },
    analytics: {
      management_key_env: "MANAGEMENT_KEY",
      top: 25,
      rates: true,
      queries: [
        { name: "users", dimensions: ["user"], metrics: ["credits", "requests", "tokens"], window: "month" },
        {
          name: "providers",
          dimensions: ["provider", "model"],
          metrics: ["credits", "requests"],
          window: "day",
        },
      ],
    },
    budgets: [
      { name: "everything-month", limit: 6000, window: "month", keys: "all" },
      { name: "payments-month", limit: 900, window: "month", keys: { team: "payments" } },
      { name: "support-week", limit: 150, window: "week", keys: { team: "support" } },
      { name: "research-day", limit: 60, window: "day", keys: { team: "research" } },
    ],
    ...(probes !== undefined && probing(probes)),
  });
}

/** One probe that succeeds and one that transcribes badly. A spend is known after the timeout. */
function probing(schedule: string): object {
  const probe = { key: "translate", response_format: "verbose_json", schedule, timeout: "5s" } as const;
  return {
    probes: [
      { ...probe, name: "ears", model: GOOD_EARS, expected_language: "en" },
      { ...probe, name: "poor-ears", model: POOR_EARS, upload: "multipart" },
    ],
    probe_spend: { max_cost_per_day: 1000, max_cost_per_probe: 0.01 },
  };
}
