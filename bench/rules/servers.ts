import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRules } from "../../dashboards/rules/index.ts";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import { parseDuration } from "../../exporter/time/duration.ts";
import { startChild } from "../../test/support/child.ts";
import { type Prometheus, startPrometheus } from "../../test/support/prometheus.ts";
import { type ToolName, toolPath } from "../../test/support/tools.ts";
import { buildSimulator } from "../alerts/simulator.ts";
import { atMost, type Benchmark, type Contender, type Readings, value } from "../benchmark.ts";
import { parseTextFormat } from "../../test/support/openmetrics.ts";

const SERVERS = { "2.42": "prometheus2", "3.15": "prometheus3" } as const satisfies Record<string, ToolName>;

/** The history of 10,000 keys has 70 minutes of scrapes, and two hours of what was usual four days ago. */
const HISTORY_TIMEOUT_MS = 1_200_000;
const SCRAPE_SECONDS = 60;

/** What all rules cost a Prometheus that scrapes the keys and has eight days of history. */
export const serverBenchmark: Benchmark = {
  name: "rules/servers",
  title:
    "One minute's evaluation of all rules in a whole Prometheus with eight days of history: the time of the evaluations, and the CPU time and memory of the process less those without rules. " +
    "`longest` is the largest part of its interval that a group takes. `RULE_KEYS=10000` adds 10,000 keys.",
  quantities: [
    { name: "evaluation", unit: "s" },
    { name: "cpu", unit: "s" },
    { name: "longest", unit: "%" },
    { name: "memory", unit: "MB" },
    { name: "memory without rules", unit: "MB" },
  ],
  goals: Object.keys(SERVERS).flatMap((version) => {
    const of = nameOf(version, 10_000);
    return [
      atMost("evaluation", value(of), version === "2.42" ? 1 : 0.6, 0.3),
      atMost("longest", value(of), 20, 5),
    ];
  }),
  rounds: 1,
  warmsUpItself: true,
  open: async () => ({
    contenders: Object.entries(SERVERS).flatMap(([version, tool]) =>
      keyCounts().map((keys) => contenderOf(nameOf(version, keys), tool, keys)),
    ),
    close: async () => {},
  }),
};

function nameOf(version: string, keys: number): string {
  return `${keys} keys, ${version}`;
}

function contenderOf(name: string, tool: ToolName, keys: number): Contender {
  const binary = toolPath(tool);
  if (binary === undefined) return { name, skipped: `${tool} is not installed` };
  return { name, round: () => roundOf(binary, keys) };
}

/**
 * Intervals are divided by this, so that measuring takes less time. With many keys, evaluations would hold
 * each other up.
 */
function pace(keys: number): number {
  return keys > 1000 ? 1 : 6;
}

async function roundOf(binary: string, keys: number): Promise<Readings> {
  const directory = mkdtempSync(join(tmpdir(), "rules-bench-"));
  try {
    return await withExporter(directory, keys, (target) =>
      measureServer(binary, directory, target, pace(keys)),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function withExporter<T>(
  directory: string,
  keys: number,
  use: (target: string) => Promise<T>,
): Promise<T> {
  const exporter = await startChild({
    command: buildSimulator(),
    arguments: ["-keys", `${keys}`, "-serve", join(directory, "data")],
    address: /http:\/\/(127\.0\.0\.1:\d+)/,
    healthPath: "/",
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  try {
    return await use(new URL(exporter.url).host);
  } finally {
    await exporter.stop();
  }
}

async function measureServer(
  binary: string,
  directory: string,
  target: string,
  faster: number,
): Promise<Readings> {
  const rules = join(directory, "rules.yaml");
  writeFileSync(rules, renderRuleFile([]));
  const prometheus = await startPrometheus({
    binary,
    directory,
    config: configuration(target, rules),
    flags: ["--web.enable-lifecycle"],
  });
  try {
    return await readings(prometheus, rules, faster);
  } finally {
    await prometheus.stop();
  }
}

async function readings(prometheus: Prometheus, rules: string, faster: number): Promise<Readings> {
  // Until the first scrape has been written.
  await sleep(SCRAPE_SECONDS * 1000);
  const withoutSeconds = 2 * SCRAPE_SECONDS;
  const without = await watch(prometheus.url, withoutSeconds);
  const groups = createRules();
  const intervalOf = (group: RuleGroup): number => secondsOf(group) / faster;
  const slowest = Math.max(...groups.map(intervalOf));
  await load(prometheus, rules, groups, intervalOf);
  // Whole scrapes and whole intervals, so that no evaluation is counted in part.
  const windowSeconds = Math.ceil((2 * slowest) / SCRAPE_SECONDS) * SCRAPE_SECONDS;
  // The first evaluations create the series.
  await sleep(1.1 * slowest * 1000);
  const running = await watch(prometheus.url, windowSeconds);
  let [evaluation, longest] = [0, 0];
  for (const group of groups) {
    const seconds = running.groups.get(group.name);
    if (seconds === undefined) throw new Error(`Cannot find an evaluation of ${group.name}`);
    evaluation += (seconds * 60) / secondsOf(group);
    longest = Math.max(longest, (100 * seconds) / secondsOf(group));
  }
  const cpuShare = running.cpuSeconds / windowSeconds - without.cpuSeconds / withoutSeconds;
  const cpu = (cpuShare * 60) / faster;
  const memory = running.megabytes;
  return { evaluation, cpu, longest, memory, "memory without rules": without.megabytes };
}

async function load(
  { url }: Prometheus,
  file: string,
  groups: readonly RuleGroup[],
  intervalOf: (group: RuleGroup) => number,
): Promise<void> {
  writeFileSync(
    file,
    renderRuleFile(groups.map((group) => ({ ...group, interval: `${intervalOf(group)}s` }))),
  );
  const answer = await fetch(`${url}/-/reload`, { method: "POST" });
  if (!answer.ok) throw new Error(`Cannot load the rules: ${await answer.text()}`);
}

function secondsOf({ interval }: RuleGroup): number {
  return (parseDuration(interval) ?? NaN) / 1000;
}

function configuration(target: string, rules: string): object {
  return {
    global: {
      scrape_interval: `${SCRAPE_SECONDS}s`,
      scrape_timeout: "30s",
      evaluation_interval: `${SCRAPE_SECONDS}s`,
    },
    rule_files: [rules],
    scrape_configs: [{ job_name: "keys", honor_labels: true, static_configs: [{ targets: [target] }] }],
  };
}

/** The numbers of keys whose rules are measured. */
function keyCounts(): readonly number[] {
  return [100, 1000, ...(process.env["RULE_KEYS"] === "10000" ? [10_000] : [])];
}

/** What a Prometheus says of itself. */
interface Measured {
  /** Mean seconds of an evaluation, by group. */
  readonly groups: ReadonlyMap<string, number>;
  readonly cpuSeconds: number;
  /** Resident memory at the end. */
  readonly megabytes: number;
}

/** Watches a Prometheus for some seconds. Throws if a rule failed or an evaluation was missed. */
async function watch(url: string, seconds: number): Promise<Measured> {
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
  const sum = (name: string): number => samples(name).reduce((total, { value: amount }) => total + amount, 0);
  const byGroup = (name: string): ReadonlyMap<string, number> =>
    new Map(
      samples(name).map(({ labels, value: amount }) => [labels["rule_group"]?.split(";")[1] ?? "", amount]),
    );
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
  return values.reduce((total, amount) => total + amount, 0) / values.length;
}
