import type { Benchmark } from "./benchmark.ts";
import { cpuBenchmark } from "./poll/cpu.ts";
import { stallBenchmark } from "./poll/stall.ts";
import { throughputBenchmark } from "./poll/throughput.ts";

/** All benchmarks, in the order of running. */
export const benchmarks: readonly Benchmark[] = [stallBenchmark, throughputBenchmark, cpuBenchmark];
