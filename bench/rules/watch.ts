import { setTimeout as sleep } from "node:timers/promises";
import { parseTextFormat } from "../../test/support/openmetrics.ts";

/** What a Prometheus says of itself. */
interface Measured {
  /** Mean seconds of an evaluation, by group. */
  readonly groups: ReadonlyMap<string, number>;
  readonly cpuSeconds: number;
  /** Resident memory at the end. */
  readonly megabytes: number;
}

/** Watches a Prometheus for some seconds. Throws if a rule failed or an evaluation was missed. */
export async function watch(url: string, seconds: number): Promise<Measured> {
  const before = await read(url);
  const evaluations = new Map<string, Map<number, number>>();
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(POLL_MS)) {
    for (const { name, at, duration } of (await read(url)).groups) {
      if (at <= before.now) continue;
      evaluations.set(name, (evaluations.get(name) ?? new Map<number, number>()).set(at, duration));
    }
  }
  const after = await read(url);
  if (after.problems > before.problems)
    throw new Error(`${url} failed or missed ${after.problems - before.problems} evaluations`);
  const means = [...evaluations].map(([name, byTime]) => [name, mean([...byTime.values()])] as const);
  return {
    groups: new Map(means),
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    megabytes: after.megabytes,
  };
}

/** Shorter than the shortest interval of a group. */
const POLL_MS = 2000;

async function read(url: string) {
  const response = await fetch(`${url}/metrics`);
  const families = parseTextFormat(await response.text());
  const samples = (name: string) => families.get(name)?.samples ?? [];
  const sum = (name: string): number => samples(name).reduce((total, { value }) => total + value, 0);
  const byGroup = (name: string): ReadonlyMap<string, number> =>
    new Map(samples(name).map(({ labels, value }) => [labels["rule_group"]?.split(";")[1] ?? "", value]));
  const durations = byGroup("prometheus_rule_group_last_duration_seconds");
  const times = byGroup("prometheus_rule_group_last_evaluation_timestamp_seconds");
  return {
    now: Date.now() / 1000,
    groups: [...durations].map(([name, duration]) => ({ name, duration, at: times.get(name) ?? 0 })),
    cpuSeconds: sum("process_cpu_seconds_total"),
    megabytes: sum("process_resident_memory_bytes") / 1e6,
    problems:
      sum("prometheus_rule_evaluation_failures_total") + sum("prometheus_rule_group_iterations_missed_total"),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
