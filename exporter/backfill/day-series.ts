import type { Family, Sample } from "../metrics/family.ts";

/** The series of one day: one value for each sample time, NaN for none. */
export interface DaySeries {
  readonly family: Family;
  /** Label names and values as the exposition prints them. */
  readonly labels: string;
  readonly values: Float64Array;
}

/** Collects the samples of a day, which come time by time, as series. */
export function createDaySeries(times: number) {
  const families = new Map<Family, Map<string, DaySeries>>();
  return {
    add: (index: number, samples: readonly Sample[]): void => {
      for (const { family, labels, value } of samples) {
        let ofFamily = families.get(family);
        if (!ofFamily) families.set(family, (ofFamily = new Map()));
        let series = ofFamily.get(labels);
        if (!series) {
          series = { family, labels, values: new Float64Array(times).fill(Number.NaN) };
          ofFamily.set(labels, series);
        }
        series.values[index] = value;
      }
    },
    /** Family by family. */
    *all(): Generator<DaySeries> {
      for (const series of families.values()) yield* series.values();
    },
  };
}
