import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { z } from "zod";

import { type ChildServer, startChild } from "./child.ts";
import { freePorts, listenOnLoopback } from "./loopback.ts";
import { type PrometheusApi, prometheusApi } from "./prometheus-api.ts";

/** A real VictoriaMetrics (single node) that scrapes, with vmalert, which evaluates rules and writes the results back. */
export interface VictoriaMetrics extends Pick<PrometheusApi, "query"> {
  /** The labels of the alerts that fire, as vmalert reports them. */
  firing(): Promise<readonly Readonly<Record<string, string>>[]>;
  stop(): Promise<void>;
}

export interface VictoriaMetricsOptions {
  /** Paths of the programs, from `describeWithTools`. */
  readonly server: string;
  readonly vmalert: string;
  readonly job: string;
  /** `127.0.0.1:9853`. */
  readonly target: string;
  /** Text of a rule file without `keep_firing_for`. */
  readonly rules: string;
  readonly scrapeIntervalMs: number;
}

export async function startVictoriaMetrics(options: VictoriaMetricsOptions): Promise<VictoriaMetrics> {
  const directory = mkdtempSync(join(tmpdir(), "victoria-metrics-test-"));
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const scrape = {
      global: { scrape_interval: `${options.scrapeIntervalMs}ms` },
      scrape_configs: [{ job_name: options.job, static_configs: [{ targets: [options.target] }] }],
    };
    // JSON is YAML.
    writeFileSync(join(directory, "scrape.yaml"), JSON.stringify(scrape));
    writeFileSync(join(directory, "rules.yaml"), options.rules);
    const server = await startProgram(options.server, [
      `-promscrape.config=${join(directory, "scrape.yaml")}`,
      `-storageDataPath=${join(directory, "data")}`,
      // By default the newest half minute is hidden from queries.
      "-search.latencyOffset=1ms",
      "-search.disableCache",
    ]);
    stops.push(() => server.stop());
    const notified = await listenOnLoopback(createServer((_, response) => void response.end()));
    stops.push(notified.stop);
    const vmalert = await startProgram(options.vmalert, [
      `-rule=${join(directory, "rules.yaml")}`,
      `-datasource.url=${server.url}`,
      `-remoteWrite.url=${server.url}`,
      "-remoteWrite.flushInterval=100ms",
      `-notifier.url=http://${notified.address}`,
    ]);
    stops.push(() => vmalert.stop());
    return {
      query: (expression, at) => prometheusApi(server.url).query(expression, at),
      firing: async () => {
        const answer = await (await fetch(`${vmalert.url}/api/v1/alerts`)).json();
        const { alerts } = Answer.parse(answer).data;
        return (alerts ?? [])
          .filter(({ state }) => state === "firing")
          .map(({ name, labels }) => ({ ...labels, alertname: name }));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const Answer = z.object({
  data: z.object({
    // Null before the first evaluation.
    alerts: z.nullable(
      z.array(z.object({ name: z.string(), state: z.string(), labels: z.record(z.string(), z.string()) })),
    ),
  }),
});

/** These programs do not log the port that the kernel chooses, so a free one is looked up first. */
export async function startProgram(command: string, parameters: readonly string[]): Promise<ChildServer> {
  const [port] = await freePorts(1);
  return startChild({
    command,
    arguments: [...parameters, `-httpListenAddr=127.0.0.1:${port}`],
    address: /flag "httpListenAddr"="(127\.0\.0\.1:\d+)"/,
    healthPath: "/health",
  });
}
