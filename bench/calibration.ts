import { median } from "./statistics.ts";

/**
 * How long a fixed piece of arithmetic takes just now, milliseconds. It is done between the rounds, when nothing that
 * is measured runs, so whatever makes it slower would make the rounds slower, too.
 */
export function calibrate(): number {
  return median(Array.from({ length: PIECES }, piece));
}

/** The median of several pieces: a single interruption is no noise. */
const PIECES = 7;
const STEPS = 6_000_000;

function piece(): number {
  const start = performance.now();
  let state = 1;
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  const tookMs = performance.now() - start;
  // Whoever does not look at the result may have it left out.
  return state === 0 ? tookMs + Number.MIN_VALUE : tookMs;
}
