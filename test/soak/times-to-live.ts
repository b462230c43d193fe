import { INTERVALS_TO_LIVE } from "./plan.ts";
import type { Scrape } from "./scrape.ts";

/** How long the values of a scrape may be repeated, by the exporter's own account. */
export interface TimesToLive {
  /**
   * The longest time to live of any value that a scrape may contain, milliseconds. A value keeps the one that it had
   * when it arrived, so earlier scrapes count as well. Call it for each scrape.
   */
  longest(collector: Collector, scrape: Scrape): number;
}

type Collector = "key" | "analytics";

export function createTimesToLive(): TimesToLive {
  const seen: Record<Collector, readonly Seen[]> = { key: [], analytics: [] };
  return {
    longest: (collector, scrape) => {
      const ms = INTERVALS_TO_LIVE * effectiveIntervalMs(collector, scrape);
      const lasting = seen[collector].filter((each) => each.atMs + each.ms >= scrape.sentMs);
      seen[collector] = [...lasting, { atMs: scrape.receivedMs, ms }];
      return Math.max(...seen[collector].map((each) => each.ms));
    },
  };
}

interface Seen {
  readonly atMs: number;
  readonly ms: number;
}

/** The effective interval of a collector as a scrape shows it, milliseconds. */
export function effectiveIntervalMs(collector: Collector, { others }: Pick<Scrape, "others">): number {
  const seconds = others.get(`aigateway_exporter_poll_interval_seconds{collector="${collector}"}`);
  return (seconds ?? 0) * 1000;
}
