import type { ReportAmounts } from "./amounts.ts";
import { rowKind, type SpendReport } from "./report.ts";

/** Whether the last row is the total. Without it the sum of a column is the total. */
export const CSV_TOTALS = ["none", "row"] as const;
export type CsvTotals = (typeof CSV_TOTALS)[number];

/** The sign before decimals. Where it is a comma, spreadsheets expect semicolons between cells. */
export const CSV_DECIMALS = ["point", "comma"] as const;
export type CsvDecimal = (typeof CSV_DECIMALS)[number];

/**
 * One row for each line (RFC 4180), then the rest; an amount that is not known is empty. It begins with a byte order mark,
 * without which spreadsheets take names for another encoding.
 */
export function csvReport(report: SpendReport, totals: CsvTotals, decimal: CsvDecimal = "point"): string {
  const { by, period, currency, lines, rest, total } = report;
  const all = [...lines, ...(rest ? [rest] : []), total];
  const days = [dateText(period.window.startMs), dateText(period.window.endMs - 1)];
  const decimals = new Map(MONEY.map((name) => [name, Math.max(...all.map((one) => decimalsOf(one[name])))]));
  const money = (amounts: ReportAmounts, name: (typeof MONEY)[number]) =>
    fixed(amounts[name], decimals.get(name));
  const line = (values: readonly Value[]) => csvLine(values, decimal);
  const row = (kind: string, names: readonly string[], amounts: ReportAmounts) =>
    line([
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
    line([
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
export function csvLine(values: readonly Value[], decimal: CsvDecimal = "point"): string {
  return `${values.map((value) => csvValue(value, decimal)).join(SEPARATORS[decimal])}\r\n`;
}

type Value = string | number | Digits | undefined;

const SEPARATORS: Readonly<Record<CsvDecimal, string>> = { point: ",", comma: ";" };

function csvValue(value: Value, decimal: CsvDecimal): string {
  if (typeof value === "number" || typeof value === "object") {
    const digits = typeof value === "number" ? DECIMAL.format(value) : value.digits;
    return decimal === "comma" ? digits.replace(".", ",") : digits;
  }
  const text = (value ?? "").replaceAll(FORMULA, "'$&");
  const isQuoted = text.includes(SEPARATORS[decimal]) || /["\r\n]/.test(text);
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
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
