import { setTimeout as sleep } from "node:timers/promises";
import { atMost, ratio, value, type Benchmark, type Runner } from "../benchmark.ts";
import { startContender, startScraper } from "./start.ts";

const SERIES = 200_000;
const UPDATES = 6;
/** Longer than the exporter's pause between two renderings. */
const PAUSE_MS = 1500;

/** Memory per series, and the peak of the process while values change and are scraped. */
export const memoryBenchmark: Benchmark = {
  name: "exposition/memory",
  title:
    "200,000 series that change six times and are scraped each time: `held` is heap and external memory per series after a garbage collection, including the " +
    "rendered text; `peak` is the resident size of the process with all of the exporter's code loaded.",
  quantities: [
    { name: "held", unit: "B" },
    { name: "peak", unit: "MB" },
  ],
  goals: [
    atMost("held", value("exporter"), 160, 100),
    atMost("peak", ratio("exporter", "prom-client"), 0.6, 0.4),
  ],
  // Sizes hardly differ between rounds.
  rounds: 2,
  open: async () => {
    const scraper = await startScraper();
    const runner = (name: string, program: string): Runner => ({
      name,
      round: async () => {
        const contender = await startContender(program, SERIES);
        try {
          for (let update = 1; update <= UPDATES; update++) {
            await contender.fill(update);
            await sleep(PAUSE_MS);
            await scraper.scrape(contender.port, 1, 1);
          }
          const { bytesPerSeries: held, peakMegabytes: peak } = await contender.usage("memory");
          return { held, peak };
        } finally {
          await contender.close();
        }
      },
    });
    return {
      contenders: [runner("exporter", "exporter.ts"), runner("prom-client", "prom-client.ts")],
      close: () => scraper.close(),
    };
  },
};
