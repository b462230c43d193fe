import { REPORT_AMOUNTS, type ReportAmounts } from "./amounts.ts";
import { dateText } from "./csv.ts";
import { rowKind, type SpendReport } from "./report.ts";

/** The report for a script; an amount that is not known is null. */
export function jsonReport(report: SpendReport): string {
  const { by, period, untilMs, currency, lines, rest, total, problems } = report;
  const content = {
    period: {
      name: period.name,
      start: dateText(period.window.startMs),
      end: dateText(period.window.endMs - 1),
      counted_until: new Date(untilMs).toISOString(),
      closed: untilMs === period.window.endMs,
    },
    by,
    currency: currency ?? null,
    lines: lines.map(({ names, ...amounts }) => ({
      line: rowKind(names),
      ...Object.fromEntries(by.map((dimension, index) => [dimension, names[index]])),
      ...amountsOf(amounts),
    })),
    rest: rest ? amountsOf(rest) : null,
    total: amountsOf(total),
    problems,
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function amountsOf(amounts: ReportAmounts): Readonly<Record<string, number | null>> {
  const fields = [...REPORT_AMOUNTS, "cost" as const].map((name) => [
    name === "byokCredits" ? "byok_credits" : name,
    amounts[name] ?? null,
  ]);
  return Object.fromEntries(fields);
}
