import type { AccountKeys } from "../gateway/account.ts";
import type { Usage, UsageQuestion } from "../gateway/port.ts";
import { type Window, windowAt, windowBefore } from "../time/window.ts";
import type { ReportAmounts } from "./amounts.ts";

/** The spend of the account in a period. The lines and the rest add up to the total exactly. */
export interface SpendReport {
  /** One or two. */
  readonly by: readonly ReportDimension[];
  readonly period: ReportPeriod;
  /** The end of the counted time, epoch milliseconds: the end of the period, or now if that is earlier. */
  readonly untilMs: number;
  /** Undefined: `credit_value` is not configured, so there are no costs. */
  readonly currency: string | undefined;
  /** The most expensive first. */
  readonly lines: readonly ReportLine[];
  /** What belongs to no line; undefined: nothing. */
  readonly rest: ReportAmounts | undefined;
  readonly total: ReportAmounts;
  /** The same for each part of the period in which a credit had one price. */
  readonly parts: readonly (PricedWindow & Pick<SpendReport, "lines" | "rest">)[];
  /** Why the lines may be wrong or incomplete; empty: they are not. */
  readonly problems: readonly string[];
}

export interface ReportLine extends ReportAmounts {
  /** One for each dimension. Empty: usage without a value, such as the user of a request that names none. */
  readonly names: readonly string[];
}

/** What a row is: a line with all its names, a line without one, or what belongs to no line. */
export function rowKind(names: readonly string[] | undefined): "named" | "unnamed" | "rest" {
  if (!names) return "rest";
  return names.includes("") ? "unnamed" : "named";
}

/** The questions of a report. Both need the management key. */
export interface ReportGateway {
  /**
   * @param name what the question is about, for messages.
   * @throws GatewayError
   */
  usage(question: UsageQuestion, name: string): Promise<Usage>;
  /** @throws GatewayError */
  accountKeys(workspace: string | undefined): Promise<AccountKeys>;
}

/** The parts of a period in which a credit has one price. */
export interface PricedWindow {
  readonly window: Window;
  readonly price: number | undefined;
}

/** The spend in one part of the period. */
export interface PartialSpend {
  readonly lines: readonly ReportLine[];
  readonly total: ReportAmounts;
  /** Whether the gateway knows of no usage at all. */
  readonly isUnused: boolean;
  /** When the service computed the answers, if it reports that: the earliest time. */
  readonly computedAtMs: number | undefined;
  readonly problems: readonly string[];
}

/** How a report can be divided: by a label of the owner, or by a dimension of the gateway. */
export const REPORT_DIMENSIONS = [
  "team",
  "project",
  "cost_center",
  "key",
  "model",
  "app",
  "user",
  "provider",
] as const;
export type ReportDimension = (typeof REPORT_DIMENSIONS)[number];

/** The calendar month or week of a report, UTC. */
export interface ReportPeriod {
  /** `2026-10`, or the first day of a week: `2026-10-05`. */
  readonly name: string;
  readonly kind: "month" | "week";
  readonly window: Window;
}

/** The month of a text such as `2026-10`; undefined if it is not one. */
export function monthOf(text: string): ReportPeriod | undefined {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  return periodAt("month", Date.UTC(Number(year), Number(month) - 1));
}

/** The last full month or week before an instant. */
export function lastPeriod(kind: ReportPeriod["kind"], nowMs: number): ReportPeriod {
  return periodAt(kind, windowBefore(kind, nowMs).startMs);
}

export function periodBefore({ kind, window }: ReportPeriod): ReportPeriod {
  return lastPeriod(kind, window.startMs);
}

function periodAt(kind: ReportPeriod["kind"], atMs: number): ReportPeriod {
  const window = windowAt(kind, atMs);
  const name = new Date(window.startMs).toISOString().slice(0, kind === "month" ? 7 : 10);
  return { name, kind, window };
}
