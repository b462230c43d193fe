import type { Family } from "../../../../exporter/metrics/family.ts";
import { type InputSeries, seriesOf, type Value } from "../input-series.ts";

/** One alert that fires at a stated minute, or a near miss that never does. */
export interface AlertCase {
  readonly alert: string;
  readonly title: string;
  /** The label that tells the case from the others, which are scraped together: `key=name`. */
  readonly subject: string;
  readonly series: readonly InputSeries[];
  /** Undefined: never. */
  readonly firesAt: number | undefined;
  /** The labels beside the subject. */
  readonly labels: Readonly<Record<string, string>>;
}

export const CASE_MINUTES = 480;
export const HOUR = 60;
export const JOB = "aigateway-exporter";

/** Makes cases of alerts whose names and labels have a part in common. */
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

/** What a process of the exporter exposes, minute by minute. */
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
