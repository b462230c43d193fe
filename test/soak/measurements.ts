/** A measurement of the exporter's process. */
export interface Reading {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly openFiles: number;
}

/** A figure in the first and the last quarter of the measurements after the warm-up. */
export interface Drift {
  readonly first: number;
  readonly last: number;
}

/** Medians, which a short peak does not change, or another quantile. Undefined: too little time after the warm-up. */
export function driftOf(
  readings: readonly Reading[],
  warmUntilMs: number,
  figure: (reading: Reading) => number,
  share = 0.5,
): Drift | undefined {
  const endMs = readings.at(-1)?.atMs ?? 0;
  if (endMs - warmUntilMs < SHORTEST_MS) return undefined;
  const warm = readings.filter(({ atMs }) => atMs >= warmUntilMs).map(figure);
  const quarter = Math.floor(warm.length / 4);
  return { first: quantile(warm.slice(0, quarter), share), last: quantile(warm.slice(-quarter), share) };
}

/** With fewer, the quarters depend on the timing of garbage collections. */
const SHORTEST_MS = 600_000;

/** The value below which this share of all values lies; NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** A problem: how often it occurred, and its first occurrence. */
export class Problems {
  count = 0;
  readonly examples: string[] = [];

  add(problems: readonly string[]): void {
    this.count += problems.length;
    this.examples.push(...problems.slice(0, Math.max(0, MOST_EXAMPLES - this.examples.length)));
  }
}

const MOST_EXAMPLES = 10;
