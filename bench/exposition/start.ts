import { z } from "zod";
import { type Child, startChild } from "../child.ts";

/** A contender in its own process, filled with the data set. */
export interface Contender {
  readonly port: number;
  /** Sets all values to those of a round. */
  fill(round: number): Promise<void>;
  /** The wall time and processor time of the call. */
  render(): Promise<Took>;
  publish(): Promise<Took>;
  usage(withMemory?: "memory"): Promise<z.infer<typeof usage>>;
  close(): Promise<void>;
}

const ready = z.object({ port: z.number() });
const took = z.object({ ms: z.number(), cpuMs: z.number() });
type Took = z.infer<typeof took>;
const usage = z.object({
  cpuMs: z.number(),
  peakMegabytes: z.number(),
  bytesPerSeries: z.number(),
});
const quantiles = z.object({ p50: z.number(), p99: z.number() });

/** Starts a contender. `parameter` is the number of series, or the file that the static server serves. */
export async function startContender(program: string, parameter: number | string): Promise<Contender> {
  const child = await startChild(new URL(`contenders/${program}`, import.meta.url), {
    parameters: [String(parameter)],
    nodeOptions: ["--expose-gc", "--max-old-space-size=8192"],
  });
  const timed = async (ask: string) => took.parse(await child.ask({ ask }));
  return {
    port: ready.parse(child.ready).port,
    fill: async (round) => void (await child.ask({ ask: "fill", round })),
    render: () => timed("render"),
    publish: () => timed("publish"),
    usage: async (ask) => usage.parse(await child.ask({ ask })),
    close: () => child.close(),
  };
}

export type Encoding = "gzip" | "zstd";

/** Scrapes from a separate process. */
export interface Scraper {
  scrape(
    port: number,
    scrapers: number,
    scrapes: number,
    encoding?: Encoding,
  ): Promise<z.infer<typeof quantiles>>;
  close(): Promise<void>;
}

export async function startScraper(): Promise<Scraper> {
  const child: Child = await startChild(new URL("scrape-program.ts", import.meta.url));
  return {
    scrape: async (port, scrapers, scrapes, encoding = "gzip") =>
      quantiles.parse(await child.ask({ port, scrapers, scrapes, encoding })),
    close: () => child.close(),
  };
}
