import type { Config } from "../config/config.ts";
import type { Family } from "../metrics/family.ts";
import type { FamilyHeader } from "../metrics/render/exposition.ts";
import type { JobGroup, Reporter } from "../schedule/job.ts";
import type { Collector, CollectorContext } from "./collector.ts";
import { collectors } from "./index.ts";

/** The jobs of every collector, as groups that the engine runs. A collector without jobs has no group. */
export function collectorGroups(
  config: Config,
  reporterOf: (collector: string) => Reporter,
  context?: CollectorContext,
): readonly JobGroup[] {
  return collectors.flatMap((collector) => {
    const { name, schedule } = collector;
    const jobs = collector.jobs(config, context);
    if (jobs.length === 0) return [];
    return [{ name, expression: config.schedule[schedule], jobs, reporter: reporterOf(name), isPaid: false }];
  });
}

/**
 * The families of every collector with their HELP texts. The HELP text of a polled metric names its effective
 * interval and the family that shows its age.
 */
export function collectorHeaders(intervalMs: (collector: string) => number): readonly FamilyHeader[] {
  return collectors.flatMap((collector) => headersOf(collector, intervalMs(collector.name)));
}

/** Returns the same headers while the interval is unchanged, so that their bytes are reused. */
function headersOf(collector: Collector, intervalMs: number): readonly FamilyHeader[] {
  const known = latest.get(collector);
  if (known?.intervalMs === intervalMs) return known.headers;
  const { families, lastSuccess, cadence = wholeCadence } = collector;
  // Without jobs of its own, its families come with the listing of keys.
  const pollsOf = (family: Family) =>
    intervalMs === 0 ? "Read with the list of keys" : `Polled every ${cadence(family, intervalMs)}`;
  const helpOf = (family: Family) => `${family.help} ${pollsOf(family)}; see ${lastSuccess?.name}.`;
  const headers = families.map((family) => ({
    family,
    help: family === lastSuccess ? family.help : helpOf(family),
  }));
  latest.set(collector, { intervalMs, headers });
  return headers;
}

function wholeCadence(_: Family, intervalMs: number): string {
  return `${intervalMs / 1000} s`;
}

const latest = new WeakMap<
  Collector,
  { readonly intervalMs: number; readonly headers: readonly FamilyHeader[] }
>();
