import { redact } from "./secrets/redact.ts";

/** One JSON line per event. error: someone must act; warn: degraded; info: life cycle; debug: each poll. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  /** Calls back at each line that is dropped, because nobody reads the log. */
  onDrop?(run: () => void): void;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const LOG_FORMATS = ["json", "logfmt"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogOutput {
  write(line: string): void;
  /** What waits for the reader of a pipe. */
  readonly writableLength?: number;
}

/**
 * Writes to the given stream, standard error in the daemon, as all Prometheus exporters do. No text contains a secret.
 */
export function createLog(level: LogLevel, format: LogFormat, output: LogOutput): Log {
  const inFormat = format === "json" ? (line: unknown) => `${JSON.stringify(line)}\n` : logfmt;

  const onDrop = new Set<() => void>();
  const at = (own: LogLevel) => (fields: object, message: string) => {
    if (LOG_LEVELS.indexOf(own) < LOG_LEVELS.indexOf(level)) return;
    if ((output.writableLength ?? 0) > MOST_UNREAD) return onDrop.forEach((run) => run());
    const line = { level: own, time: new Date().toISOString(), ...fields, msg: message };
    output.write(inFormat(JSON.parse(JSON.stringify(line, plain), redacted)));
  };
  return {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    onDrop: (run) => void onDrop.add(run),
  };
}

const MOST_UNREAD = 1024 * 1024;

function plain(_name: string, value: unknown): unknown {
  return value instanceof Error ? String(value) : value;
}

function redacted(_name: string, value: unknown): unknown {
  return typeof value === "string" ? redact(value) : value;
}

/** `level=info time=... msg="..."`: the other format that Prometheus exporters offer. */
function logfmt(fields: unknown): string {
  if (typeof fields !== "object" || fields === null) return "";
  return `${Object.entries(fields)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(" ")}\n`;
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
