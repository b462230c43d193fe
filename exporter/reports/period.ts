import { type Window, windowAt, windowBefore } from "../time/window.ts";

/** The calendar month or week of a report, UTC. */
export interface ReportPeriod {
  /** `2026-10`, or the first day of a week: `2026-10-05`. */
  readonly name: string;
  readonly kind: "month" | "week";
  readonly window: Window;
}

/** The month of a text such as `2026-10`; undefined if it is not one. */
export function monthOf(text: string): ReportPeriod | undefined {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  return periodAt("month", Date.UTC(Number(year), Number(month) - 1));
}

/** The last full month or week before an instant. */
export function lastPeriod(kind: ReportPeriod["kind"], nowMs: number): ReportPeriod {
  return periodAt(kind, windowBefore(kind, nowMs).startMs);
}

export function periodBefore({ kind, window }: ReportPeriod): ReportPeriod {
  return lastPeriod(kind, window.startMs);
}

function periodAt(kind: ReportPeriod["kind"], atMs: number): ReportPeriod {
  const window = windowAt(kind, atMs);
  const name = new Date(window.startMs).toISOString().slice(0, kind === "month" ? 7 : 10);
  return { name, kind, window };
}
