import type { ReportAmounts } from "./amounts.ts";
import { rowKind, type SpendReport } from "./report.ts";

/** Whether the last row is the total. Without it the sum of a column is the total. */
export const CSV_TOTALS = ["none", "row"] as const;
export type CsvTotals = (typeof CSV_TOTALS)[number];

/**
 * One row for each line (RFC 4180), then the rest; an amount that is not known is empty. It begins with a byte order mark,
 * without which spreadsheets take names for another encoding.
 */
export function csvReport(report: SpendReport, totals: CsvTotals): string {
  const { by, period, currency, lines, rest, total } = report;
  const all = [...lines, ...(rest ? [rest] : []), total];
  const days = [dateText(period.window.startMs), dateText(period.window.endMs - 1)];
  const decimals = new Map(MONEY.map((name) => [name, Math.max(...all.map((one) => decimalsOf(one[name])))]));
  const money = (amounts: ReportAmounts, name: (typeof MONEY)[number]) =>
    fixed(amounts[name], decimals.get(name));
  const row = (kind: string, names: readonly string[], amounts: ReportAmounts) =>
    csvLine([
      ...days,
      kind,
      ...by.map((_, index) => names[index]),
      money(amounts, "credits"),
      money(amounts, "byokCredits"),
      amounts.requests,
      amounts.tokens,
      money(amounts, "cost"),
      currency,
    ]);
  return [
    BYTE_ORDER_MARK,
    csvLine([
      "period_start",
      "period_end",
      "line",
      ...by,
      "credits",
      "byok_credits",
      "requests",
      "tokens",
      "cost",
      "currency",
    ]),
    ...lines.map(({ names, ...amounts }) => row(rowKind(names), names, amounts)),
    ...(rest ? [row(rowKind(undefined), [], rest)] : []),
    ...(totals === "row" ? [row("total", [], total)] : []),
  ].join("");
}

const BYTE_ORDER_MARK = "\uFEFF";

/** All rows have as many decimals as the most exact one. */
const MONEY = ["credits", "byokCredits", "cost"] as const;

function decimalsOf(value = 0): number {
  return DECIMAL.format(value).split(".")[1]?.length ?? 0;
}

/** A number that a cell shows as it is. */
interface Digits {
  readonly digits: string;
}

function fixed(value: number | undefined, decimals = 0): Digits | undefined {
  if (value === undefined) return undefined;
  const [whole = "", part = ""] = DECIMAL.format(value).split(".");
  return { digits: decimals === 0 ? whole : `${whole}.${part.padEnd(decimals, "0")}` };
}

/**
 * One line of comma-separated values. Text that a spreadsheet would read as a formula gets an apostrophe in front, also
 * after a semicolon or a tab, which separate cells in some countries.
 */
export function csvLine(values: readonly (string | number | Digits | undefined)[]): string {
  return `${values.map(csvValue).join(",")}\r\n`;
}

function csvValue(value: string | number | Digits | undefined): string {
  if (typeof value === "object") return value.digits;
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

/** The day of an instant. All formats name the first and the last day of a period. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
