import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { ROOT } from "./repository.ts";
import { until, PATIENCE_MS } from "./until.ts";

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The exporter in its own process: `node exporter/main.ts`. */
export interface ExporterProcess {
  readonly url: string;
  /** `127.0.0.1:40123`. */
  readonly address: string;
  readonly pid: number;
  signal(name: NodeJS.Signals): void;
  /** Closes our end of its standard error, as a log shipper does when it dies. */
  closeLog(): void;
  /** Waits until the process ends. A process that does not end is killed and has no exit code. */
  ended(): Promise<ProcessResult>;
  /** What the process wrote to standard error. */
  log(): string;
  /**
   * Sends a signal, SIGTERM by default, and waits until the process ends. A process that does not end is killed and
   * has no exit code.
   */
  stop(name?: NodeJS.Signals): Promise<ProcessResult>;
}

/** Runs the exporter with a command line until it ends. */
export function runExporter(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program: readonly string[] = [MAIN],
): Promise<ProcessResult> {
  const { child, ended } = launch([...program, ...parameters], environment);
  return killLate(child, ended);
}

/** Starts the exporter on a free port and waits until it listens. */
export async function startExporter(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  program: readonly string[] = [MAIN],
): Promise<ExporterProcess> {
  const line = [...program, "--web.listen-address=127.0.0.1:0", ...parameters];
  const { child, ended, log } = launch(line, environment);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const url = await until(
    "the exporter to listen",
    () => ({ url: /(https?:\/\/127\.0\.0\.1:\d+)/.exec(log())?.[1], log: log(), runs: isRunning() }),
    (seen) => seen.url !== undefined || !seen.runs,
  ).then((seen) => seen.url);
  if (url === undefined) throw new Error(`Cannot start the exporter; it wrote:\n${log()}`);
  return {
    url,
    address: new URL(url).host,
    pid: child.pid ?? 0,
    signal: (name) => void child.kill(name),
    closeLog: () => child.stderr.destroy(),
    ended: () => killLate(child, ended),
    log,
    stop: (name = "SIGTERM") => {
      child.kill(name);
      return killLate(child, ended);
    },
  };
}

/** Waits until the exporter reports that it is ready. */
export async function untilReady({ url }: ExporterProcess): Promise<void> {
  await until(
    "readiness",
    async () => (await fetch(`${url}/-/ready`)).status,
    (status) => status === 200,
  );
}

/** A process that hangs shows as a wrong exit code and does not outlive the test. */
async function killLate(child: ChildProcess, ended: Promise<ProcessResult>): Promise<ProcessResult> {
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  return ended.finally(() => clearTimeout(timer));
}

const MAIN = join(ROOT, "exporter", "main.ts");

interface Launched {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<ProcessResult>;
  readonly log: () => string;
}

function launch(line: readonly string[], environment: Readonly<Record<string, string>>): Launched {
  const child = spawn(process.execPath, [...line], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout.push(chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr.push(chunk));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "close").then(() => {
    process.off("exit", kill);
    return { code: child.exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
  });
  return { child, ended, log: () => stderr.join("") };
}
