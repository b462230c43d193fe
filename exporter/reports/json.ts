import { REPORT_AMOUNTS, type ReportAmounts } from "./amounts.ts";
import type { SpendReport } from "./report.ts";

/** The report for a script; an amount that is not known is null. */
export function jsonReport(report: SpendReport): string {
  const { by, period, untilMs, currency, lines, rest, total, problems } = report;
  const content = {
    period: {
      name: period.name,
      start: new Date(period.window.startMs).toISOString(),
      end: new Date(period.window.endMs).toISOString(),
      counted_until: new Date(untilMs).toISOString(),
      closed: untilMs === period.window.endMs,
    },
    by,
    currency: currency ?? null,
    lines: lines.map(({ name, ...amounts }) => ({ name, ...amountsOf(amounts) })),
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
