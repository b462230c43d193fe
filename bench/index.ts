import type { Benchmark } from "./benchmark.ts";
import { memoryBenchmark } from "./exposition/memory.ts";
import { prometheusBenchmark } from "./exposition/prometheus.ts";
import { renderBenchmark } from "./exposition/render.ts";
import { scrapeBenchmark } from "./exposition/scrape.ts";
import { analyticsBenchmark } from "./poll/analytics.ts";
import { cpuBenchmark } from "./poll/cpu.ts";
import { stallBenchmark, throughputBenchmark } from "./poll/throughput.ts";
import { dayBenchmark } from "./process/day.ts";
import { pageBenchmark } from "./process/page.ts";
import { startBenchmark } from "./process/start.ts";
import { serverBenchmark } from "./rules/servers.ts";

/** All benchmarks, in the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  scrapeBenchmark,
  renderBenchmark,
  memoryBenchmark,
  prometheusBenchmark,
  stallBenchmark,
  throughputBenchmark,
  cpuBenchmark,
  analyticsBenchmark,
  startBenchmark,
  pageBenchmark,
  dayBenchmark,
  serverBenchmark,
];
