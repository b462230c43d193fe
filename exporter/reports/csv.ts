import type { ReportAmounts } from "./amounts.ts";
import type { SpendReport } from "./report.ts";

/** One row for each line (RFC 4180), then the rest and the total; an amount that is not known is empty. */
export function csvReport(report: SpendReport): string {
  const { by, period, currency, lines, rest, total } = report;
  const start = dateText(period.window.startMs);
  const end = dateText(period.window.endMs);
  const row = (kind: string, name: string, amounts: ReportAmounts) =>
    csvLine([start, end, kind, name, ...cells(amounts), amounts.cost, currency]);
  return [
    csvLine([
      "period_start",
      "period_end",
      "line",
      by,
      "credits",
      "byok_credits",
      "requests",
      "tokens",
      "cost",
      "currency",
    ]),
    ...lines.map(({ name, ...amounts }) => row("spend", name, amounts)),
    ...(rest ? [row("rest", "", rest)] : []),
    row("total", "", total),
  ].join("");
}

/**
 * One line of comma-separated values. Text that a spreadsheet would read as a formula gets an apostrophe in front, also
 * after a semicolon or a tab, which separate cells in some countries.
 */
export function csvLine(values: readonly (string | number | undefined)[]): string {
  return `${values.map(csvValue).join(",")}\r\n`;
}

function csvValue(value: string | number | undefined): string {
  if (typeof value === "number") return DECIMAL.format(value);
  const text = (value ?? "").replaceAll(FORMULA, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** With the signs of full width, which some spreadsheets read like the usual ones, and spaces, which some remove. */
const FORMULA = /(?<=^|[;\t\r\n])[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r]/gu;

/** All digits, without an exponent, which spreadsheets round. */
const DECIMAL = new Intl.NumberFormat("en-US", {
  useGrouping: false,
  maximumFractionDigits: 100,
  signDisplay: "negative",
});

/** The first day of a period, or the day after its last one. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function cells({ credits, byokCredits, requests, tokens }: ReportAmounts) {
  return [credits, byokCredits, requests, tokens] as const;
}
