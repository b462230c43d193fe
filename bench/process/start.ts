import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { imageParameters, writeStripped } from "../../test/support/image-content.ts";
import { ROOT } from "../../test/support/repository.ts";
import { atMost, difference, type Benchmark, type Readings } from "../benchmark.ts";
import { freePort } from "./probed-exporter.ts";
import { startUpstream } from "../poll/polled-exporter.ts";

const KEYS = 20;
const IDLE_AFTER_MS = 1500;

/** The base cost of running the exporter. */
export const startBenchmark: Benchmark = {
  name: "process/start",
  title:
    `From spawning the process to the first byte of a /metrics that shows all ${KEYS} keys, against a bare server of node:http; ` +
    "resident memory after another 1.5 s. Files and the compile cache (NODE_COMPILE_CACHE) are warm. The exporter is built as in the image, " +
    "with types stripped and with the image's Node options.",
  quantities: [
    { name: "start", unit: "ms" },
    { name: "rss", unit: "MB" },
  ],
  goals: [
    atMost("start", difference("exporter", "bare"), 400, 200),
    atMost("rss", difference("exporter", "bare"), 65, 45),
  ],
  reference: { contender: "bare", quantity: "start" },
  rounds: 7,
  open: async () => {
    const directory = mkdtempSync(join(tmpdir(), "exporter-bench-"));
    const upstream = await startUpstream(0);
    const names = Array.from({ length: KEYS }, (_, index) => `KEY_${index}`);
    const configFile = join(directory, "config.yaml");
    const config = {
      gateway: { base_url: upstream.url, requests_per_minute: 0 },
      keys: names.map((name) => ({ name: name.toLowerCase(), api_key_env: name })),
    };
    // JSON is YAML.
    writeFileSync(configFile, JSON.stringify(config));
    const environment = {
      NODE_COMPILE_CACHE: join(directory, "compile-cache"),
      ...Object.fromEntries(names.map((name) => [name, `sk-ai-${name}`])),
    };
    const contender = (name: string, program: readonly string[]) => {
      const parameters = [...program, `--config.file=${configFile}`, "--log.level=error"];
      const line = (port: number) => [...parameters, `--web.listen-address=127.0.0.1:${port}`];
      return { name, round: () => start(line, environment, (text) => shownKeys(text) === KEYS) };
    };
    return {
      contenders: [
        contender("exporter", strippedExporter(directory)),
        contender("TypeScript", [join(ROOT, "exporter", "main.ts")]),
        { name: "bare", round: () => start(bare, environment, () => true) },
      ],
      close: async () => {
        await upstream.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

/** Builds the files of the image, and returns Node's arguments. */
function strippedExporter(directory: string): readonly string[] {
  writeStripped(directory);
  cpSync(join(ROOT, "package.json"), join(directory, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return imageParameters(directory);
}

function bare(port: number): readonly string[] {
  return [fileURLToPath(new URL("bare-server.mjs", import.meta.url)), String(port)];
}

function shownKeys(text: string): number {
  return text.split("aigateway_key_usage_credits{").length - 1;
}

async function start(
  commandLine: (port: number) => readonly string[],
  environment: Readonly<Record<string, string>>,
  isComplete: (text: string) => boolean,
): Promise<Readings> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, commandLine(port), {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit");
  try {
    const firstByteAt = await firstByte(port, isComplete, () => child.exitCode === null);
    await sleep(IDLE_AFTER_MS);
    return { start: firstByteAt - startedAt, rss: residentBytes(child.pid ?? 0) / 1e6 };
  } finally {
    process.off("exit", kill);
    // A clean exit, which writes the compile cache.
    child.kill("SIGTERM");
    await ended;
  }
}

const ASK_AGAIN_MS = 3;

/** Time of the first byte of a complete answer. */
async function firstByte(
  port: number,
  isComplete: (text: string) => boolean,
  isRunning: () => boolean,
): Promise<number> {
  while (isRunning()) {
    const answer = await scrape(port).catch(() => undefined);
    if (answer && isComplete(answer.text)) return answer.firstByteAt;
    await sleep(ASK_AGAIN_MS);
  }
  throw new Error("Cannot measure the start: the process has exited");
}

function scrape(port: number): Promise<{ text: string; firstByteAt: number }> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: "127.0.0.1", path: "/metrics", agent: false }, (response) => {
      const firstByteAt = performance.now();
      const chunks: string[] = [];
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => chunks.push(chunk));
      response.on("end", () => resolve({ text: chunks.join(""), firstByteAt }));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

/** Resident memory, from the kernel if it reports it (Linux). */
export function residentBytes(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return found ? Number(found[1]) * 1024 : Number.NaN;
}
