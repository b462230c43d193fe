import type { Series } from "../promql.ts";

const ofProcess = (name: string): Series<never> => ({ name, labels: [] });

/** What Prometheus says of each scrape, and what every exporter that is written in Node.js says of its process. */
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
