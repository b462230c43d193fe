import { withoutSecrets } from "./config/secret.ts";
import type { Clock } from "./time/clock.ts";

/** One JSON line per event. error: someone must act; warn: degraded; info: life cycle; debug: each poll. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  /** A child log that adds the fields to every line. */
  child(fields: object): Log;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const LOG_FORMATS = ["json", "logfmt"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * Writes to the given stream, standard error in the daemon, as all Prometheus exporters do. No text contains a secret.
 * `bound` is part of every line.
 */
export function createLog(
  level: LogLevel,
  format: LogFormat,
  output: { write(line: string): void },
  bound: object = {},
): Log {
  const inFormat = format === "json" ? (line: unknown) => `${JSON.stringify(line)}\n` : logfmt;
  const at = (own: LogLevel) => (fields: object, message: string) => {
    if (LOG_LEVELS.indexOf(own) < LOG_LEVELS.indexOf(level)) return;
    const line = { level: own, time: new Date().toISOString(), ...bound, ...fields, msg: message };
    output.write(inFormat(JSON.parse(JSON.stringify(line, plain), concealed)));
  };
  return {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    child: (fields) => createLog(level, format, output, { ...bound, ...fields }),
  };
}

function plain(_name: string, value: unknown): unknown {
  return value instanceof Error ? String(value) : value;
}

/** Bounds the lines that a client, the gateway or the machine can cause. No line is lost without being counted. */
export interface LineLimiter {
  /**
   * Writes the line at once, or counts it if its kind has used up its lines of the minute. The number of counted lines
   * follows as one line at the end of the minute. `kind` is a fixed text such as `refused login`.
   */
  write(level: LogLevel, kind: string, fields: object, message: string): void;
  /** Writes the numbers of counted lines now. Timers keep the process alive, so call it at the end. */
  flush(): void;
}

export function createLineLimiter(
  log: Log,
  clock: Pick<Clock, "after">,
  linesPerMinute = LINES_PER_MINUTE,
): LineLimiter {
  const minutes = new Map<string, { written: number; level: LogLevel; more: number; cancel: () => void }>();

  function end(kind: string): void {
    const minute = minutes.get(kind);
    minutes.delete(kind);
    minute?.cancel();
    if (!minute || minute.more === 0) return;
    const { level, more } = minute;
    log[level]({ kind, more }, `${more} more ${more === 1 ? "line" : "lines"} of this kind: ${kind}`);
  }

  return {
    write: (level, kind, fields, message) => {
      const minute = minutes.get(kind) ?? {
        written: 0,
        level,
        more: 0,
        cancel: clock.after(MINUTE_MS, () => end(kind)),
      };
      minutes.set(kind, minute);
      if (minute.written < linesPerMinute) {
        minute.written++;
        log[level](fields, message);
        return;
      }
      const isHigher = LOG_LEVELS.indexOf(level) > LOG_LEVELS.indexOf(minute.level);
      if (minute.more === 0 || isHigher) minute.level = level;
      minute.more++;
    },
    flush: () => {
      for (const kind of minutes.keys()) end(kind);
    },
  };
}

const LINES_PER_MINUTE = 5;
const MINUTE_MS = 60_000;

function concealed(_name: string, value: unknown): unknown {
  return typeof value === "string" ? withoutSecrets(value) : value;
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
