import { setTimeout as delay } from "node:timers/promises";

import type { LocalExporter } from "../support/local-exporter.ts";
import type { SeriesMap } from "../support/series.ts";
import type { SteeredClock } from "../support/steered-clock.ts";

/**
 * What `/metrics` shows when it shows what is wanted, or some seconds later. What was polled is rendered in real time,
 * which may take long on a busy machine: each second of the clock waits for that.
 */
export async function seenSoon(
  { exporter, steered }: { readonly exporter: LocalExporter; readonly steered: SteeredClock },
  isWanted: (series: SeriesMap) => boolean,
  seconds = 6,
): Promise<SeriesMap> {
  for (let left = seconds; ; left--) {
    for (let look = 0; look < LOOKS; look++) {
      const series = await exporter.series();
      if (isWanted(series) || (left === 0 && look === LOOKS - 1)) return series;
      // The first looks are at what was there before; only a rendering that is under way is worth waiting for.
      if (left === seconds) break;
      await delay(PAUSE_MS);
    }
    await steered.run(steered.clock.now() + 1000);
  }
}

const LOOKS = 20;
const PAUSE_MS = 50;
