import type { ReportPeriod } from "../../reports/period.ts";
import { REPORT_DIMENSIONS, type ReportDimension } from "../../reports/report.ts";
import { oneOf, UsageError } from "./usage-error.ts";

/** The flags of the command `report`, which shares `format` with `rules`; empty where they are not given. */
export const REPORT_FLAGS = {
  month: { type: "string", default: "" },
  last: { type: "string", default: "" },
  by: { type: "string", default: "" },
} as const;

export type ReportFlags = Readonly<Record<keyof typeof REPORT_FLAGS | "format", string>>;

export const REPORT_FORMATS = ["markdown", "svg", "csv", "json", "focus"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What is reported, and how it is printed. */
export interface ReportRequest {
  /** `2026-10`; undefined: the last full month, or what `last` names. */
  readonly month: string | undefined;
  readonly last: ReportPeriod["kind"] | undefined;
  readonly by: ReportDimension;
  readonly format: ReportFormat;
}

/** @throws UsageError */
export function reportRequest({ month, last, by, format }: ReportFlags): ReportRequest {
  if (month !== "" && last !== "") throw new UsageError("--month and --last cannot be combined: give one");
  return {
    month: month === "" ? undefined : month,
    last: last === "" ? undefined : oneOf("last", ["month", "week"] as const, last),
    by: oneOf("by", REPORT_DIMENSIONS, by === "" ? "team" : by),
    format: oneOf("format", REPORT_FORMATS, format === "" ? "markdown" : format),
  };
}
