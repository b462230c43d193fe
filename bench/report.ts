import type { Goal, Quantity, Readings } from "./benchmark.ts";
import type { Measurement } from "./run.ts";
import { type Summary, summary } from "./statistics.ts";
import { judge, noiseOf } from "./verdict.ts";

/** Formats one benchmark as Markdown: the figures of each contender, and whether the goals were met. */
export function report(measurement: Measurement): string {
  const { benchmark, rounds, skipped } = measurement;
  const noise = noiseOf(measurement);
  const paragraphs = [
    `## ${benchmark.name}`,
    benchmark.title,
    markdownTable(
      ["", ...benchmark.quantities.map(({ name, unit }) => (unit === "" ? name : `${name}, ${unit}`))],
      [...rounds].map(([contender, readings]) => [
        contender,
        ...benchmark.quantities.map((quantity) => cell(quantity, readings)),
      ]),
    ),
    ...skipped.map((contender) => `Skipped ${contender.name}: ${contender.skipped}.`),
    ...(noise === undefined ? [] : [`Too noisy to judge: ${noise}.`]),
    markdownTable(
      ["goal", "measured", "bar", "stretch", "verdict"],
      judge(measurement).map(({ goal, measured, verdict }) => [
        goalText(goal),
        measured ? summaryText(measured) : "",
        limitText(goal, goal.bar),
        limitText(goal, goal.stretch),
        verdict,
      ]),
    ),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function cell({ name }: Quantity, rounds: readonly Readings[]): string {
  const values = rounds.flatMap((readings) => readings[name] ?? []);
  return values.length === 0 ? "" : summaryText(summary(values));
}

function goalText({ quantity, measure }: Goal): string {
  switch (measure.kind) {
    case "value":
      return `${quantity} of ${measure.of}`;
    case "ratio":
      return `${quantity}: ${measure.of} ÷ ${measure.to}`;
    case "difference":
      return `${quantity}: ${measure.of} − ${measure.to}`;
  }
}

function limitText({ bound }: Goal, limit: number): string {
  return `${bound === "at most" ? "≤" : "≥"} ${number(limit)}`;
}

/** Median, followed by the smallest and the largest round. */
function summaryText({ median, smallest, largest }: Summary): string {
  return `${number(median)} (${number(smallest)}–${number(largest)})`;
}

/** Three significant digits, which is all the precision that a benchmark has. */
function number(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || size >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/**
 * Formats a Markdown table that is also readable in a terminal: the first column is left-aligned, the others
 * right-aligned.
 */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column] ?? "")].map((text) => text.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => padded(cells[column] ?? "", width, column)).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

function padded(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
