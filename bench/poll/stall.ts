import type { Benchmark } from "../benchmark.ts";
import { startPolledExporter } from "./polled-exporter.ts";

/** 64 connections to a gateway with a latency of 50 ms allow 1,280 keys a second at best. */
const CONNECTIONS = 64;

/** Checks whether polling many keys delays answers to scrapes, and whether scrapes delay polls. */
export const stallBenchmark: Benchmark = {
  name: "poll/stall",
  title:
    "The whole exporter with 10,000 keys: 64 connections poll without a pause, the upstream latency is 50 ms, and two scrapes a second read gzip. " +
    "`stall` is the longest delay of a timer in its process; `share` is relative to connections ÷ latency.",
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
