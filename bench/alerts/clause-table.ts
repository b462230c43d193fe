import { figuresOf, readReport } from "./report.ts";

/** What is shown of each clause: the row of the report, its title, and the digits. */
const COLUMNS = [
  ["warned >= 1 h ahead, %", "warned an hour ahead, %", 2],
  ["foreseeable, never announced", "never announced", 2],
  ["critical >= 15 min ahead, %", "critical in time, %", 2],
  ["false critical / 100 key-months", "false critical", 1],
  ["false warning / 100 key-months", "false warnings", 1],
  ["episodes per exhaustion (flaps)", "episodes per exhaustion", 2],
] as const;

/**
 * Renders, from the reports of `-without each`, the mean figures of the fleets for the complete rules and
 * without each clause.
 */
export function clauseTable(outputs: readonly string[]): string {
  const reports = outputs.map(readReport);
  const names = Object.keys(reports[0]?.totals[0] ?? {}).filter((name) => name !== "");
  const figure = (row: string, name: string) =>
    reports.reduce((total, report) => total + (figuresOf(report, row, name)[0] ?? NaN), 0) / reports.length;
  const lines = [
    ["Without", ...COLUMNS.map(([, title]) => title)],
    ["---", ...COLUMNS.map(() => "--:")],
    ...names.map((name) => [
      name === "complete" ? "nothing" : name,
      ...COLUMNS.map(([row, , digits]) => figure(row, name).toFixed(digits)),
    ]),
  ];
  return `${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}
