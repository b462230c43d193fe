import type { Benchmark } from "../benchmark.ts";
import { startPolledExporter } from "./polled-exporter.ts";

const CONNECTIONS = 256;

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
  goals: [
    {
      quantity: "share",
      measure: { kind: "value", of: "exporter" },
      bound: "at least",
      bar: 90,
      stretch: 94,
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
