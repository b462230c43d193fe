import type { LogLine } from "../support/log.ts";
import type { FaultCase } from "./fault-case.ts";

/** The observations of one side during a fault. */
export interface Sight {
  /** Undefined: the answer was accepted. */
  readonly reason: string | undefined;
  /** Whether there were values right after the first failure. */
  readonly isKept: boolean;
  /** On the status page. */
  readonly state: string;
  /** The logged messages; a repeated one is logged once. */
  readonly line: LogLine | undefined;
}

/** A row of the matrix: the fault, the counted reason on either side, and the effects that a user sees. */
export type FaultRow = readonly [
  fault: string,
  key: string,
  analytics: string,
  values: string,
  page: string,
  log: string,
];

export const COLUMNS: FaultRow = [
  "Fault",
  "Key collector",
  "Analytics collector",
  "Values",
  "Status page",
  "Log",
];

export function createFaultRow({ title, note }: FaultCase, sights: readonly Sight[]): FaultRow {
  const [key, analytics] = sights;
  return [
    title,
    reasonText(key),
    reasonText(analytics),
    note ?? same(sights.map(({ isKept }) => (isKept ? "kept, then withdrawn" : "withdrawn at once"))),
    same(sights.map(({ state }) => state)),
    same(sights.map(({ line }) => (line ? `${line.level}: ${complaint(line)}` : "nothing"))),
  ];
}

function reasonText(sight: Sight | undefined): string {
  return sight?.reason === undefined ? "taken" : `\`${sight.reason}\``;
}

/** Without the action, which differs between the sides, and without the test's own timeout. */
function complaint({ message }: LogLine): string {
  return message
    .replace(
      /^Cannot (read key "faulty"|query the analytics of "day"): |^Polled analytics query "day", but /,
      "",
    )
    .replace(/\b\d+ ms\b/, "… ms");
}

function same(texts: readonly string[]): string {
  const [key = "", analytics = ""] = texts;
  return key === analytics ? key : `key: ${key}; analytics: ${analytics}`;
}

/** The matrix in Markdown. */
export function faultTable(rows: readonly FaultRow[]): string {
  const [head, ...body] = [COLUMNS, ...rows].map(lineOf);
  return [head, `|${"---|".repeat(COLUMNS.length)}`, ...body].join("\n");
}

function lineOf(row: FaultRow): string {
  return `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
