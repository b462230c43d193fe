const CASES = Number(process.env["FUZZ_CASES"] ?? 1000);
const SEED = process.env["FUZZ_SEED"];

/**
 * A property's share of about a thousand inputs: `FUZZ_CASES=20000 npm run fuzz` draws twenty times as many. The inputs
 * are the same at each run, but random with `FUZZ_CASES`. A failure prints the seed; `FUZZ_SEED` repeats it.
 */
export function runs(share: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = SEED === undefined ? (process.env["FUZZ_CASES"] ? undefined : 20261121) : Number(SEED);
  return { numRuns: Math.ceil((share * CASES) / 1000), ...(seed !== undefined && { seed }) };
}

/** The timeout of a test. */
export const TIMEOUT_MS = 180_000 * Math.ceil(CASES / 1000);
