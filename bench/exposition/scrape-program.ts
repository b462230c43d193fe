import { Agent } from "node:http";
import { serveParent } from "../child.ts";
import { percentile } from "../statistics.ts";
import { timedGet } from "../timed-get.ts";

/**
 * Scrapes as often as requested, with several scrapers at once, and reports how long each scrape took until
 * the last byte.
 */
serveParent({}, async (message) => {
  const { port, scrapers, scrapes, encoding }: Record<string, unknown> = Object(message);
  const url = `http://127.0.0.1:${Number(port)}/metrics`;
  // Connections are not kept between requests of the benchmark, because the server may close one at the
  // moment of its reuse.
  const agent = new Agent({ keepAlive: true });
  const took: number[] = [];
  const scraper = async () => {
    for (let count = 0; count < Number(scrapes); count++)
      took.push(await scrape(url, agent, String(encoding)));
  };
  await Promise.all(Array.from({ length: Number(scrapers) }, scraper));
  agent.destroy();
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
});

async function scrape(url: string, agent: Agent, encoding: string): Promise<number> {
  const start = performance.now();
  const headers = { accept: "text/plain;version=0.0.4", "accept-encoding": encoding };
  return (await timedGet(url, { agent, headers })).endedAt - start;
}
