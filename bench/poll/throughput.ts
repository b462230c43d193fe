import { atLeast, atMost, value, type Benchmark } from "../benchmark.ts";
import { startPolledExporter } from "./polled-exporter.ts";

/** Compares the exporter's poll rate with the limit that its connections set. */
export const throughputBenchmark: Benchmark = {
  name: "poll/throughput",
  title:
    "The whole exporter with 10,000 keys, 256 connections and an upstream latency of 50 ms: 5,120 keys a second would be ideal. " +
    "`share` is relative to connections ÷ latency.",
  quantities: [
    { name: "keys", unit: "1/s" },
    { name: "share", unit: "%" },
    { name: "stall", unit: "ms" },
  ],
  goals: [atLeast("share", value("exporter"), 90, 94)],
  rounds: 5,
  open: () => open(256),
};

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
  goals: [atMost("stall", value("exporter"), 20, 10), atLeast("share", value("exporter"), 95, 97)],
  rounds: 5,
  // With a latency of 50 ms they allow 1,280 keys a second at best.
  open: () => open(64),
};

async function open(connections: number) {
  const exporter = await startPolledExporter(connections);
  return {
    contenders: [{ name: "exporter", round: () => exporter.round() }],
    close: () => exporter.close(),
  };
}
