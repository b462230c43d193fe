import { collectors } from "./collectors/index.ts";
import type { Config } from "./config/config.ts";
import { longestGapMs } from "./schedule/timetable.ts";

/** What a configuration asks of the pace that the pace does not give: said at the start and by `check`. */
export function capacityWarnings(config: Config): readonly string[] {
  const perMinute = config.gateway.requestsPerMinute;
  if (perMinute === 0) return [];
  return collectors
    .filter(({ endpoint }) => endpoint === "key")
    .flatMap((collector) => {
      const targets = collector.targets(config).length;
      const scheduledMs = longestGapMs(config.schedule[collector.schedule]);
      const neededMs = (targets * collector.requestsPerPoll * 60_000) / perMinute;
      if (neededMs <= scheduledMs) return [];
      return [
        `${targets} keys at ${perMinute} requests per minute (gateway.requests_per_minute) take ${Math.ceil(neededMs / 1000)} s, ` +
          `but schedule.${collector.schedule} asks for every ${scheduledMs / 1000} s: each key is polled every ` +
          `${Math.ceil(neededMs / 1000)} s, and values live three times that`,
      ];
    });
}
