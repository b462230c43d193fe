import { JOB } from "../../../../dashboards/rules/settings.ts";
import type { Family } from "../../../../exporter/metrics/family.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";

/** One alert that fires at a given minute, or a near miss that never fires. */
export interface AlertCase {
  readonly alert: string;
  readonly title: string;
  /** The label that identifies the case, because all cases run together: `key=name`. */
  readonly subject: string;
  readonly series: readonly InputSeries[];
  /** Undefined if the alert never fires. */
  readonly firesAt: number | undefined;
  /** The alert's labels other than the subject. */
  readonly labels: Readonly<Record<string, string>>;
}

export const CASE_MINUTES = 480;
export const HOUR = 60;

/** Returns a function that creates cases for alerts with a common name prefix and common labels. */
export function casesOf(prefix: string, label: string, labels: Readonly<Record<string, string>>) {
  return (
    alert: string,
    severity: string,
    subject: string,
    title: string,
    series: readonly InputSeries[],
    firesAt?: number,
  ): AlertCase => ({
    alert: `${prefix}${alert}`,
    title,
    subject: `${label}=${subject}`,
    series,
    firesAt,
    labels: { ...labels, severity },
  });
}

/** The samples that a process of the exporter exposes, minute by minute. */
export function exposed<Label extends string>(
  family: Family<Label>,
  labels: Readonly<Record<NoInfer<Label>, string>>,
  value: (minute: number) => Value,
  job = JOB,
): InputSeries {
  const all: Readonly<Record<string, string>> = { job, instance: "a:9853", ...labels };
  return seriesOf(family.name, all, eachMinute(value));
}

export function eachMinute(value: (minute: number) => Value): readonly Value[] {
  return Array.from({ length: CASE_MINUTES }, (_, minute) => value(minute));
}
