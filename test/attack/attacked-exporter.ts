import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { imageRecipe } from "../support/image-content.ts";
import { ROOT } from "../support/repository.ts";
import { until } from "../support/until.ts";
import { endOf } from "../soak/child-program.ts";
import type { Setting } from "./setting.ts";

/** The user of the image. */
const USER = 65_532;
/** Smaller than the memory limit of the container, which also holds code and buffers. */
const HEAP_MEBIBYTES = 192;

/** The exporter under attack: in its own process, as in the image, without privileges. */
export interface AttackedExporter {
  readonly url: string;
  readonly pid: number;
  signal(name: NodeJS.Signals): void;
  /** Undefined while it runs. */
  end(): string | undefined;
  /** Waits until it ends, but no longer. */
  untilEnd(ms: number): Promise<string | undefined>;
  /** The largest resident memory since the last call. */
  peakBytes(): number;
  /** How many sockets it listens on. */
  listeners(): number;
  /** Fills the pipe of the log and reads nothing, until the returned function is called. */
  stopReadingLog(): () => void;
  kill(): Promise<void>;
}

/** Starts an exporter. `app` is a folder of `makeApp`; each line of the log is passed on. */
export async function startAttackedExporter(
  setting: Setting,
  port: number,
  onLine: (line: string) => void,
  app: string,
): Promise<AttackedExporter> {
  // A pipe that is open for reading and writing can be opened without waiting for the other side.
  const reading = openSync(setting.logPipe, constants.O_RDWR | constants.O_NONBLOCK);
  const log = new Socket({ fd: reading, readable: true, writable: false });
  const writing = openSync(setting.logPipe, constants.O_WRONLY);
  let url: string | undefined;
  const first: string[] = [];
  createInterface({ input: log }).on("line", (line) => {
    if (line.startsWith(FILLER)) return;
    url ??= /"url":"(http:[^"]+)"/.exec(line)?.[1];
    if (first.length < 50) first.push(line);
    onLine(line);
  });
  const child = spawn(process.execPath, parameters(setting, port, app), {
    env: imageRecipe().environment,
    detached: true,
    stdio: ["ignore", writing, writing],
    ...(isUnprivileged(app) ? { uid: USER, gid: USER } : {}),
  });
  closeSync(writing);
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  await until(
    "the exporter to listen",
    () => url ?? endOf(child),
    (seen) => seen !== undefined,
    { timeoutMs: 120_000 },
  );
  if (url === undefined) {
    log.destroy();
    throw new Error(`Cannot start the exporter: ${endOf(child)}; it wrote:\n${first.join("\n")}`);
  }
  const pid = child.pid ?? 0;
  const untilEnd = async (ms: number): Promise<string | undefined> => {
    const patience = AbortSignal.timeout(ms);
    if (endOf(child) === undefined) await once(child, "exit", { signal: patience }).catch(() => {});
    return endOf(child);
  };
  return {
    url,
    pid,
    signal: (name) => void child.kill(name),
    end: () => endOf(child),
    untilEnd,
    peakBytes: () => peakBytes(pid),
    listeners: () => listenersOf(pid),
    stopReadingLog: () => stopReading(log, setting.logPipe),
    kill: async () => {
      process.off("exit", kill);
      kill();
      await untilEnd(5000);
      log.destroy();
    },
  };
}

/** Whether the exporter can run as another user: only root can start it, and that user must reach the files. */
export function isUnprivileged(app: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const folders = [app, process.execPath, join(ROOT, "node_modules")].flatMap((path) =>
    path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/") || "/"),
  );
  return folders.every((folder) => (statSync(folder).mode & 0o005) === 0o005);
}

const FILLER = "~";

function parameters({ configFile, webConfigFile }: Setting, port: number, app: string): readonly string[] {
  return [
    `--max-old-space-size=${HEAP_MEBIBYTES}`,
    ...imageRecipe().options,
    join(app, imageRecipe().entry),
    `--config.file=${configFile}`,
    `--web.config.file=${webConfigFile}`,
    "--web.enable-lifecycle",
    `--web.listen-address=127.0.0.1:${port}`,
  ];
}

function peakBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    // Starts a new measurement of the peak.
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function listenersOf(pid: number): number {
  try {
    const own = readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1];
      } catch {
        return undefined;
      }
    });
    const inodes = new Set(own);
    const lines = ["tcp", "tcp6"].flatMap((name) =>
      readFileSync(`/proc/${pid}/net/${name}`, "utf8").split("\n"),
    );
    return lines
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === "0A" && inodes.has(fields[9])).length;
  } catch {
    return 0;
  }
}

function stopReading(log: Socket, path: string): () => void {
  log.pause();
  const filling = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(filling, `${FILLER.repeat(1023)}\n`);
  } catch {
    // It is full.
  }
  closeSync(filling);
  return () => void log.resume();
}
