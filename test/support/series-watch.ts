import { setTimeout as delay } from "node:timers/promises";
import { seriesOfText } from "./series.ts";

export interface SeriesWatch {
  /** Ends the scrapes. `lost`: the series of the first scrape that a later one lacked. */
  end(): Promise<{ readonly scrapes: number; readonly lost: readonly string[] }>;
}

/** Scrapes an exporter again and again, as tightly as a test needs to notice a gap in a series. */
export async function watchSeries(url: string, isWatched: (series: string) => boolean): Promise<SeriesWatch> {
  const names = async () => {
    const response = await fetch(`${url}/metrics`);
    if (!response.ok) throw new Error(`Cannot scrape ${url}: ${response.status}`);
    return new Set(seriesOfText(await response.text()).keys());
  };
  const expected = [...(await names())].filter(isWatched);
  if (expected.length === 0) throw new Error(`Cannot watch ${url}: it has no such series`);
  const ending = new AbortController();
  const lost: string[] = [];
  let scrapes = 0;
  const scraping = (async () => {
    while (!ending.signal.aborted) {
      const seen = await names();
      lost.push(...expected.filter((name) => !seen.has(name)));
      scrapes++;
      await delay(20);
    }
  })();
  return {
    end: async () => {
      ending.abort();
      await scraping;
      return { scrapes, lost };
    },
  };
}
