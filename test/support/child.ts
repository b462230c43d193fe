import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { until, PATIENCE_MS } from "./until.ts";

/** A program that runs in its own process. */
export interface Program {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Everything the process has written, standard output and error together. */
  readonly log: () => string;
  readonly isRunning: () => boolean;
  /** Its exit code, once it has ended and its output is whole; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Ends the process by SIGTERM, then by SIGKILL if necessary, and waits until it has ended. */
  readonly stop: () => Promise<void>;
}

export interface LaunchOptions {
  /** By default only `PATH`. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly directory?: string;
}

/** Starts a program; it does not outlive the tests. */
export function launch(
  command: string,
  parameters: readonly string[],
  { environment, directory }: LaunchOptions = {},
): Program {
  const child = spawn(command, parameters, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...environment },
    cwd: directory,
  });
  const written = { stdout: "", stderr: "", log: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      written[name] += chunk;
      written.log += chunk;
    });
  }
  // A program that does not exist emits no exit event, only this one.
  let isMissing = false;
  child.on("error", (error) => {
    isMissing = true;
    written.log += `${error.message}\n`;
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", () => {
      process.off("exit", kill);
      resolve(child.exitCode);
    });
  });
  const isRunning = () => !isMissing && child.exitCode === null && child.signalCode === null;
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    log: () => written.log,
    isRunning,
    ended,
    stop: async () => {
      if (!isRunning()) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const patience = setTimeout(kill, STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(patience);
    },
  };
}

const STOP_TIMEOUT_MS = 30_000;

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

export interface ChildServer extends Program {
  readonly url: string;
}

/** Starts a server program and waits until it is ready. */
export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const environment = { ...process.env, ...options.environment };
  const program = launch(options.command, options.arguments, { environment });
  try {
    return { ...program, url: await ready(program, options) };
  } catch (error) {
    await program.stop();
    throw new Error(
      `Cannot start "${options.command}": ${message(error)}; it wrote:\n${program.log().slice(-4000)}`,
      { cause: error },
    );
  }
}

async function ready(
  { child, isRunning, log }: Program,
  { address, healthPath, timeoutMs = PATIENCE_MS }: ChildOptions,
): Promise<string> {
  const listening = await until(
    `an address in its log (${String(address)})`,
    () => ({ address: address.exec(log())?.[1], running: isRunning() }),
    (seen) => seen.address !== undefined || !seen.running,
    { pauseMs: 10, timeoutMs },
  );
  const url = `http://${listening.address ?? ""}`;
  const status = await until(
    `200 from ${url}${healthPath}`,
    () => (isRunning() ? statusOf(url + healthPath) : "ended"),
    (seen) => seen === 200 || seen === "ended",
    { timeoutMs },
  );
  if (status === "ended") throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
  return url;
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

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
