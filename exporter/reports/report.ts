import type { AccountKeys } from "../gateway/account.ts";
import type { Usage, UsageQuestion } from "../gateway/port.ts";
import type { Window } from "../time/window.ts";
import type { ReportAmounts } from "./amounts.ts";
import type { ReportPeriod } from "./period.ts";

/** The spend of the account in a period. The lines and the rest add up to the total exactly. */
export interface SpendReport {
  readonly by: ReportDimension;
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
  /** Why the lines may be wrong or incomplete; empty: they are not. */
  readonly problems: readonly string[];
}

export interface ReportLine extends ReportAmounts {
  /** Empty: usage without a value, such as the user of a request that names none. */
  readonly name: string;
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
