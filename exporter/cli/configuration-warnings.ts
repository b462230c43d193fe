import type { Collector } from "../collectors/collector.ts";
import { collectors } from "../collectors/index.ts";
import { type Config, requestLimits } from "../config/config.ts";
import { partsOf } from "../config/shards/part.ts";
import { needsBothDays } from "../time/cron.ts";
import { gapsMs, type ScheduleExpression } from "../time/ticker.ts";
import { DAY_MS } from "../time/window.ts";

/**
 * Warns at the start and in `check` if a configuration, or one of its shards, needs more than the request rate or the
 * ceiling allows, or has no keys.
 */
export function capacityWarnings(config: Config): readonly string[] {
  const parts = partsOf(config);
  const rates = parts.flatMap((part, ordinal) =>
    rateWarnings(part).map((warning) => (parts.length > 1 ? `shard ${ordinal}: ${warning}` : warning)),
  );
  return [...rates, ...emptyWarnings(parts), ...ceilingWarnings(config)];
}

/** If every probe cost the maximum, as failed runs are counted, the day's runs must stay below the ceiling. */
function ceilingWarnings({ probing }: Config): readonly string[] {
  if (!probing) return [];
  const { probes, ceilingCredits, maxCostCredits } = probing;
  const runs = probes.reduce((sum, { schedule }) => sum + Math.floor(DAY_MS / gapsMs(schedule).longest), 0);
  const credits = Number((runs * maxCostCredits).toPrecision(12));
  if (credits <= ceilingCredits) return [];
  return [
    `at least ${runs} runs of probes a day may cost ${credits} credits at ${maxCostCredits} each (probe_spend.max_cost_per_probe), ` +
      `but probe_spend.max_cost_per_day allows ${ceilingCredits}: if costs are unknown, for example while a model fails, probes are skipped later in the day`,
  ];
}

function emptyWarnings(parts: readonly Config[]): readonly string[] {
  const empty = parts.flatMap(({ keys, analytics, part }) =>
    part && keys.length === 0 && !analytics ? [part] : [],
  );
  const [first] = empty;
  if (!first) return [];
  const more = empty.length - MOST_NAMED;
  const named = empty.slice(0, MOST_NAMED).map(({ ordinal }) => ordinal);
  const which = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const what = empty.length === 1 ? `shard ${which}, so it polls` : `the shards ${which}, so they poll`;
  return [`no key falls to ${what} nothing; use fewer than ${first.total} shards`];
}

const MOST_NAMED = 3;

function rateWarnings(config: Config): readonly string[] {
  return collectors.flatMap((collector) => capacityWarning(collector, config));
}

function capacityWarning(collector: Collector, config: Config): readonly string[] {
  const { schedule } = collector;
  const jobs = collector.jobs(config);
  // The jobs of a collector have one endpoint, and each costs about the same.
  const [first] = jobs;
  if (!first) return [];
  const { endpoint, requests } = first;
  const perMinute = requestLimits(config.gateway)[endpoint];
  const scheduledMs = Math.max(
    gapsMs(config.schedule[schedule]).shortest,
    Math.min(...jobs.map(({ minIntervalMs }) => minIntervalMs)),
  );
  const neededMs = perMinute === 0 ? 0 : (jobs.length * requests * 60_000) / perMinute;
  if (neededMs <= scheduledMs) return [];
  const neededSeconds = Math.ceil(neededMs / 1000);
  const [one, origin] =
    endpoint === "key"
      ? ["key", "gateway.requests_per_minute"]
      : ["query", "the rate that the endpoint accepts"];
  return [
    `${jobs.length} ${endpoint === "key" ? "keys" : "queries"} at ${perMinute} requests per minute (${origin}) take ` +
      `${neededSeconds} s, but schedule.${schedule} is every ${scheduledMs / 1000} s: each ${one} is polled every ` +
      `${neededSeconds} s, and values expire after three times that`,
  ];
}

/** Warns at the start and in `check` of schedules that mean something else to most crons. */
export function scheduleWarnings({ schedule, probing }: Config): readonly string[] {
  const schedules: readonly (readonly [string, ScheduleExpression])[] = [
    ...Object.entries(schedule).map(([name, each]) => [`schedule.${name}`, each] as const),
    ...(probing?.probes ?? []).map(
      ({ name, schedule: each }) => [`schedule of probe "${name}"`, each] as const,
    ),
  ];
  return schedules.flatMap(([place, each]) =>
    each.kind === "cron" && needsBothDays(each.expression)
      ? [
          `${place}: "${each.expression}" runs only on days that match both its day of month and its day of week; most crons run on days that match either`,
        ]
      : [],
  );
}
