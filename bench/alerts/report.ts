/** The last of the three tables that the simulator prints for one fleet, with cells as text: the totals. */
export type Report = readonly Row[];

type Row = Readonly<Record<string, string>>;

/** Reads the simulator's output for one fleet. Throws if tables are missing. */
export function readReport(output: string): Report {
  const tables = tablesOf(output);
  const [, , totals] = tables;
  if (!totals) throw new Error(`Cannot read the report: expected 3 tables, found ${tables.length}`);
  return totals;
}

/** The numbers of a row for one rule set: `6.2 / 2.8` has two. Throws if there are none. */
export function figuresOf(report: Report, row: string, name: string): readonly number[] {
  const text = report.find((one) => one[""] === row)?.[name];
  if (text === undefined) throw new Error(`Cannot find row "${row}", column "${name}" in the report`);
  const figures = [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([figure]) => Number(figure));
  if (figures.length === 0) throw new Error(`Cannot read "${text}" in row "${row}", column "${name}"`);
  return figures;
}

function tablesOf(output: string): readonly (readonly Row[])[] {
  return output
    .split(/\n\s*\n/)
    .map((part) => part.split("\n").filter((line) => line.startsWith("|")))
    .filter((lines) => lines.length > 2)
    .map(readTable);
}

function readTable([head = "", , ...rows]: readonly string[]): readonly Row[] {
  const titles = cellsOf(head);
  return rows.map((row) => {
    const cells = cellsOf(row);
    return Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ""]));
  });
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((text) => text.trim());
}
