import { type Bar, BARS, meets } from "./bars.ts";
import { figuresOf, type Report } from "./report.ts";

/**
 * Titles of the rule sets by their names in the report. Sets that a report lacks are left out.
 */
const TITLES: Readonly<Record<string, string>> = {
  ours: "ours",
  "predict-linear": "`predict_linear`",
  static: "static",
  improved: "an earlier set",
  reference: "the first set",
};

export interface FleetTable {
  /** Markdown. */
  readonly text: string;
  /** The bars that our rules miss on at least one fleet. */
  readonly missed: readonly string[];
}

/**
 * Renders the table of docs/alert-benchmark.md: the mean of all fleets, the worst one and the best one.
 * `barred` is whether the bars hold for this kind of fleet.
 */
export function fleetTable(reports: readonly Report[], barred = true): FleetTable {
  const names = Object.keys(TITLES).filter((name) => reports.every(([first]) => first?.[name]));
  const row = (title: string, bar: string, cell: (name: string) => string) => [
    title,
    bar,
    ...names.map(cell),
  ];
  const figures = (name: string, bar: Bar) =>
    reports.map((report) => figuresOf(report, bar.row, name)[0] ?? NaN);
  const met = (name: string) => {
    const meeting = reports.filter((report) =>
      BARS.every((bar) => meets(bar, figuresOf(report, bar.row, name)[0] ?? NaN)),
    );
    return `${meeting.length} of ${reports.length}`;
  };
  const lines = [
    ["", "bar", ...names.map((name) => TITLES[name] ?? name)],
    ["---", "--:", ...names.map(() => "--:")],
    row("foreseeable exhaustions", "", (name) => sum(reports, "foreseeable exhaustions", name)),
    ...BARS.map((bar) =>
      row(bar.title, barred ? boundOf(bar) : "", (name) => spread(figures(name, bar), bar)),
    ),
    row("lead, median and tenth percentile, h", "", (name) => mean(reports, "lead median / p10, h", name)),
    ...(barred ? [row("fleets that meet every bar", "all", met)] : []),
  ];
  return {
    text: lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""),
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

/** `99.6 (98.8 … 100)`: the mean of the fleets, the worst one and the best one. */
function spread(figures: readonly number[], { bound }: Bar): string {
  const sorted = figures.toSorted((one, other) => (bound === "at least" ? one - other : other - one));
  const [worst, best] = [sorted.at(0), sorted.at(-1)];
  return worst === best ? `${worst}` : `${Number(average(figures).toFixed(2))} (${worst} … ${best})`;
}

function average(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
