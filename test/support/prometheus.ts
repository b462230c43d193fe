import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startChild } from "./child.ts";
import { type PrometheusApi, prometheusApi } from "./prometheus-api.ts";

export interface PrometheusOptions {
  /** Path of the program, from `describeWithTools(["prometheus3"], …)`. */
  readonly binary: string;
  /** Addresses (`127.0.0.1:9853`) to scrape, by job. */
  readonly targets?: Readonly<Record<string, readonly string[]>>;
  /** A whole configuration (a text, or a value that is written as JSON) instead of `targets` and everything derived from them. */
  readonly config?: string | object;
  /** Texts of rule files. They are named `rules-0.yaml`, … in `directory`, and loaded unless `config` is given. */
  readonly rules?: readonly string[];
  /** `http://127.0.0.1:9093` of an Alertmanager. */
  readonly alertmanagerUrl?: string;
  /** Of scrapes and rules; default `250ms`. */
  readonly interval?: string;
  /**
   * The format to request from targets; default is the version's own choice (OpenMetrics). Only 2.49 and later can choose; for
   * 2.42, which always prefers OpenMetrics, scrape `startTextRelay(target)` (text-relay.ts) instead.
   */
  readonly format?: "openmetrics" | "text";
  readonly flags?: readonly string[];
  /** Working directory; by default a temporary one that `stop` removes. */
  readonly directory?: string;
}

export interface Prometheus extends PrometheusApi {
  readonly directory: string;
  /** Everything that the process logged. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts a real Prometheus on a free port of 127.0.0.1 and waits until it is ready. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "prometheus-test-"));
  const configFile = writeConfiguration(directory, options);
  const child = await startChild({
    command: options.binary,
    // No `--web.enable-lifecycle`, and a port that the kernel picks: two tests share nothing.
    arguments: [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      "--web.listen-address=127.0.0.1:0",
      // Hidden; the default of 5 s would delay the first scrape of every test.
      "--scrape.discovery-reload-interval=100ms",
      ...(options.flags ?? []),
    ],
    address: /msg="Listening on".* address=(127\.0\.0\.1:\d+)/,
    healthPath: "/-/ready",
  });
  return {
    ...prometheusApi(child.url),
    directory,
    log: () => child.log(),
    stop: async () => {
      await child.stop();
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

function writeConfiguration(directory: string, options: PrometheusOptions): string {
  mkdirSync(directory, { recursive: true });
  const ruleFiles = (options.rules ?? []).map((text, index) => {
    const file = join(directory, `rules-${index}.yaml`);
    writeFileSync(file, text);
    return file;
  });
  const config = options.config ?? configuration(options, ruleFiles);
  const file = join(directory, "prometheus.yaml");
  // JSON is YAML.
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config, undefined, 2));
  return file;
}

function configuration(options: PrometheusOptions, ruleFiles: readonly string[]): object {
  const interval = options.interval ?? "250ms";
  const alertmanagers = options.alertmanagerUrl
    ? { alertmanagers: [{ static_configs: [{ targets: [new URL(options.alertmanagerUrl).host] }] }] }
    : {};
  return {
    global: {
      scrape_interval: interval,
      scrape_timeout: interval,
      evaluation_interval: interval,
      ...protocols(options),
    },
    rule_files: ruleFiles,
    alerting: alertmanagers,
    scrape_configs: Object.entries(options.targets ?? {}).map(([job, targets]) => ({
      job_name: job,
      static_configs: [{ targets }],
    })),
  };
}

function protocols({ format }: PrometheusOptions): object {
  if (format === undefined) return {};
  return { scrape_protocols: [format === "text" ? "PrometheusText0.0.4" : "OpenMetricsText1.0.0"] };
}
