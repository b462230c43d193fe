import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atLeast, atMost, ratio, type Arena, type Benchmark, type Runner } from "../benchmark.ts";
import { timedGet } from "../timed-get.ts";
import { type Contender, type Encoding, type Scraper, startContender, startScraper } from "./start.ts";

const SERIES = 200_000;
const SCRAPERS = 8;
/** Enough scrapes for a percentile if one takes a millisecond; fewer if one takes a second. */
const [MANY, FEW] = [40, 3];

/** Duration of a scrape, alone and with concurrent scrapes. */
export const scrapeBenchmark: Benchmark = {
  name: "exposition/scrape",
  title:
    "200,000 series over HTTP, compressed with gzip or zstd, while nothing changes: `p50` of a single scraper, `p99 of 8` of eight concurrent scrapers, and the " +
    "server's processor time per scrape. `static` serves the exporter's bytes as a prepared file: the lower bound.",
  quantities: [
    { name: "p50", unit: "ms" },
    { name: "p99 of 8", unit: "ms" },
    { name: "cpu", unit: "ms" },
    { name: "size", unit: "kB" },
  ],
  goals: [
    atLeast("p50", ratio("prom-client", "exporter"), 300, 600),
    atMost("p50", ratio("exporter", "static"), 1.5, 1.15),
    { ...atLeast("p99 of 8", ratio("prom-client", "exporter"), 200, 500), least: "static" },
    atMost("p99 of 8", ratio("exporter", "static"), 2, 1.5),
    atMost("p50", ratio("exporter, zstd", "static, zstd"), 1.5, 1.15),
    atMost("size", ratio("exporter, zstd", "exporter"), 0.95, 0.72),
  ],
  rounds: 5,
  reference: { contender: "static", quantity: "p50" },
  open: async () => openArena(),
};

async function openArena(): Promise<Arena> {
  const directory = mkdtempSync(join(tmpdir(), "exposition-bench-"));
  const scraper = await startScraper();
  const closes = [() => scraper.close()];
  const start = async (program: string, parameter: number | string) => {
    const contender = await startContender(program, parameter);
    closes.push(() => contender.close());
    return contender;
  };
  const exporter = await start("exporter.ts", SERIES);
  const fixed = async (name: string, encoding: Encoding) => {
    const file = join(directory, name);
    writeFileSync(file, await bytesOf(exporter.port, encoding));
    return start("static.ts", file);
  };
  const scraped = (name: string, contender: Contender, scrapes: number, encoding: Encoding = "gzip") =>
    runnerOf(name, contender, encoding, scraper, scrapes);
  return {
    contenders: [
      scraped("exporter", exporter, MANY),
      scraped("static", await fixed("metrics.gz", "gzip"), MANY),
      scraped("exporter, zstd", exporter, MANY, "zstd"),
      scraped("static, zstd", await fixed("metrics.zst", "zstd"), MANY, "zstd"),
      scraped("prom-client", await start("prom-client.ts", SERIES), FEW),
    ],
    close: async () => {
      await Promise.all(closes.map((close) => close()));
      rmSync(directory, { recursive: true });
    },
  };
}

function runnerOf(
  name: string,
  contender: Contender,
  encoding: Encoding,
  scraper: Scraper,
  scrapes: number,
): Runner {
  return { name, round: () => roundOf(contender, encoding, scraper, scrapes) };
}

/** Scrapes alone, then concurrently; the first scrape does not count. */
async function roundOf(contender: Contender, encoding: Encoding, scraper: Scraper, scrapes: number) {
  const { port } = contender;
  await scraper.scrape(port, 1, 1, encoding);
  const { cpuMs: before } = await contender.usage();
  const { p50 } = await scraper.scrape(port, 1, scrapes, encoding);
  const cpu = ((await contender.usage()).cpuMs - before) / scrapes;
  const { p99 } = await scraper.scrape(port, SCRAPERS, Math.ceil(scrapes / SCRAPERS), encoding);
  const size = (await bytesOf(port, encoding)).length / 1000;
  return { p50, "p99 of 8": p99, cpu, size };
}

/** The request of a scrape. */
export async function bytesOf(port: number, encoding: Encoding = "gzip"): Promise<Buffer> {
  const headers = { accept: "text/plain;version=0.0.4", "accept-encoding": encoding };
  return (await timedGet(`http://127.0.0.1:${port}/metrics`, { headers })).body;
}
