import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { atLeast, atMost, ratio, type Arena, type Benchmark, type Runner } from "../benchmark.ts";
import { type Contender, type Scraper, startContender, startScraper } from "./start.ts";

const SERIES = 200_000;
const SCRAPERS = 8;
/** Enough scrapes for a percentile if one takes a millisecond; fewer if one takes a second. */
const [MANY, FEW] = [40, 3];

/** Duration of a scrape, alone and with concurrent scrapes. */
export const scrapeBenchmark: Benchmark = {
  name: "exposition/scrape",
  title:
    "200,000 series over HTTP, compressed with gzip, while nothing changes: `p50` of a single scraper, `p99 of 8` of eight concurrent scrapers, and the " +
    "server's processor time per scrape. `static` serves the exporter's bytes as a prepared file: the lower bound.",
  quantities: [
    { name: "p50", unit: "ms" },
    { name: "p99 of 8", unit: "ms" },
    { name: "cpu", unit: "ms" },
  ],
  goals: [
    atLeast("p50", ratio("prom-client", "exporter"), 300, 600),
    atMost("p50", ratio("exporter", "static"), 1.5, 1.15),
    atLeast("p99 of 8", ratio("prom-client", "exporter"), 200, 500),
  ],
  rounds: 5,
  reference: { contender: "static", quantity: "p50" },
  open: async () => openArena(),
};

async function openArena(): Promise<Arena> {
  const directory = mkdtempSync(join(tmpdir(), "exposition-bench-"));
  const scraper = await startScraper();
  const closes = [() => scraper.close()];
  const start = async (name: string, program: string, parameter: number | string, scrapes: number) => {
    const contender = await startContender(program, parameter);
    closes.push(() => contender.close());
    return { port: contender.port, runner: runnerOf(name, contender, scraper, scrapes) };
  };
  const exporter = await start("exporter", "exporter.ts", SERIES, MANY);
  const file = join(directory, "metrics.gz");
  writeFileSync(file, await bytesOf(exporter.port));
  const fixed = await start("static", "static.ts", file, MANY);
  const promClient = await start("prom-client", "prom-client.ts", SERIES, FEW);
  return {
    contenders: [exporter.runner, fixed.runner, promClient.runner],
    close: async () => {
      await Promise.all(closes.map((close) => close()));
      rmSync(directory, { recursive: true });
    },
  };
}

function runnerOf(name: string, contender: Contender, scraper: Scraper, scrapes: number): Runner {
  const cpuMs = async () => (await contender.usage()).cpuMs;
  return { name, round: () => roundOf(contender.port, scraper, scrapes, cpuMs) };
}

/** Scrapes alone, then concurrently; the first scrape does not count. */
async function roundOf(port: number, scraper: Scraper, scrapes: number, cpuMs: () => Promise<number>) {
  await scraper.scrape(port, 1, 1);
  const before = await cpuMs();
  const { p50 } = await scraper.scrape(port, 1, scrapes);
  const cpu = ((await cpuMs()) - before) / scrapes;
  const { p99 } = await scraper.scrape(port, SCRAPERS, Math.ceil(scrapes / SCRAPERS));
  return { p50, "p99 of 8": p99, cpu };
}

/** The request of a scrape. */
export function bytesOf(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { accept: "text/plain;version=0.0.4", "accept-encoding": "gzip" };
    get(`http://127.0.0.1:${port}/metrics`, { headers }, (response) => resolve(buffer(response))).on(
      "error",
      reject,
    );
  });
}
