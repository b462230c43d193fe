import { parseTextFormat } from "./openmetrics.ts";
import { setTimeout as delay } from "node:timers/promises";

/** Values by series, written as `name{label="value"}` with sorted labels and without empty ones, as Prometheus stores them. */
export type SeriesMap = ReadonlyMap<string, number>;

export function seriesName(name: string, labels: Readonly<Record<string, string>>): string {
  const written = Object.entries(labels)
    .filter(([, value]) => value !== "")
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${written.join(",")}}`;
}

/** The series of an exposition in the text format. */
export function seriesOfText(text: string): SeriesMap {
  const families = [...parseTextFormat(text).values()];
  return new Map(
    families.flatMap(({ samples }) =>
      samples.map(({ name, labels, value }): [string, number] => [seriesName(name, labels), value]),
    ),
  );
}

/** The series whose name, with its labels, matches. */
export function seriesLike(series: SeriesMap, pattern: RegExp): SeriesMap {
  return new Map([...series].filter(([name]) => pattern.test(name)));
}

/**
 * The differences between two sets of series: missing, unexpected, or another value. By default, values must be equal
 * to the last bit.
 */
export function differences(
  actual: SeriesMap,
  expected: SeriesMap,
  isEqual: (one: number, other: number) => boolean = Object.is,
): readonly string[] {
  const missing = [...expected].flatMap(([name, value]) => {
    const seen = actual.get(name);
    if (seen === undefined) return [`${name} is missing, want ${value}`];
    return isEqual(seen, value) ? [] : [`${name} is ${seen}, want ${value}`];
  });
  const unexpected = [...actual].flatMap(([name, value]) =>
    expected.has(name) ? [] : [`${name} is ${value}, want none`],
  );
  return [...missing, ...unexpected];
}

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
