import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { request } from "undici";
import { type ChildServer, startChild } from "../../test/support/child.ts";
import { imageParameters, imageRecipe, makeImageContent } from "../../test/support/image-content.ts";
import { ROOT } from "../../test/support/repository.ts";
import { atLeast, atMost, type Benchmark, ratio, type Readings, value } from "../benchmark.ts";
import { isInstalled } from "../peers.ts";
import { median } from "../statistics.ts";
import { residentBytes } from "./start.ts";

const KEYS = 10_000;
const SCRAPE_MS = 15_000;
/** Scrapes before, and those that are measured. */
const [WARM_UP, MEASURED] = [12, 12];
const HOUR = 3_600_000;

/** What an ordinary day costs. */
export const dayBenchmark: Benchmark = {
  name: "process/day",
  title:
    `An hour of an ordinary day with ${KEYS} keys at the default schedule, three minutes after the start. The exporter lists the keys, asks for models, apps and ` +
    "history, judges budgets and forecasts, is scraped by two Prometheus, shows a page every 30 s, is reloaded once, and meets a gateway that fails for 15 s. " +
    "The peers do a part of it: they poll the keys and show six values of each. `bytes` is resident memory for each key.",
  quantities: [
    { name: "cpu", unit: "s/h" },
    { name: "rss", unit: "MB" },
    { name: "bytes", unit: "kB/key" },
    { name: "series", unit: "1" },
    { name: "requests", unit: "1/h" },
  ],
  goals: [
    atMost("cpu", value("exporter"), 400, 200),
    atMost("rss", value("exporter"), 400, 200),
    atLeast("cpu", ratio("prom-client and axios", "exporter"), 1, 2),
  ],
  rounds: 1,
  warmsUpItself: true,
  open: async () => {
    const directory = mkdtempSync(join(tmpdir(), "day-bench-"));
    const gateway = await startChild({
      command: process.execPath,
      arguments: [GATEWAY, "--port=0", `--keys=${KEYS}`, "--history-days=3", `--tokens-dir=${directory}`],
      address: ADDRESS,
      healthPath: "/_sim/clock",
    });
    const python = await installPython(join(directory, "python"));
    const stage = { gateway, directory };
    return {
      contenders: [
        { name: "exporter", round: () => day(process.execPath, exporterLine(stage), stage) },
        isInstalled("axios")
          ? {
              name: "prom-client and axios",
              round: () => day(process.execPath, peerLine("prom-client.mjs", stage), stage),
            }
          : { name: "prom-client and axios", skipped: "axios is not installed" },
        python === undefined
          ? { name: "Python", skipped: "prometheus_client cannot be installed" }
          : { name: "Python", round: () => day(python, peerLine("python.py", stage), stage) },
      ],
      close: async () => {
        await gateway.stop();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

const GATEWAY = join(ROOT, "test", "gateway", "main.ts");
const ADDRESS = /http:\/\/(127\.0\.0\.1:\d+)/;

interface Stage {
  readonly gateway: ChildServer;
  /** With the keys, the management key, and what is installed. */
  readonly directory: string;
}

function exporterLine({ gateway, directory }: Stage): readonly string[] {
  const app = join(directory, "app");
  makeImageContent(app);
  const configFile = join(directory, "config.yaml");
  const config = {
    gateway: { base_url: `${gateway.url}/api/v1`, requests_per_minute: 0, connections: 64 },
    keys_dir: join(directory, "keys"),
    analytics: { management_key_file: join(directory, "management") },
    discovery: {},
    budgets: [
      { name: "keys", limit: 1e6, window: "month", keys: "all" },
      { name: "account", limit: 1e6, window: "month", account: true },
    ],
  };
  // JSON is YAML.
  writeFileSync(configFile, JSON.stringify(config));
  const flags = [`--config.file=${configFile}`, "--web.listen-address=127.0.0.1:0"];
  return [...imageParameters(app), ...flags];
}

function peerLine(program: string, { gateway, directory }: Stage): readonly string[] {
  const file = fileURLToPath(new URL(`day-peers/${program}`, import.meta.url));
  return [file, `${gateway.url}/api/v1`, join(directory, "keys")];
}

/** The interpreter of a new environment that has the Python client; undefined: it cannot be installed. */
async function installPython(directory: string): Promise<string | undefined> {
  const run = promisify(execFile);
  const [python, pip] = [join(directory, "bin", "python"), join(directory, "bin", "pip")];
  return run("python3", ["-m", "venv", directory])
    .then(() => run(pip, ["install", "--quiet", "prometheus-client==0.23.1", "requests==2.32.5"]))
    .then(
      () => python,
      () => undefined,
    );
}

async function day(command: string, line: readonly string[], { gateway }: Stage): Promise<Readings> {
  const { environment } = imageRecipe();
  const options = { environment, address: ADDRESS, healthPath: "/-/healthy" };
  const server = await startChild({ command, arguments: line, ...options });
  const isOurs = line.some((word) => word.startsWith("--config.file="));
  const scrape = () => Promise.all([readText(`${server.url}/metrics`), readText(`${server.url}/metrics`)]);
  try {
    let text = "";
    const [cpuMs, requests]: [number[], number[]] = [[], []];
    for (let count = 0; count < WARM_UP + MEASURED; count++) {
      await sleep(SCRAPE_MS);
      [text = ""] = await scrape();
      cpuMs.push(cpuOf(server.pid));
      requests.push(requestsIn(text));
      if (isOurs && count % 2 === 0) await readText(`${server.url}/`);
      if (isOurs && count === WARM_UP + 2) process.kill(server.pid, "SIGHUP");
      if (count === WARM_UP + 4) await fault(gateway, "POST");
      if (count === WARM_UP + 5) await fault(gateway, "DELETE");
    }
    const rss = residentBytes(server.pid);
    return {
      cpu: inAnHour(cpuMs) / 1000,
      rss: rss / 1e6,
      bytes: rss / 1000 / KEYS,
      series: text.split("\n").filter((each) => each !== "" && !each.startsWith("#")).length,
      ...(isOurs && { requests: inAnHour(requests) }),
    };
  } finally {
    await server.stop();
  }
}

/** The median of the times between two scrapes for an hour, and once what the reload and the failing gateway cost more. */
function inAnHour(totals: readonly number[]): number {
  const measured = totals.slice(-MEASURED - 1);
  const parts = measured.slice(1).map((total, index) => total - (measured[index] ?? total));
  const usual = median(parts);
  const more = parts.reduce((sum, part) => sum + part, 0) - usual * MEASURED;
  return usual * (HOUR / SCRAPE_MS) + more;
}

async function readText(url: string): Promise<string> {
  return (await request(url)).body.text();
}

async function fault({ url }: ChildServer, method: "POST" | "DELETE"): Promise<void> {
  const body = method === "POST" ? { body: JSON.stringify({ kind: "status", status: 503 }) } : {};
  const { statusCode, body: answer } = await request(`${url}/_sim/faults`, { method, ...body });
  await answer.dump();
  if (statusCode >= 300) throw new Error(`Cannot change the faults of the gateway: ${statusCode}`);
}

function requestsIn(text: string): number {
  return [...text.matchAll(/^aigateway_exporter_upstream_requests_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Of the process, in all. The kernel counts hundredths of a second. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
