import type { Benchmark } from "./benchmark.ts";

/** All benchmarks, in the order of running. */
export const benchmarks: readonly Benchmark[] = [];
