import { type Bar, BARS, meets } from "./bars.ts";
import { figuresOf, readReport, type Report } from "./report.ts";

/** Titles of the rule sets by their names in the report. Sets that a report lacks are left out. */
const TITLES: Readonly<Record<string, string>> = {
  ours: "ours",
  "predict-linear": "`predict_linear`",
  static: "static",
  improved: "an earlier set",
  reference: "the first set",
};

/** The columns by which the worst classes are found: higher is worse. */
const WORST = [
  ["fc ours", "false critical per 100 key-months"],
  ["fw ours", "false warnings per 100 key-months"],
  ["epi ours", "episodes per exhaustion"],
] as const;
const WORST_COUNT = 4;

export interface FleetTable {
  /** Markdown: the table, then the classes of keys in which our rules do worst. */
  readonly text: string;
  /** The bars that our rules miss on at least one fleet. */
  readonly missed: readonly string[];
}

/** Renders the table of docs/alert-benchmark.md from the simulator's outputs, one for each fleet. Each figure is that of the worst fleet, then that of the best. `barred` is whether the bars hold for this kind of fleet. */
export function fleetTable(outputs: readonly string[], barred = true): FleetTable {
  const reports = outputs.map(readReport);
  const names = Object.keys(TITLES).filter((name) => reports.every(({ totals }) => totals[0]?.[name]));
  const row = (title: string, bar: string, cell: (name: string) => string) => [
    title,
    bar,
    ...names.map(cell),
  ];
  const figures = (name: string, bar: Bar) =>
    reports.map((report) => figuresOf(report, bar.row, name)[0] ?? NaN);
  const lines = [
    ["", "bar", ...names.map((name) => TITLES[name] ?? name)],
    ["---", "--:", ...names.map(() => "--:")],
    row("foreseeable exhaustions", "", (name) => sum(reports, "foreseeable exhaustions", name)),
    ...BARS.map((bar) =>
      row(bar.title, barred ? boundOf(bar) : "", (name) => spread(figures(name, bar), bar)),
    ),
    row("lead, median and tenth percentile, h", "", (name) => mean(reports, "lead median / p10, h", name)),
  ];
  const worst = WORST.map(([column, title]) => `- ${title}: ${worstClasses(reports, column).join(", ")}`);
  return {
    text: [
      ...lines.map((cells) => `| ${cells.join(" | ")} |`),
      "",
      "Worst classes of ours:",
      ...worst,
      "",
    ].join("\n"),
    missed: BARS.filter((bar) => barred && figures("ours", bar).some((figure) => !meets(bar, figure))).map(
      (bar) => `${bar.title}: ${spread(figures("ours", bar), bar)}, the bar is ${boundOf(bar)}`,
    ),
  };
}

function boundOf({ bound, value }: Bar): string {
  return bound === "at least" ? `≥ ${value}` : `≤ ${value}`;
}

function sum(reports: readonly Report[], row: string, name: string): string {
  return String(reports.reduce((total, report) => total + (figuresOf(report, row, name)[0] ?? NaN), 0));
}

function mean(reports: readonly Report[], row: string, name: string): string {
  const figures = reports.map((report) => figuresOf(report, row, name));
  return (figures[0] ?? [])
    .map((_, index) => average(figures.map((of) => of[index] ?? NaN)).toFixed(1))
    .join(" / ");
}

/** `98.8 … 100`: the worst fleet, then the best. */
function spread(figures: readonly number[], { bound }: Bar): string {
  const sorted = figures.toSorted((one, other) => (bound === "at least" ? one - other : other - one));
  const [worst, best] = [sorted.at(0), sorted.at(-1)];
  return worst === best ? `${worst}` : `${worst} … ${best}`;
}

function average(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function worstClasses(reports: readonly Report[], column: string): readonly string[] {
  const names = (reports[0]?.classes ?? [])
    .map((row) => row["class"] ?? "")
    .filter((name) => name !== "TOTAL");
  const figure = ({ classes }: Report, name: string) =>
    Number(classes.find((row) => row["class"] === name)?.[column]);
  return names
    .map((name) => ({ name, mean: average(reports.map((report) => figure(report, name))) }))
    .filter(({ mean: value }) => value > 0)
    .toSorted((one, other) => other.mean - one.mean)
    .slice(0, WORST_COUNT)
    .map(({ name, mean: value }) => `${name} ${value.toFixed(1)}`);
}
