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
import type { Benchmark, Contender, Readings } from "../benchmark.ts";
import { keyCounts } from "./key-counts.ts";
import { type Measured, watch } from "./watch.ts";

const SERVERS = { "2.42": "prometheus2", "3.15": "prometheus3" } as const satisfies Record<string, ToolName>;

/** No group is evaluated more rarely while it is measured, not even `aigateway-key-history`, whose interval is an hour. */
const RAREST_SECONDS = 60;
const WINDOW_SECONDS = 180;
/** The history of 10,000 keys has 130 million samples. */
const HISTORY_TIMEOUT_MS = 600_000;
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
    const measure = { kind: "value", of } as const;
    return [
      { quantity: "evaluation", measure, bound: "at most", bar: 3, stretch: 1 } as const,
      { quantity: "longest", measure, bound: "at most", bar: 20, stretch: 5 } as const,
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

/** Intervals are divided by this, so that the window has enough evaluations to measure, and the processor is not too busy for them. */
function pace(keys: number): number {
  return keys > 1000 ? 3 : 12;
}

async function roundOf(binary: string, keys: number): Promise<Readings> {
  const directory = mkdtempSync(join(tmpdir(), "rules-bench-"));
  try {
    const exporter = await startChild({
      command: buildSimulator(),
      arguments: ["-rules", "", "-cost", `${keys}`, "-data", join(directory, "data")],
      address: /http:\/\/(127\.0\.0\.1:\d+)/,
      healthPath: "/",
      timeoutMs: HISTORY_TIMEOUT_MS,
    });
    const rules = join(directory, "rules.yaml");
    writeFileSync(rules, renderRuleFile([]));
    const prometheus = await startPrometheus({
      binary,
      directory,
      config: configuration(new URL(exporter.url).host, rules),
      flags: ["--web.enable-lifecycle"],
    });
    try {
      return await readings(prometheus, rules, pace(keys));
    } finally {
      await prometheus.stop();
      await exporter.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function readings(prometheus: Prometheus, rules: string, faster: number): Promise<Readings> {
  // Until the first scrape has been written.
  await sleep(SCRAPE_SECONDS * 1000);
  const without = await watch(prometheus.url, SCRAPE_SECONDS);
  const groups = createRules();
  writeFileSync(
    rules,
    renderRuleFile(groups.map((group) => ({ ...group, interval: `${runInterval(group, faster)}s` }))),
  );
  const reload = await fetch(`${prometheus.url}/-/reload`, { method: "POST" });
  if (!reload.ok) throw new Error(`Cannot load the rules: ${await reload.text()}`);
  // The first evaluations create the series.
  await sleep(2 * RAREST_SECONDS * 1000);
  const running = await watch(prometheus.url, WINDOW_SECONDS);
  return readingsOf(groups, faster, running, without);
}

function readingsOf(
  groups: readonly RuleGroup[],
  faster: number,
  running: Measured,
  without: Measured,
): Readings {
  let [evaluation, evaluated, longest] = [0, 0, 0];
  for (const group of groups) {
    const seconds = running.groups.get(group.name);
    if (seconds === undefined) throw new Error(`Cannot find an evaluation of ${group.name}`);
    evaluation += (seconds * 60) / secondsOf(group);
    evaluated += (seconds * 60) / runInterval(group, faster);
    longest = Math.max(longest, (100 * seconds) / secondsOf(group));
  }
  const cpu = running.cpuSeconds / WINDOW_SECONDS - without.cpuSeconds / SCRAPE_SECONDS;
  return {
    evaluation,
    // The part of the CPU time that a minute at the rules' own intervals takes.
    cpu: (cpu * 60 * evaluation) / evaluated,
    longest,
    memory: running.megabytes,
    "memory without rules": without.megabytes,
  };
}

function secondsOf({ interval }: RuleGroup): number {
  return (parseDuration(interval) ?? NaN) / 1000;
}

function runInterval(group: RuleGroup, faster: number): number {
  return Math.min(secondsOf(group) / faster, RAREST_SECONDS);
}

function configuration(target: string, rules: string): object {
  return {
    global: {
      scrape_interval: `${SCRAPE_SECONDS}s`,
      scrape_timeout: "30s",
      evaluation_interval: `${RAREST_SECONDS}s`,
    },
    rule_files: [rules],
    scrape_configs: [{ job_name: "keys", honor_labels: true, static_configs: [{ targets: [target] }] }],
  };
}
