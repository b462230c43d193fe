/** Multiplies the number of inputs: `FUZZ_TIMES=20 npm run fuzz`. */
const TIMES = Number(process.env["FUZZ_TIMES"] ?? 1);
const SEED = process.env["FUZZ_SEED"];

/**
 * The inputs are the same at each run, but random with `FUZZ_TIMES`. `FUZZ_SEED` selects them. A failure prints the
 * seed.
 */
export function runs(count: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = SEED === undefined ? (TIMES === 1 ? 20261121 : undefined) : Number(SEED);
  return { numRuns: count * TIMES, ...(seed !== undefined && { seed }) };
}

/** The timeout of a test. */
export const TIMEOUT_MS = 180_000 * TIMES;
