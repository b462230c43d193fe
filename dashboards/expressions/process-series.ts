import type { Series } from "../promql.ts";

const ofProcess = (name: string): Series<never> => ({ name, labels: [] });

/** The series that Prometheus adds for each scrape, and those that every Node.js exporter exposes about its process. */
export const processSeries = {
  up: ofProcess("up"),
  scrapeDuration: ofProcess("scrape_duration_seconds"),
  scrapeSamples: ofProcess("scrape_samples_scraped"),
  cpu: ofProcess("process_cpu_seconds_total"),
  startTime: ofProcess("process_start_time_seconds"),
  residentMemory: ofProcess("process_resident_memory_bytes"),
  heapUsed: ofProcess("nodejs_heap_size_used_bytes"),
  eventLoopLag: ofProcess("nodejs_eventloop_lag_p99_seconds"),
};
