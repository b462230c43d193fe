import type { Endpoint } from "./entities.ts";

/** One answered request. The log never contains tokens. */
export type LogLine = {
  /** The gateway's clock when the request arrived. */
  readonly at: number;
  readonly method: string;
  /** Below the root, with its query. */
  readonly path: string;
  readonly endpoint: Endpoint | "unknown";
  /** The key's name; null if the token belongs to no key. */
  readonly key: string | null;
  /** The client's user agent. */
  readonly userAgent: string | null;
  readonly status: number;
  /** The request's body; for a transcription, its first 500 characters. */
  readonly body: string;
  readonly fault: string | null;
};

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The last requests, oldest first, and the total number of requests. */
export function createRequestLog(keepLines = 10_000) {
  let lines: LogLine[] = [];
  let total = 0;
  return {
    add(line: LogLine): void {
      total += 1;
      lines.push(line);
      if (lines.length > 2 * keepLines) lines = lines.slice(-keepLines);
    },
    get lines(): readonly LogLine[] {
      return lines.slice(-keepLines);
    },
    get total(): number {
      return total;
    },
    of: (endpoint: LogLine["endpoint"], key?: string): readonly LogLine[] =>
      lines.filter((line) => line.endpoint === endpoint && (key === undefined || line.key === key)),
    clear(): void {
      lines = [];
      total = 0;
    },
  };
}
