/** The tables that `alertsim` prints for one fleet, with cells as text. */
interface Report {
  readonly totals: readonly Row[];
  readonly classes: readonly Row[];
}

type Row = Readonly<Record<string, string>>;

const TITLES: Readonly<Record<string, string>> = {
  ours: "ours",
  predict: "`predict_linear`",
  static: "static 80/100 %",
  improved: "improved",
};

/** Rows of the table: the name in alertsim's totals, the name here, and how to combine the fleets. */
const ROWS = [
  ["foreseeable exhaustions", "exhaustions that could be foreseen", "sum"],
  ["warned >= 1 h ahead, %", "of these warned an hour ahead, %", "mean"],
  ["foreseeable, never announced", "never announced", "sum"],
  ["critical >= 15 min ahead, %", "critical a quarter of an hour ahead, %", "mean"],
  ["lead median / p10, h", "lead, median and tenth percentile, h", "mean"],
  ["false critical / 100 key-months", "false critical per 100 key-months", "mean"],
  ["false warning / 100 key-months", "false warnings per 100 key-months", "mean"],
  ["episodes per exhaustion (flaps)", "episodes per exhaustion (repeats)", "mean"],
] as const;

/** The columns of alertsim by which the worst classes are found: higher is worse. */
const WORST = [
  ["fc ours", "false critical per 100 key-months"],
  ["fw ours", "false warnings per 100 key-months"],
  ["epi ours", "episodes per exhaustion"],
] as const;
const WORST_COUNT = 4;

/** Renders the table of docs/alerts.md from alertsim's output for each fleet, then lists the classes in which our rules do worst. */
export function fleetTable(outputs: readonly string[]): string {
  const reports = outputs.map(readReport);
  const names = Object.keys(TITLES).filter((name) => reports.every(({ totals }) => totals[0]?.[name]));
  const lines = [
    ["", ...names.map((name) => TITLES[name] ?? name)],
    ["---", ...names.map(() => "--:")],
    ...ROWS.map(([row, title, how]) => [
      title,
      ...names.map((name) =>
        summary(
          reports.map(({ totals }) => cell(totals, row, name)),
          how,
        ),
      ),
    ]),
  ];
  const worst = WORST.map(([column, title]) => `- ${title}: ${worstClasses(reports, column).join(", ")}`);
  return [
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    "Worst classes of ours:",
    ...worst,
    "",
  ].join("\n");
}

function readReport(output: string): Report {
  const tables = output
    .split(/\n\s*\n/)
    .map((part) => part.split("\n").filter((line) => line.startsWith("|")))
    .filter((lines) => lines.length > 2)
    .map(readTable);
  const [detection, noise, totals] = tables;
  if (!detection || !noise || !totals) {
    throw new Error(`Cannot read the report: expected 3 tables, found ${tables.length}`);
  }
  return { totals, classes: noise };
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

function cell(totals: readonly Row[], row: string, name: string): string {
  const found = totals.find((one) => one[""] === row)?.[name];
  if (found === undefined) throw new Error(`Cannot find row "${row}", column "${name}" in the report`);
  return found;
}

/** Combines each number in the cells over all fleets, and keeps the other text: `6.2 / 2.8`. */
function summary(cells: readonly string[], how: "sum" | "mean"): string {
  const numbers = cells.map((text) => [...text.matchAll(NUMBER)].map(([number]) => Number(number)));
  let index = 0;
  return (cells[0] ?? "").replaceAll(NUMBER, (text) => {
    const values = numbers.map((of) => of[index] ?? Number.NaN);
    index += 1;
    const sum = values.reduce((total, value) => total + value, 0);
    const decimals = text.split(".")[1]?.length ?? 0;
    return (how === "sum" ? sum : sum / values.length).toFixed(decimals);
  });
}

const NUMBER = /\d+(?:\.\d+)?/g;

function worstClasses(reports: readonly Report[], column: string): readonly string[] {
  const names = (reports[0]?.classes ?? [])
    .map((row) => row["class"] ?? "")
    .filter((name) => name !== "TOTAL");
  const means = names.map((name) => {
    const values = reports.map(({ classes }) =>
      Number(classes.find((row) => row["class"] === name)?.[column]),
    );
    return { name, mean: values.reduce((total, value) => total + value, 0) / values.length };
  });
  return means
    .filter(({ mean }) => mean > 0)
    .toSorted((one, other) => other.mean - one.mean)
    .slice(0, WORST_COUNT)
    .map(({ name, mean }) => `${name} ${mean.toFixed(1)}`);
}
