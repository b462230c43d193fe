/** A figure of the simulator's report, and the value that the rules must reach on every judged fleet. */
export interface Bar {
  /** The row in the totals of the report. */
  readonly row: string;
  /** The row in the table of docs/alert-benchmark.md. */
  readonly title: string;
  readonly bound: "at least" | "at most";
  readonly value: number;
}

/** The bars for the shipped rules. The worst judged fleet decides. */
export const BARS: readonly Bar[] = [
  { row: "warned >= 1 h ahead, %", title: "warned an hour ahead, %", bound: "at least", value: 99.5 },
  { row: "foreseeable, never announced", title: "never announced", bound: "at most", value: 0 },
  {
    row: "critical >= 15 min ahead, %",
    title: "critical a quarter of an hour ahead, %",
    bound: "at least",
    value: 99,
  },
  {
    row: "false critical / 100 key-months",
    title: "false critical per 100 key-months",
    bound: "at most",
    value: 2,
  },
  {
    row: "false warning / 100 key-months",
    title: "false warnings per 100 key-months",
    bound: "at most",
    value: 60,
  },
  {
    row: "episodes per exhaustion (flaps)",
    title: "episodes per exhaustion",
    bound: "at most",
    value: 2.3,
  },
];

/** Whether a figure meets its bar. */
export function meets({ bound, value }: Bar, figure: number): boolean {
  return bound === "at least" ? figure >= value : figure <= value;
}
