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
  /** Returns undefined after a reload, and the exporter's answer to one that it refused. */
  reload(): Promise<string | undefined>;
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
  /** Lines that neither a fault of the gateway nor a refused reload explains. */
  readonly unexpected: string[];
}

/** Reasons that are logged as errors by design and that the soak's gateway provokes. */
const PROVOKED = new Set(["unauthorized", "forbidden", "bad_request", "secret_unreadable"]);

/** What the exporter logs for a reload that finds the folder of keys changing. */
const OF_RELOADS = [
  /reload it when it is complete$/,
  /^Cannot reload;/,
  /: failed reload$/,
  /: problem of the configuration$/,
];

const LogLine = z.object({ level: z.string(), msg: z.string(), reason: z.string().optional() });

export async function startSoakedExporter(main: string, configFile: string): Promise<SoakedExporter> {
  const parameters = [
    main,
    `--config.file=${configFile}`,
    "--web.listen-address=127.0.0.1:0",
    "--web.enable-lifecycle",
  ];
  const child = spawn(process.execPath, parameters, {
    env: {},
    // Ctrl-C is for the soak, which then ends this process in order.
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const log: LogTally = { lines: new Map(), unexpected: [] };
  let url: string | undefined;
  createInterface({ input: child.stderr }).on("line", (line) => {
    url ??= /"url":"(http:[^"]+)"/.exec(line)?.[1];
    count(log, line);
  });
  const started = await until(
    "the exporter to listen",
    () => ({ url, end: endOf(child), said: log.unexpected }),
    (seen) => seen.url !== undefined || seen.end !== undefined,
  );
  if (started.url === undefined) throw new Error(`Cannot start the exporter: ${log.unexpected.join("\n")}`);
  const { url: base } = started;
  return {
    url: base,
    log,
    reload: async () => {
      const answer = await fetch(`${base}/-/reload`, {
        method: "POST",
        signal: AbortSignal.timeout(RELOAD_WITHIN_MS),
      });
      const text = await answer.text();
      return answer.ok ? undefined : text;
    },
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
const RELOAD_WITHIN_MS = 30_000;

function count(log: LogTally, line: string): void {
  const parsed = LogLine.safeParse(jsonOf(line));
  const level = parsed.success ? parsed.data.level : "not of the log";
  log.lines.set(level, (log.lines.get(level) ?? 0) + 1);
  if (!parsed.success) return void log.unexpected.push(line);
  const { msg, reason } = parsed.data;
  // The soak reads the answers to its reloads instead.
  if (OF_RELOADS.some((pattern) => pattern.test(msg))) return;
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
