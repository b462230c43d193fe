import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { launch, type Program } from "../../test/support/child.ts";
import { imageParameters, writeStripped } from "../../test/support/image-content.ts";
import { ROOT } from "../../test/support/repository.ts";
import { atMost, difference, type Benchmark, type Readings } from "../benchmark.ts";
import { freePorts } from "../../test/support/loopback.ts";
import { timedGet } from "../timed-get.ts";
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
  const [port = 0] = await freePorts(1);
  const startedAt = performance.now();
  const program = launch(process.execPath, commandLine(port), { environment });
  try {
    const firstByteAt = await firstByte(port, isComplete, program);
    await sleep(IDLE_AFTER_MS);
    return { start: firstByteAt - startedAt, rss: residentBytes(program.pid) / 1e6 };
  } finally {
    // A clean exit, which writes the compile cache.
    await program.stop();
  }
}

const ASK_AGAIN_MS = 3;

/** Time of the first byte of a complete answer. */
async function firstByte(
  port: number,
  isComplete: (text: string) => boolean,
  { isRunning, log }: Program,
): Promise<number> {
  while (isRunning()) {
    const answer = await timedGet(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    if (answer && isComplete(answer.body.toString())) return answer.firstByteAt;
    await sleep(ASK_AGAIN_MS);
  }
  throw new Error(`Cannot measure the start: the process has exited; it wrote:\n${log()}`);
}

/** Resident memory, from the kernel if it reports it (Linux). */
export function residentBytes(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return found ? Number(found[1]) * 1024 : Number.NaN;
}
