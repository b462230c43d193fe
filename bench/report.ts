import type { Goal, Quantity, Readings } from "./benchmark.ts";
import type { Measurement } from "./run.ts";
import { summary, type Summary } from "./statistics.ts";
import { markdownTable } from "./table.ts";
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
