import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { until, PATIENCE_MS } from "./until.ts";

export interface ChildOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Finds the address (`127.0.0.1:40123`, its first group) in what the process logs, since it listens on port 0. */
  readonly address: RegExp;
  /** Answers 200 once the server is ready. */
  readonly healthPath: string;
  /** How long its start may take; by default as long as any test waits. */
  readonly timeoutMs?: number;
}

export interface ChildServer {
  readonly url: string;
  readonly pid: number;
  /** Everything the process has written, standard output and error together. */
  log(): string;
  /** Ends the process by SIGTERM, then by SIGKILL if necessary, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Starts a server program, waits until it is ready, and makes sure that it does not outlive the tests. */
export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const child = spawn(options.command, options.arguments, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.environment },
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  }
  const log = (): string => chunks.join("");
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async (): Promise<void> => {
    await end(child);
    process.off("exit", kill);
  };
  try {
    await spawned(child, options.command);
    const url = await ready(child, options, log);
    return { url, pid: child.pid ?? 0, log, stop };
  } catch (error) {
    await stop();
    throw new Error(
      `Cannot start "${options.command}": ${message(error)}; it wrote:\n${log().slice(-4000)}`,
      {
        cause: error,
      },
    );
  }
}

const STOP_TIMEOUT_MS = 30_000;

async function ready(
  child: ChildProcess,
  { address, healthPath, timeoutMs = PATIENCE_MS }: ChildOptions,
  log: () => string,
): Promise<string> {
  const listening = await until(
    `an address in its log (${String(address)})`,
    () => ({ address: address.exec(log())?.[1], running: isRunning(child) }),
    (seen) => seen.address !== undefined || !seen.running,
    { pauseMs: 10, timeoutMs },
  );
  const url = `http://${listening.address ?? ""}`;
  const status = await until(
    `200 from ${url}${healthPath}`,
    () => (isRunning(child) ? statusOf(url + healthPath) : "ended"),
    (seen) => seen === 200 || seen === "ended",
    { timeoutMs },
  );
  if (status === "ended") throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
  return url;
}

async function spawned(child: ChildProcess, command: string): Promise<void> {
  // `once` rejects with the "error" event of a program that does not exist.
  if (child.pid === undefined) await once(child, "spawn");
  child.on("error", (error) => process.stderr.write(`"${command}": ${error.message}\n`));
}

async function statusOf(url: string): Promise<number | string> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return message(error);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || !isRunning(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const patience = new AbortController();
  const killed = delay(STOP_TIMEOUT_MS, undefined, { signal: patience.signal }).then(
    () => child.kill("SIGKILL"),
    () => false,
  );
  await ended;
  patience.abort();
  await killed;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
