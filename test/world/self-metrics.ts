import type { Scrape } from "./world.ts";

/** The effective interval that the exporter reports, milliseconds; 0: it reports none. */
export function intervalMs(
  { exposition }: Pick<Scrape, "exposition">,
  collector: "key" | "analytics" | "account" | "discovery" | "unwatched",
): number {
  return (exposition.value("aigateway_exporter_poll_interval_seconds", { collector }) ?? 0) * 1000;
}
