import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { until } from "../support/until.ts";
import { endOf } from "./child-program.ts";

/** The exporter under a soak: `node exporter/main.ts`, watched from outside. */
export interface SoakedExporter {
  readonly url: string;
  readonly log: LogTally;
  signal(name: NodeJS.Signals): void;
  /** Undefined: it runs. */
  end(): string | undefined;
  /** From /proc. */
  residentBytes(): number;
  openFiles(): number;
  /** Stops the exporter and returns how it ended. */
  stop(): Promise<string>;
}

export interface LogTally {
  readonly lines: Map<string, number>;
  /** Lines that no fault of the gateway explains. */
  readonly unexpected: string[];
  reloads: number;
  /** Reloads while the folder of keys changed. */
  refusedReloads: number;
}

/** Reasons that are logged as errors by design and that the soak's gateway provokes. */
const PROVOKED = new Set(["unauthorized", "forbidden", "bad_request", "secret_unreadable"]);

const LogLine = z.object({ level: z.string(), msg: z.string(), reason: z.string().optional() });

export async function startSoakedExporter(main: string, configFile: string): Promise<SoakedExporter> {
  const parameters = [main, `--config.file=${configFile}`, "--web.listen-address=127.0.0.1:0"];
  const child = spawn(process.execPath, parameters, {
    env: {},
    // Ctrl-C is for the soak, which then ends this process in order.
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const log: LogTally = { lines: new Map(), unexpected: [], reloads: 0, refusedReloads: 0 };
  let url: string | undefined;
  createInterface({ input: child.stderr }).on("line", (line) => {
    url ??= /"url":"(http:[^"]+)"/.exec(line)?.[1];
    count(log, line);
  });
  const started = await until(
    "the exporter to listen",
    () => ({ url, end: endOf(child), said: log.unexpected }),
    (seen) => seen.url !== undefined || seen.end !== undefined,
    { timeoutMs: 60_000 },
  );
  if (started.url === undefined) throw new Error(`Cannot start the exporter: ${log.unexpected.join("\n")}`);
  return {
    url: started.url,
    log,
    signal: (name) => void child.kill(name),
    end: () => endOf(child),
    residentBytes: () => residentBytes(child),
    openFiles: () => (endOf(child) === undefined ? readdirSync(`/proc/${child.pid}/fd`).length : 0),
    stop: async () => {
      process.off("exit", kill);
      if (endOf(child) === undefined) {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        const timer = setTimeout(kill, STOP_WITHIN_MS);
        await ended;
        clearTimeout(timer);
      }
      return endOf(child) ?? "";
    },
  };
}

const STOP_WITHIN_MS = 20_000;

function count(log: LogTally, line: string): void {
  const parsed = LogLine.safeParse(jsonOf(line));
  const level = parsed.success ? parsed.data.level : "not of the log";
  log.lines.set(level, (log.lines.get(level) ?? 0) + 1);
  if (!parsed.success) return void log.unexpected.push(line);
  const { msg, reason } = parsed.data;
  if (msg === "Configuration reloaded") log.reloads += 1;
  // New secrets are written into the folder all the time.
  if (msg.endsWith("reload it when it is complete")) return void (log.refusedReloads += 1);
  if (msg.startsWith("Cannot reload;") && log.refusedReloads > 0) return;
  if ((level === "error" || level === "fatal") && !PROVOKED.has(reason ?? "")) log.unexpected.push(line);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function residentBytes(child: ChildProcess): number {
  if (endOf(child) !== undefined) return 0;
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
