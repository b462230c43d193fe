import packageJson from "../package.json" with { type: "json" };
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type App, createApp } from "../exporter/app.ts";
import { systemClock } from "../exporter/time/clock.ts";
import { DEFAULT_PORT } from "../exporter/config/schema.ts";
import { JOB } from "../dashboards/rules/settings.ts";
import { createLog } from "../exporter/log.ts";
import { type ConfigText, demoFile, readConfigText, writeDemoFiles } from "./demo-configuration.ts";
import { createDemoGateway, demoProbes, enliven } from "./demo-gateway.ts";
import { readPort, runCommand, untilSignal } from "./gateway/command.ts";
import { type Gateway, messageOf } from "./gateway/gateway.ts";
import { demoPast } from "./demo-past.ts";
import { preparePreview } from "./preview/package.ts";
import { startPreviewServer } from "./preview/server.ts";
import type { Schedule } from "./support/past/watched-past.ts";
import { toolPath } from "./support/tools.ts";

/** The dashboards of the demo, with the past of its gateway. */
interface DemoDashboards {
  /** Draws them with the exporter's figures and returns their URL. */
  show(exporterUrl: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Returns undefined, with a message, if Prometheus is not installed. Call it before the exporter starts,
 * because it sets the gateway's clock back.
 */
async function prepareDashboards(
  gateway: Gateway,
  fileOf: (schedule: Schedule) => ConfigText,
): Promise<DemoDashboards | undefined> {
  const prometheus = toolPath("prometheus3") ?? toolPath("prometheus2");
  const promtool = toolPath("promtool3") ?? toolPath("promtool2");
  if (prometheus === undefined) {
    say("No dashboards: they need Prometheus, which is not installed (apt-get install prometheus)");
    return undefined;
  }
  const [past] = await Promise.all([
    demoPast({ gateway, fileOf, prometheus, promtool, say }),
    preparePreview(say),
  ]);
  const stops: (() => Promise<void> | void)[] = [];
  return {
    show: async (exporterUrl) => {
      const watching = await past.watch(exporterUrl);
      const server = await startPreviewServer(watching.url);
      stops.push(
        () => server.stop(),
        () => watching.stop(),
      );
      return server.url;
    },
    stop: async () => {
      for (const stop of stops) await stop();
      past.remove();
    },
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const HELP = `A demo of the exporter with a simulated gateway: weeks of history, lively traffic and some trouble.

Usage: npm run demo -- [options]
  --port <n>          port of the exporter on 127.0.0.1, 0 for any free port (${DEFAULT_PORT})
  --gateway-port <n>  port of the simulated gateway, 0 for any free port (8402)
  --dashboards        also show the dashboards, drawn with Grafana's components; needs Prometheus
  --log               show the log of the exporter
  --help              show this help
`;

const SCHEDULE = { keys: "2s", analytics: "10s" };

const FLAGS = {
  port: { type: "string", default: String(DEFAULT_PORT) },
  "gateway-port": { type: "string", default: "8402" },
  dashboards: { type: "boolean", default: false },
  log: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

process.exitCode = await runCommand({
  help: HELP,
  hint: "Run with --help to see the options",
  read,
  run,
});

function read(args: string[]) {
  const { values } = parseArgs({ args, options: FLAGS });
  const gatewayPort = readPort("gateway-port", values["gateway-port"]);
  return { ...values, port: readPort("port", values.port), gatewayPort };
}

async function run({ port, gatewayPort, ...options }: ReturnType<typeof read>): Promise<number> {
  const stopSignal = untilSignal();
  const gateway = createDemoGateway();
  if (!(await started(gateway.start(gatewayPort), "gateway-port", gatewayPort))) return 1;
  const dashboards = options.dashboards
    ? await prepareDashboards(gateway, (schedule) => demoFile(gateway, schedule))
    : undefined;
  const app = await exporterOf(gateway, port, options.log);
  const isServing = await started(app.start(), "port", port);
  if (isServing) {
    const calm = enliven(gateway);
    const dashboardsUrl = await dashboards?.show(app.url());
    const directory = await mkdtemp(join(tmpdir(), "aigateway-demo-"));
    const configFile = await writeDemoFiles(gateway, { directory, schedule: SCHEDULE });
    process.stdout.write(welcome(app.url(), gateway.url, configFile, dashboardsUrl));
    await stopSignal;
    await rm(directory, { recursive: true });
    process.stdout.write("\nStopping\n");
    calm();
  }
  await dashboards?.stop();
  await app.stop();
  await gateway.stop();
  return isServing ? 0 : 1;
}

/** Returns whether it listens; if not, prints what to do. */
async function started(starting: Promise<void>, flag: string, port: number): Promise<boolean> {
  try {
    await starting;
    return true;
  } catch (error) {
    // The exporter's error names its cause.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const why = isTaken
      ? `the port is in use. Stop the program that uses it, choose another port (--${flag}), or use free ports: npm run demo -- --port 0 --gateway-port 0`
      : messageOf(error);
    process.stderr.write(`Cannot listen on 127.0.0.1:${port}: ${why}\n`);
    return false;
  }
}

async function exporterOf(gateway: Gateway, port: number, showLog: boolean): Promise<App> {
  const probing = demoProbes(gateway);
  const config = await readConfigText(demoFile(gateway, SCHEDULE, probing));
  return createApp(config, {
    clock: systemClock,
    random: Math.random,
    log: createLog("info", "logfmt", showLog ? process.stderr : { write: () => {} }),
    build: { version: packageJson.version, revision: "demo", nodeVersion: process.version },
    listen: [{ host: "127.0.0.1", port }],
    telemetryPath: "/metrics",
  });
}

function welcome(
  url: string,
  gatewayUrl: string,
  configFile: string,
  dashboardsUrl: string | undefined,
): string {
  const controls = new URL("/_sim/disable", gatewayUrl).href;
  return `
The exporter polls 17 keys of a simulated gateway with two months of history, and watches three budgets. After a minute and a half, when the
spend of the day is known, two probes call speech-to-text models, one of which is poor. All traffic stays on this machine.

  Status page   ${url}/
  Metrics       ${url}/metrics
  Gateway       ${gatewayUrl}${dashboardsUrl === undefined ? "" : `\n  Dashboards    ${dashboardsUrl}`}

Watch the spend change:
  curl -s ${url}/metrics | grep ^aigateway_key_usage_credits

Disable a key and watch the effect:
  curl -X POST ${controls} -d '{"key":"docs"}'

Print the report of last month, in another terminal:
  npm start --silent -- report --config.file=${configFile} --by=team --format=csv

Scrape the exporter with Prometheus (prometheus.yml):
  scrape_configs:
    - job_name: ${JOB}
      scrape_interval: 15s
      static_configs: [{ targets: ["${new URL(url).host}"] }]

Ctrl-C stops everything.
`;
}
