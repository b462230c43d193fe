import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Arena, Benchmark, Runner } from "../benchmark.ts";
import { OPENTELEMETRY, type Scraper, startContender, startScraper } from "./start.ts";

const SERIES = 200_000;
const SCRAPERS = 8;
/** Enough for a percentile where a scrape takes a millisecond; where it takes a second, few must do. */
const [MANY, FEW] = [40, 3];

/** How long a scrape takes, alone and among others. */
export const scrapeBenchmark: Benchmark = {
  name: "exposition/scrape",
  title:
    "200,000 series over HTTP, compressed with gzip, while nothing changes: `p50` of a single scraper, `p99 of 8` of eight at once, and the " +
    "processor time that the server takes for one scrape. `static` serves the exporter's bytes as a file that lies ready: the least there is.",
  quantities: [
    { name: "p50", unit: "ms" },
    { name: "p99 of 8", unit: "ms" },
    { name: "cpu", unit: "ms" },
  ],
  goals: [
    {
      quantity: "p50",
      measure: { kind: "ratio", of: "prom-client", to: "exporter" },
      bound: "at least",
      bar: 300,
      stretch: 600,
    },
    {
      quantity: "p50",
      measure: { kind: "ratio", of: "exporter", to: "static" },
      bound: "at most",
      bar: 1.5,
      stretch: 1.15,
    },
    {
      quantity: "p99 of 8",
      measure: { kind: "ratio", of: "prom-client", to: "exporter" },
      bound: "at least",
      bar: 200,
      stretch: 500,
    },
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
  const openTelemetry = OPENTELEMETRY.isThere()
    ? (await start(OPENTELEMETRY.name, OPENTELEMETRY.program, SERIES, FEW)).runner
    : OPENTELEMETRY;
  return {
    contenders: [exporter.runner, fixed.runner, promClient.runner, openTelemetry],
    close: async () => {
      await Promise.all(closes.map((close) => close()));
      rmSync(directory, { recursive: true });
    },
  };
}

function runnerOf(
  name: string,
  contender: Awaited<ReturnType<typeof startContender>>,
  scraper: Scraper,
  scrapes: number,
): Runner {
  return {
    name,
    round: async () => {
      await scraper.scrape(contender.port, 1, 1);
      const before = await contender.usage();
      const { p50 } = await scraper.scrape(contender.port, 1, scrapes);
      const after = await contender.usage();
      const each = Math.ceil(scrapes / SCRAPERS);
      const { p99 } = await scraper.scrape(contender.port, SCRAPERS, each);
      return { p50, "p99 of 8": p99, cpu: (after.cpuMs - before.cpuMs) / scrapes };
    },
  };
}

/** A scrape as it is sent. */
export function bytesOf(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { accept: "text/plain;version=0.0.4", "accept-encoding": "gzip" };
    get(`http://127.0.0.1:${port}/metrics`, { headers }, (response) => resolve(buffer(response))).on(
      "error",
      reject,
    );
  });
}
