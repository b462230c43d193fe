import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { until } from "../../support/until.ts";

/** A program of the control plane, or a container. */
export interface ServerProcess {
  readonly pid: number;
  log(): string;
  readonly isRunning: () => boolean;
  /** Null while it runs. */
  readonly exitCode: () => number | null;
  stop(): Promise<void>;
}

/** Starts a program; it does not outlive the tests. */
export function startProcess(
  command: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ServerProcess {
  const child = spawn(command, parameters, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", ...environment },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      log = (log + chunk).slice(-LOG_LENGTH);
    });
  }
  // A program that does not exist emits no exit event, only this one.
  child.on("error", (error) => {
    log += `${error.message}\n`;
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return {
    pid: child.pid ?? 0,
    log: () => log,
    isRunning: () => isRunning(child),
    exitCode: () => child.exitCode,
    stop: async () => {
      await end(child);
      process.off("exit", kill);
    },
  };
}

/** Waits until a server is ready; the error shows what it wrote. */
export async function whenReady(
  name: string,
  server: ServerProcess,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const look = async (): Promise<string> => {
    if (!server.isRunning()) return "ended";
    return (await isReady().catch(() => false)) ? "ready" : "starting";
  };
  const state = await until(`${name} to be ready`, look, (seen) => seen !== "starting", {
    timeoutMs: READY_TIMEOUT_MS,
    pauseMs: 100,
  });
  if (state === "ended") throw new Error(`Cannot start ${name}: it wrote:\n${server.log().slice(-4000)}`);
}

/** Ports that were free a moment ago, for programs that cannot listen on port 0. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(
    servers.map(async (server) => {
      const closed = once(server, "close");
      server.close();
      await closed;
    }),
  );
  return ports;
}

const LOG_LENGTH = 1_000_000;
const READY_TIMEOUT_MS = 180_000;

async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(patience);
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
