import type { Log } from "../../exporter/log.ts";

/** A log that discards everything. */
export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };

export interface LogLine {
  readonly level: "error" | "warn" | "info" | "debug";
  readonly message: string;
  readonly fields: object;
}

/** A log that keeps its lines for a test to read. */
export function createRecordingLog(): { readonly log: Log; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine["level"]) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  return { log: { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") }, lines };
}
