import { median } from "./statistics.ts";

/**
 * Measures how long a fixed computation takes at the moment, in milliseconds. It runs between the rounds,
 * while no contender works, so whatever slows it down also slows down the rounds.
 */
export function calibrate(): number {
  return median(Array.from({ length: PIECES }, piece));
}

/** The median of several runs, so that a single interruption does not count as noise. */
const PIECES = 7;
const STEPS = 6_000_000;

function piece(): number {
  const start = performance.now();
  let state = 1;
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  const tookMs = performance.now() - start;
  // Use the result, so that the compiler cannot remove the computation.
  return state === 0 ? tookMs + Number.MIN_VALUE : tookMs;
}
