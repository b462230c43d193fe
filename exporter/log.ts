import { pino } from "pino";

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
 * Writes to the given stream, standard error in the daemon, as all Prometheus exporters do. The field `error`, with
 * the text of an unexpected error, is passed through `conceal`.
 */
export function createLog(
  level: LogLevel,
  format: LogFormat,
  output: { write(line: string): void },
  conceal: (text: string) => string = (text) => text,
): Log {
  const stream = format === "json" ? output : { write: (line: string) => output.write(logfmt(line)) };
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "msg",
      serializers: { error: (error: unknown) => conceal(String(error)) },
    },
    stream,
  );
}

/** `level=info time=... msg="..."`: the other format that Prometheus exporters offer. */
function logfmt(line: string): string {
  const fields: unknown = JSON.parse(line);
  if (typeof fields !== "object" || fields === null) return line;
  return `${Object.entries(fields)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(" ")}\n`;
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
