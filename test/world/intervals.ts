import type { Question } from "./questions.ts";
import type { Scrape } from "./world.ts";

/** The effective interval that the exporter reports, milliseconds; 0: it reports none. */
export function intervalMs(
  { exposition }: Pick<Scrape, "exposition">,
  collector: "key" | "analytics" | "account" | "discovery" | "unwatched",
): number {
  return (exposition.value("aigateway_exporter_poll_interval_seconds", { collector }) ?? 0) * 1000;
}

/** The longest effective interval of the keys so far: as scrapes show it, or as the polls between two scrapes do. */
export interface LongestInterval {
  asked(question: Question): void;
  scraped(scrape: Pick<Scrape, "exposition">): void;
  readonly ms: number;
}

export function createLongestInterval(): LongestInterval {
  const asked = new Map<string, number>();
  let longestMs = 0;
  return {
    asked: ({ endpoint, token, at }) => {
      if (endpoint !== "key") return;
      longestMs = Math.max(longestMs, at - (asked.get(token) ?? at));
      asked.set(token, at);
    },
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "key"));
    },
    get ms() {
      return longestMs;
    },
  };
}
