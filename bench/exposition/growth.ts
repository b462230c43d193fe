import type { Benchmark, Goal } from "../benchmark.ts";
import { startContender, startScraper } from "./start.ts";

const SIZES = [1000, 10_000, 100_000, 1_000_000] as const;
const SCRAPES = 20;

/** Checks that the cost grows no faster than the number of series. */
export const growthBenchmark: Benchmark = {
  name: "exposition/growth",
  title:
    "The exporter with 1,000 to 1,000,000 series, all values changed: `publish` renders and compresses the whole text; `scrape` is the p50 over HTTP " +
    "with gzip. Ten times as many series may take ten times as long.",
  quantities: [
    { name: "publish", unit: "ms" },
    { name: "scrape", unit: "ms" },
  ],
  goals: [growth("publish"), growth("scrape")],
  rounds: 3,
  open: async () => {
    const scraper = await startScraper();
    const contenders = await Promise.all(SIZES.map((series) => startContender("exporter.ts", series)));
    return {
      contenders: contenders.map((contender, index) => {
        let round = 0;
        return {
          name: nameOf(SIZES[index] ?? 0),
          round: async () => {
            await contender.fill(++round);
            const { ms: publish } = await contender.publish();
            await scraper.scrape(contender.port, 1, 3);
            const { p50: scrape } = await scraper.scrape(contender.port, 1, SCRAPES);
            return { publish, scrape };
          },
        };
      }),
      close: async () => {
        await Promise.all(contenders.map((contender) => contender.close()));
        await scraper.close();
      },
    };
  },
};

function growth(quantity: string): Goal {
  const measure = { kind: "ratio", of: nameOf(1_000_000), to: nameOf(100_000) } as const;
  return { quantity, measure, bound: "at most", bar: 12, stretch: 10 };
}

function nameOf(series: number): string {
  return `${series.toLocaleString("en-US")} series`;
}
