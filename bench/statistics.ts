/** The median and the range of some rounds. */
export interface Summary {
  readonly median: number;
  readonly smallest: number;
  readonly largest: number;
}

/** @throws RangeError if there are no values. */
export function summary(values: readonly number[]): Summary {
  return { median: median(values), smallest: Math.min(...values), largest: Math.max(...values) };
}

/** @throws RangeError if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (lower === undefined || upper === undefined)
    throw new RangeError("Cannot take the median: there are no values");
  return (lower + upper) / 2;
}

/**
 * The smallest value that at least this share of all values do not exceed (nearest rank).
 * @throws RangeError if there are no values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError("Cannot take a percentile: there are no values");
  return value;
}

/** Ratio of the largest to the smallest value; 1 means no variation. */
export function spread({ smallest, largest }: Summary): number {
  return smallest === largest ? 1 : largest / smallest;
}

/** Shorter stalls cannot be distinguished from the timer's own inaccuracy. */
const TICK_MS = 1;

/** Measures how long the event loop of this process is blocked. */
export function watchStalls() {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(look, TICK_MS).unref();
  return {
    /** The longest delay of a timer since the last call, in milliseconds. */
    longestMs: () => {
      look();
      const result = longest;
      longest = 0;
      return result;
    },
  };
}
