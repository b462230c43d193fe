import type { Endpoint } from "./context.ts";

/** One request, after it was answered. Tokens never come here. */
export type LogLine = {
  /** The gateway's clock when the request came in. */
  readonly at: number;
  readonly endpoint: Endpoint | "unknown";
  /** The key's name, null when the token belongs to none. */
  readonly key: string | null;
  /** What the client says that it is. */
  readonly userAgent: string | null;
  readonly status: number;
  /** The request's body; of a transcription the first 500 characters. */
  readonly body: string;
  readonly fault: string | null;
};

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The last requests, oldest first, and how many there were in all. */
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
