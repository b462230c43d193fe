import { decimalSum } from "../metrics/decimal-sum.ts";
import type { Window } from "../time/window.ts";

/** How an amount grew over time: exact at the ends of the buckets, and evenly spread within each of them. */
export interface Curve {
  /** The amount from the beginning of the first bucket until an instant. */
  until(atMs: number): number;
  /** The amount between two instants. */
  between(fromMs: number, toMs: number): number;
}

/** @param amounts one for each bucket; the buckets follow one another without gaps. */
export function createCurve(buckets: readonly Window[], amounts: ArrayLike<number>): Curve {
  const sums = new Float64Array(buckets.length + 1);
  for (let index = 0; index < buckets.length; index++) {
    sums[index + 1] = decimalSum([sums[index] ?? 0, amounts[index] ?? 0]);
  }
  const until = (atMs: number): number => {
    const index = bucketAt(buckets, atMs);
    const bucket = buckets[index];
    if (!bucket) return atMs < (buckets[0]?.startMs ?? Infinity) ? 0 : (sums.at(-1) ?? 0);
    const before = sums[index] ?? 0;
    return before + ((sums[index + 1] ?? 0) - before) * shareOf(bucket, atMs);
  };
  return { until, between: (fromMs, toMs) => rounded(until(toMs) - until(fromMs)) };
}

/** How much of a bucket has passed, 0 to 1. */
export function shareOf({ startMs, endMs }: Window, atMs: number): number {
  return Math.min(1, Math.max(0, (atMs - startMs) / (endMs - startMs)));
}

/** Without binary rounding errors; a billionth of a credit is less than any price. */
export function rounded(credits: number): number {
  return Math.abs(credits) < 1e6 ? Math.round(credits * 1e9) / 1e9 : Math.round(credits * 1e6) / 1e6;
}

/** The index of the bucket that contains an instant; -1 before the first and after the last. */
function bucketAt(buckets: readonly Window[], atMs: number): number {
  let [low, high] = [0, buckets.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const bucket = buckets[middle];
    if (!bucket) return -1;
    if (atMs < bucket.startMs) high = middle - 1;
    else if (atMs >= bucket.endMs) low = middle + 1;
    else return middle;
  }
  return -1;
}
