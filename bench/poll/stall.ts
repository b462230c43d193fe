import type { Benchmark } from "../benchmark.ts";
import { startPolledExporter } from "./polled-exporter.ts";

/** 64 connections to a gateway that takes 50 ms are 1,280 keys a second, if nothing else costs time. */
const CONNECTIONS = 64;

/** Whether a large fleet of keys keeps the exporter from answering, or scrapes keep it from polling. */
export const stallBenchmark: Benchmark = {
  name: "poll/stall",
  title:
    "The whole exporter with 10,000 keys: polled without a pause by 64 connections, upstream latency 50 ms, scraped twice a second (gzip). " +
    "`stall` is the longest time that a timer of its process waited for its turn; `share` is that of connections ÷ latency.",
  quantities: [
    { name: "stall", unit: "ms" },
    { name: "keys", unit: "1/s" },
    { name: "share", unit: "%" },
    { name: "rss", unit: "MB" },
  ],
  goals: [
    { quantity: "stall", measure: { kind: "value", of: "exporter" }, bound: "at most", bar: 20, stretch: 10 },
    {
      quantity: "share",
      measure: { kind: "value", of: "exporter" },
      bound: "at least",
      bar: 95,
      stretch: 97,
    },
  ],
  rounds: 5,
  open: async () => {
    const exporter = await startPolledExporter(CONNECTIONS);
    return {
      contenders: [{ name: "exporter", round: () => exporter.round() }],
      close: () => exporter.close(),
    };
  },
};
