/** A reading of the exporter's process. */
export interface Reading {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly openFiles: number;
}

/** How a figure was in the first and in the last quarter of what was measured after the warm-up. */
export interface Drift {
  readonly first: number;
  readonly last: number;
}

/** Medians, which a short peak does not move, or another share. Undefined: too little time after the warm-up. */
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

/** In less the quarters tell of the collector's mood. */
const SHORTEST_MS = 600_000;

/** The value below which this share of all values is; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** What went wrong: how often, and the first of it. */
export class Problems {
  count = 0;
  readonly examples: string[] = [];

  add(problems: readonly string[]): void {
    this.count += problems.length;
    this.examples.push(...problems.slice(0, Math.max(0, MOST_EXAMPLES - this.examples.length)));
  }
}

const MOST_EXAMPLES = 10;
