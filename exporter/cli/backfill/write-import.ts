import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { type BackfillPlan, daysToKeep } from "../../backfill/plan.ts";
import { SCRIPT_NAME, writeWhole } from "../../backfill/state-file.ts";
import { formatDuration } from "../../time/duration.ts";
import { prometheusScript, remoteWriteScript, victoriaMetricsScript } from "./import-scripts.ts";
import { rulePasses } from "./rule-passes.ts";

/**
 * Writes what imports the files of a backfill: a script for the machine of Prometheus, and the recording rules in as
 * many files as they depend on one another. Returns what a person should read. Nothing is imported here.
 */
export async function writeImport(plan: BackfillPlan, folder: string, files: number): Promise<string> {
  // Loaded on demand, because the daemon does not need these modules.
  const [{ createRules }, { renderRuleFile }] = await Promise.all([
    import("../../../dashboards/rules/index.ts"),
    import("../../../dashboards/rules/file.ts"),
  ]);
  const passes = isRecorded(plan) ? rulePasses(createRules(), (name) => RECORDED.test(name)) : [];
  const interval = formatDuration(plan.stepMs);
  const names: string[] = [];
  for (const [index, rules] of passes.entries()) {
    const name = `rules-${index + 1}.yaml`;
    const group = {
      name: "aigateway-backfill",
      comment: "One pass of the recording rules over the past.",
      interval,
      rules,
    };
    await writeWhole(join(folder, name), [renderRuleFile([group], "aigateway-exporter backfill")]);
    names.push(name);
  }
  const script = join(folder, SCRIPT_NAME);
  await writeWhole(script, [scriptOf(plan, names)]);
  await chmod(script, 0o755);
  const sparse = plan.format === "remote-write" || isRecorded(plan) ? "" : `\n${tooSparse(plan)}`;
  return `${files} files are in "${folder}".${gaps(plan)}${adviceOf(plan, script)}${sparse}\n`;
}

function gaps({ problems }: BackfillPlan): string {
  if (problems.length === 0) return " ";
  return ` They are incomplete:
${problems.map((problem) => `- ${problem}\n`).join("")}Solve this and run the same command again before the import, which is possible only once.\n`;
}

/** The rules use samples of the last 25 minutes at most, and promtool chooses when within a step it evaluates them. */
const LONGEST_STEP_MS = 20 * 60_000;

/** Nothing makes the past of recorded series by remote write. */
function isRecorded({ format, stepMs }: BackfillPlan): boolean {
  return format !== "remote-write" && stepMs <= LONGEST_STEP_MS;
}

function tooSparse({ stepMs }: BackfillPlan): string {
  return `No recorded series are made: the samples are ${formatDuration(stepMs)} apart (--step), and the rules need one every ${formatDuration(LONGEST_STEP_MS)}.`;
}

function scriptOf(plan: BackfillPlan, rules: readonly string[]): string {
  switch (plan.format) {
    case "openmetrics":
      return prometheusScript(plan, rules);
    case "victoria-metrics":
      return victoriaMetricsScript(plan, rules);
    case "remote-write":
      return remoteWriteScript(plan);
  }
}

function adviceOf(plan: BackfillPlan, script: string): string {
  const days = daysToKeep(plan);
  switch (plan.format) {
    case "openmetrics":
      return `Import them on the machine of Prometheus, as its user:
  ${script} DATA_FOLDER http://localhost:9090
DATA_FOLDER is its --storage.tsdb.path. The script needs promtool and curl.
Prometheus must keep ${days} days (--storage.tsdb.retention.time=${days}d or more). By default it keeps 15, and deletes older blocks at once.`;
    case "victoria-metrics":
      return `Import them:
  ${script} http://localhost:8428
The script needs curl${isRecorded(plan) ? ", and vmalert for the recorded series" : ""}. VictoriaMetrics must keep ${days} days (-retentionPeriod=${days}d or more).`;
    case "remote-write":
      return `Push them:
  ${script} http://localhost:9090
The script needs promtool and curl. The server must take remote write (--web.enable-remote-write-receiver) with samples of ${days} days ago (storage.tsdb.out_of_order_time_window: ${days}d in its configuration), and keep them.`;
  }
}

/** What does not need limits, whose past is not known, or budgets. */
const RECORDED = /^(?:instance_)?key:aigateway_(?:owner|last_success|limit_usage|day_rest_(?:share|credits))/;
