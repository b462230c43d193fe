import { join } from "node:path";
import { launch, type Program } from "./child.ts";
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
  return resultOf(launch(process.execPath, [...program, ...parameters], { environment }));
}

/** Starts the exporter on a free port and waits until it listens. */
export async function startExporter(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  program: readonly string[] = [MAIN],
): Promise<ExporterProcess> {
  const line = [...program, "--web.listen-address=127.0.0.1:0", ...parameters];
  const exporter = launch(process.execPath, line, { environment });
  const { child, pid, isRunning, stderr: log } = exporter;
  const url = await until(
    "the exporter to listen",
    () => ({ url: /(https?:\/\/127\.0\.0\.1:\d+)/.exec(log())?.[1], log: log(), runs: isRunning() }),
    (seen) => seen.url !== undefined || !seen.runs,
  ).then((seen) => seen.url);
  if (url === undefined) throw new Error(`Cannot start the exporter; it wrote:\n${log()}`);
  return {
    url,
    address: new URL(url).host,
    pid,
    signal: (name) => void child.kill(name),
    closeLog: () => child.stderr.destroy(),
    ended: () => resultOf(exporter),
    log,
    stop: (name = "SIGTERM") => {
      child.kill(name);
      return resultOf(exporter);
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
async function resultOf({ child, ended, stdout, stderr }: Program): Promise<ProcessResult> {
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const code = await ended;
  clearTimeout(timer);
  return { code, stdout: stdout(), stderr: stderr() };
}

const MAIN = join(ROOT, "exporter", "main.ts");
