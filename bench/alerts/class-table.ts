import type { Report, Row } from "./report.ts";

/** Classes of keys that a reader can tell apart, by what happens to their credits. */
const GROUPS: readonly (readonly [title: string, classes: RegExp])[] = [
  ["never run out, steady or office hours", /^(steady|diurnal|weekday)-(safe|just-lasts)$/],
  ["never run out, batch jobs", /^bursty-safe$/],
  ["no limit, or a limit of 0", /^(unlimited|limit-zero)$/],
  ["run out, office hours", /^(diurnal|weekday)-exhausts$/],
  ["run out, batch jobs", /^bursty-exhausts$/],
  ["runaways", /^runaway-/],
  ["limits of weeks", /^(monthly-slow|never-drain|stays-exhausted)$/],
  ["changed limits, refunds, tiny limits", /^(limit-raised|limit-lowered|refund|tiny-limit)$/],
  ["failures of the exporter or the gateway", /^env-/],
];

/**
 * Renders what our rules reach on each group of classes, over all fleets, in Markdown. Throws for a class
 * that is in no group.
 */
export function classTable(reports: readonly Report[]): string {
  const rows = reports.flatMap(figuresOfClasses);
  const stray = rows.find(({ name }) => !GROUPS.some(([, classes]) => classes.test(name)));
  if (stray) throw new Error(`Cannot show class "${stray.name}": it is in no group`);
  const groups = GROUPS.map(([title, classes]) => ({
    title,
    group: rows.filter(({ name }) => classes.test(name)),
  }));
  const lines = [
    [
      "Keys",
      "foreseeable exhaustions",
      "warned late",
      "paged late",
      "false critical per 100 key-months",
      "false warnings per 100 key-months",
    ],
    ["---", "--:", "--:", "--:", "--:", "--:"],
    ...groups
      .filter(({ group }) => group.length > 0)
      .map(({ title, group }) => [
        title,
        count(group, "foreseeable"),
        count(group, "warnedLate"),
        count(group, "pagedLate"),
        rate(group, "falseCritical"),
        rate(group, "falseWarnings"),
      ]),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

interface ClassFigures {
  readonly name: string;
  readonly keys: number;
  readonly foreseeable: number;
  readonly warnedLate: number;
  readonly pagedLate: number;
  /** Per 100 key-months. */
  readonly falseCritical: number;
  readonly falseWarnings: number;
}

function figuresOfClasses({ detection, noise }: Report): readonly ClassFigures[] {
  return detection
    .filter((row) => row["class"] !== "TOTAL")
    .map((row) => {
      const name = row["class"] ?? "";
      const noiseRow = noise.find((one) => one["class"] === name);
      if (!noiseRow) throw new Error(`Cannot find class "${name}" in the table of noise`);
      return {
        name,
        keys: figure(row, "keys"),
        foreseeable: figure(row, "F"),
        warnedLate: late(row, ">=1h ours"),
        pagedLate: late(row, "crit15 ours"),
        falseCritical: figure(noiseRow, "fc ours"),
        falseWarnings: figure(noiseRow, "fw ours"),
      };
    });
}

/** The number behind a share that the report rounds. A class without a foreseeable exhaustion has no share. */
function late(row: Row, column: string): number {
  const foreseeable = figure(row, "F");
  return foreseeable === 0 ? 0 : Math.round(foreseeable * (1 - figure(row, column) / 100));
}

function figure(row: Row, column: string): number {
  const value = Number(row[column] ?? NaN);
  if (Number.isNaN(value))
    throw new Error(`Cannot read "${row[column]}" in row "${row["class"]}", column "${column}"`);
  return value;
}

function count(group: readonly ClassFigures[], of: "foreseeable" | "warnedLate" | "pagedLate"): string {
  return String(group.reduce((total, one) => total + one[of], 0));
}

/** The mean over all keys. */
function rate(group: readonly ClassFigures[], of: "falseCritical" | "falseWarnings"): string {
  const keys = group.reduce((total, one) => total + one.keys, 0);
  return (group.reduce((total, one) => total + one[of] * one.keys, 0) / keys).toFixed(1);
}
