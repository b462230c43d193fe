import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRules } from "../../dashboards/rules/index.ts";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import { parseDuration } from "../../exporter/time/duration.ts";
import { parseTextFormat } from "../../test/support/openmetrics.ts";
import { startPrometheus } from "../../test/support/prometheus.ts";
import { type ToolName, toolPath } from "../../test/support/tools.ts";
import { buildSimulator, runSimulator } from "../alerts/simulator.ts";
import { atMost, type Benchmark, type Contender, type Readings, value } from "../benchmark.ts";

const SERVERS = { "2.42": "prometheus2", "3.15": "prometheus3" } as const satisfies Record<string, ToolName>;
const KEYS = 10_000;

/** What all rules cost a Prometheus that has eight days of history. */
export const serverBenchmark: Benchmark = {
  name: "rules/servers",
  title:
    `One minute's evaluation of all rules in a whole Prometheus with eight days of history of ${KEYS} keys, each with its own limit and a guardrail. ` +
    "`longest` is the largest part of its interval that a group takes, `series` those of each key: scraped ones, and what rules make of them.",
  quantities: [
    { name: "evaluation", unit: "s" },
    { name: "longest", unit: "%" },
    { name: "series", unit: "" },
  ],
  goals: Object.keys(SERVERS).flatMap((version) => [
    atMost("evaluation", value(version), version === "2.42" ? 1 : 0.6, 0.3),
    atMost("longest", value(version), 20, 5),
  ]),
  rounds: 1,
  warmsUpItself: true,
  open: async () => ({
    contenders: Object.entries(SERVERS).map(([version, tool]) => contenderOf(version, tool)),
    close: async () => {},
  }),
};

function contenderOf(name: string, tool: ToolName): Contender {
  const binary = toolPath(tool);
  if (binary === undefined) return { name, skipped: `${tool} is not installed` };
  return { name, round: () => roundOf(binary) };
}

async function roundOf(binary: string): Promise<Readings> {
  const directory = mkdtempSync(join(tmpdir(), "rules-bench-"));
  try {
    const data = join(directory, "data");
    await runSimulator(buildSimulator(), ["-keys", `${KEYS}`, "-write", data]);
    return await measure(binary, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Intervals are divided by this, so that measuring takes two minutes. What an evaluation costs does not depend on them. */
const FASTER = 10;
/** Otherwise the last evaluations would be more than five minutes after the history, and select nothing. */
const LONGEST_SECONDS = 30;
/** Of each group, after the first, which fills the caches. Prometheus still finds the end of the history: it is a few minutes old. */
const EVALUATIONS = 3;

async function measure(binary: string, directory: string): Promise<Readings> {
  const groups = createRules();
  const faster = groups.map((group) => ({
    ...group,
    interval: `${Math.min(secondsOf(group) / FASTER, LONGEST_SECONDS)}s`,
  }));
  const prometheus = await startPrometheus({ binary, directory, rules: [renderRuleFile(faster)] });
  try {
    const durations = new Map(groups.map(({ name }) => [name, new Map<number, number>()]));
    while ([...durations.values()].some(({ size }) => size <= EVALUATIONS)) {
      await sleep(POLL_MS);
      for (const { name, at, seconds } of await lastEvaluations(prometheus.url))
        durations.get(name)?.set(at, seconds);
    }
    const shares = groups.map((group) => {
      const [, ...seconds] = durations.get(group.name)?.values() ?? [];
      return seconds.reduce((sum, each) => sum + each, 0) / seconds.length / secondsOf(group);
    });
    return {
      evaluation: 60 * shares.reduce((sum, share) => sum + share, 0),
      longest: 100 * Math.max(...shares),
      series: (await headSeries(prometheus.url)) / KEYS,
    };
  } finally {
    await prometheus.stop();
  }
}

/** Shorter than the shortest interval. */
const POLL_MS = 2000;

function secondsOf({ interval }: RuleGroup): number {
  return (parseDuration(interval) ?? NaN) / 1000;
}

async function headSeries(url: string): Promise<number> {
  const families = parseTextFormat(await (await fetch(`${url}/metrics`)).text());
  return families.get("prometheus_tsdb_head_series")?.samples[0]?.value ?? NaN;
}

/** The last evaluation of each group that has had one. Throws if a rule failed. */
async function lastEvaluations(url: string) {
  const families = parseTextFormat(await (await fetch(`${url}/metrics`)).text());
  const samples = (name: string) => families.get(name)?.samples ?? [];
  for (const { labels, value: failures } of samples("prometheus_rule_evaluation_failures_total"))
    if (failures > 0) throw new Error(`${labels["rule_group"]} failed`);
  const times = samples("prometheus_rule_group_last_evaluation_timestamp_seconds");
  const seconds = samples("prometheus_rule_group_last_duration_seconds");
  return seconds.flatMap(({ labels, value: duration }) => {
    const name = groupOf(labels);
    const at = times.find((time) => groupOf(time.labels) === name)?.value ?? 0;
    return name !== undefined && at > 0 ? [{ name, at, seconds: duration }] : [];
  });
}

/** The label of Prometheus has the file before it. */
function groupOf(labels: Readonly<Record<string, string>>): string | undefined {
  return labels["rule_group"]?.split(";")[1];
}
