import { join } from "node:path";
import { createRules } from "../../dashboards/rules/index.ts";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { type Alertmanager, startAlertmanager } from "../support/alertmanager.ts";
import { type ChildServer, startChild } from "../support/child.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type FastTime, shownInPromql } from "../support/fast-time.ts";
import { type GatewayProcess, type NewKey, startGatewayProcess } from "../support/gateway-process.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { startWebhook, type Webhook } from "../support/webhook.ts";
import { fastExample, type FastExample } from "./alertmanager-example.ts";

/** Everything that an alert passes through, each in its own process. */
export interface AlertsStage {
  readonly time: FastTime;
  readonly gateway: GatewayProcess;
  readonly exporter: ChildServer;
  readonly prometheus: Prometheus;
  readonly alertmanager: Alertmanager;
  readonly webhook: Webhook;
  readonly example: FastExample;
  stop(): Promise<void>;
}

export interface AlertsStageOptions {
  readonly prometheusBinary: string;
  readonly alertmanagerBinary: string;
  /** Text of the example configuration. */
  readonly alertmanagerConfig: string;
  readonly startAt: string;
  readonly speed: number;
  readonly keys: readonly (NewKey & { readonly team: string })[];
}

export const RUNBOOKS = "https://runbooks.test/alerts.md";
export const DASHBOARDS = "https://grafana.test/d";

/**
 * The clock of gateway and exporter runs `speed` times as fast as the machine's. All other figures follow from that:
 * ranges and waits of rules and of Alertmanager are shorter by the same factor, and `time()` in the rules becomes the
 * time of the exporter's clock. So the seconds in thresholds, resets and texts are correct, and only the speed
 * differs from production.
 */
export async function startAlertsStage(options: AlertsStageOptions): Promise<AlertsStage> {
  const { prometheusBinary, alertmanagerBinary, alertmanagerConfig, startAt, speed, keys } = options;
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  const kept = <T extends { stop(): Promise<void> }>(part: T): T => {
    stops.push(() => part.stop());
    return part;
  };
  try {
    const scale = 1 / speed;
    const gateway = kept(await startGatewayProcess({ startAt, speed }));
    const files = await exporterFiles(gateway, keys);
    stops.push(() => Promise.resolve(files.remove()));
    const time = await gateway.time();
    const exporter = kept(await startExporter(files, time));
    const webhook = kept(await startWebhook());
    const example = fastExample(alertmanagerConfig, { scale, webhookUrl: webhook.url });
    const alertmanager = kept(
      await startAlertmanager({ binary: alertmanagerBinary, config: example.config }),
    );
    const rules = createRules({
      scale,
      now: shownInPromql(time),
      runbookBaseUrl: RUNBOOKS,
      dashboardBaseUrl: DASHBOARDS,
    });
    const prometheus = kept(
      await startPrometheus({
        binary: prometheusBinary,
        targets: { [JOB]: [new URL(exporter.url).host] },
        rules: [renderRuleFile(rules)],
        alertmanagerUrl: alertmanager.url,
        interval: `${Math.round(SCRAPE_INTERVAL_MS * scale)}ms`,
      }),
    );
    return { time, gateway, exporter, prometheus, alertmanager, webhook, example, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts an exporter in fast time and waits until it is ready. Request timeouts follow the machine's clock, but the
 * deadline does not, so it must be long.
 */
function startExporter({ configFile, environment }: ExporterFiles, time: FastTime): Promise<ChildServer> {
  return startChild({
    command: process.execPath,
    arguments: [join(import.meta.dirname, "../support/app-program.ts"), configFile, JSON.stringify(time)],
    environment,
    address: /^http:\/\/(127\.0\.0\.1:\d+)$/m,
    healthPath: "/-/ready",
  });
}

const SCRAPE_INTERVAL_MS = 30_000;

async function exporterFiles(gateway: GatewayProcess, keys: AlertsStageOptions["keys"]) {
  const tokens = new Map<string, string>();
  for (const { team: _team, ...key } of keys) tokens.set(key.name, await gateway.addKey(key));
  return writeExporterFiles({
    url: gateway.url,
    tokens,
    content: {
      // The longest values allowed, because ten seconds of the fast time may be too short for a busy machine.
      gateway: { base_url: gateway.url, requests_per_minute: 0, timeout: "10m", deadline: "1h" },
      keys: keys.map(({ name, team }, index) => ({ name, api_key_env: `KEY_${index}`, owner: { team } })),
      schedule: { keys: "60s" },
    },
  });
}
