import { z } from "zod";
import { atMost, value, type Benchmark } from "../benchmark.ts";
import { startChild } from "../child.ts";
import { startUpstream } from "./polled-exporter.ts";

/** The largest requested limit (contract 2.1: `limit`). */
const ROWS = 1000;

const Asked = z.object({ stall: z.number() });

/** Checks whether large answers block the exporter's event loop. */
export const analyticsBenchmark: Benchmark = {
  name: "poll/analytics",
  title:
    "All four analytics queries at once, each answered with 1,000 rows of model and app, all of which are kept: parsed, checked, stored and rendered. " +
    "`stall` is the longest delay of a timer.",
  quantities: [{ name: "stall", unit: "ms" }],
  goals: [atMost("stall", value("exporter"), 10, 5)],
  rounds: 7,
  open: async () => {
    const upstream = await startUpstream(5, ROWS);
    const child = await startChild(new URL("analytics-program.ts", import.meta.url), {
      parameters: [upstream.url],
    });
    return {
      contenders: [{ name: "exporter", round: async () => Asked.parse(await child.ask({})) }],
      close: async () => {
        await child.close();
        await upstream.close();
      },
    };
  },
};
