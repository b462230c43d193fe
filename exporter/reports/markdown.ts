import { type ReportAmounts, sumOf } from "./amounts.ts";
import { dateText } from "./csv.ts";
import type { ReportLine, SpendReport } from "./report.ts";

/**
 * The report for people: the most expensive lines, the others together, what belongs to no line, and the
 * total, each with its share and its change. `before` is the report of the previous period, if it could be
 * made and is complete.
 */
export function markdownReport(report: SpendReport, before: SpendReport | undefined): string {
  const { by, period, currency, lines, rest, total, problems } = report;
  const whats = by.map((one) => one.replace("_", " "));
  const [shown, others] = [lines.slice(0, MOST_LINES), lines.slice(MOST_LINES)];
  const former = new Map(before?.lines.map((line) => [id(line), line.credits]));
  const isNew = (line: ReportLine) => before !== undefined && !former.has(id(line));
  // Without own keys at providers the column would be of zeros.
  const hasByok = total.byokCredits !== 0;
  const row = ([name = "", ...names]: readonly string[], amounts: ReportAmounts, change: string) =>
    tableRow([
      name,
      ...whats.slice(1).map((_, index) => names[index] ?? ""),
      amount(amounts.credits, 2),
      share(amounts.credits, total.credits),
      ...(currency === undefined ? [] : [amount(amounts.cost, 2)]),
      ...(hasByok ? [amount(amounts.byokCredits, 2)] : []),
      amount(amounts.requests, 0),
      amount(amounts.tokens, 0),
      ...(before ? [change] : []),
    ]);
  const heads = [
    "Credits",
    "Share",
    ...(currency === undefined ? [] : [currency]),
    ...(hasByok ? ["BYOK"] : []),
    "Requests",
    "Tokens",
    ...(before ? ["Change"] : []),
  ];
  return [
    `# Spend by ${whats.join(" and ")}, ${titleOf(report)}\n\n`,
    `${spanText(report)}\n\n`,
    tableRow([...whats.map((what) => what.charAt(0).toUpperCase() + what.slice(1)), ...heads]),
    tableRow([...whats.map(() => "---"), ...heads.map(() => "--:")]),
    ...shown.map((line) =>
      row(
        line.names.map((name, index) => (name === "" ? `(no ${whats[index]})` : escaped(name))),
        line,
        isNew(line) ? "new" : changeText(line.credits, former.get(id(line))),
      ),
    ),
    ...(others.length > 0 ? [row([`${others.length} others`], sumOf(others), "")] : []),
    ...(rest ? [row(["(not assigned)"], rest, changeText(rest.credits, before?.rest?.credits))] : []),
    row(["**total**"], total, changeText(total.credits, before?.total.credits)),
    ...(hasByok && total.byokCredits !== undefined
      ? ["\nBYOK: paid to providers with own keys, not with credits.\n"]
      : []),
    ...(before ? [`\nChange in credits compared with ${titleOf(before)}.\n`] : []),
    ...problems.map((problem) => `\n> **Incomplete:** ${escaped(problem)}.\n`),
    ...(period.window.endMs > report.untilMs ? ["\n> **Not closed:** the period has not ended.\n"] : []),
  ].join("");
}

const MOST_LINES = 10;

function id({ names }: ReportLine): string {
  return JSON.stringify(names);
}

function titleOf({ period }: SpendReport): string {
  return period.kind === "month" ? period.name : `week of ${period.name}`;
}

function spanText({ period: { window }, untilMs }: SpendReport): string {
  const last = dateText(window.endMs - 1);
  const until =
    untilMs < window.endMs ? `, counted until ${new Date(untilMs).toISOString().slice(0, 16)}Z` : "";
  return `${dateText(window.startMs)} to ${last} (UTC)${until}.`;
}

function amount(value: number | undefined, digits: number): string {
  if (value === undefined) return "not known";
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function share(value: number | undefined, total: number | undefined): string {
  return value === undefined || total === undefined || total <= 0
    ? ""
    : `${((100 * value) / total).toFixed(1)} %`;
}

function changeText(now: number | undefined, before: number | undefined): string {
  if (now === undefined || before === undefined || before <= 0) return "";
  const percent = (100 * (now - before)) / before;
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %`;
}

/** Escapes a name from the gateway, so that it neither ends a cell nor becomes markup. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\\`*_{}[\]<>#|~]/g, (sign) => `\\${sign}`);
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}
