import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { renderRuleFile } from "../dashboards/rules/file.ts";
import { createRules } from "../dashboards/rules/index.ts";
import type { RuleGroup } from "../dashboards/rules/rule.ts";
import { fleetTable } from "./fleet-table.ts";

/**
 * Measures how good the alert rules are. Runs them and the commonly used rules over simulated fleets of keys with known outcomes,
 * keeps alertsim's report for each fleet in `--output`, and prints the table of docs/alerts.md. `--table` prints the table from
 * existing reports.
 *
 * It runs only the groups of `dashboards/rules/` that alertsim judges, those on remaining credits, without the rules that only other
 * groups use. They come from the same source, at half the cost.
 */
const { values } = parseArgs({
  options: {
    alertsim: { type: "string", default: join(toolsDirectory(), "alertsim") },
    reference: { type: "string", default: "../shared/reference/rules/fleet" },
    keys: { type: "string", default: "108" },
    days: { type: "string", default: "14" },
    seeds: { type: "string", default: "101,202,303" },
    output: { type: "string", default: join(tmpdir(), "fleet") },
    table: { type: "boolean", default: false },
  },
});

const seeds = values.seeds.split(",");
const reportFile = (seed: string): string => join(values.output, `seed-${seed}.txt`);

if (values.table || simulate()) {
  process.stdout.write(fleetTable(seeds.map((seed) => readFileSync(reportFile(seed), "utf8"))));
} else {
  process.exitCode = 1;
}

/** Runs every fleet; returns false if one fails. */
function simulate(): boolean {
  mkdirSync(values.output, { recursive: true });
  const ours = join(values.output, "rules.yaml");
  writeFileSync(ours, renderRuleFile(exhaustionGroups()));
  const sets = {
    ours,
    predict: join(values.reference, "predict-linear.yaml"),
    static: join(values.reference, "static.yaml"),
    improved: join(values.reference, "improved.yaml"),
  };
  // A low priority, because it computes for hours while no one waits for it.
  setPriority(5);
  return seeds.every((seed) => runFleet(sets, seed));
}

function runFleet(sets: Readonly<Record<string, string>>, seed: string): boolean {
  const rules = Object.entries(sets).map(([name, file]) => `${name}=${file}`);
  const { keys, days } = values;
  const parameters = ["-rules", rules.join(","), "-keys", keys, "-days", days, "-seed", seed, "-step", "2"];
  const report = openSync(reportFile(seed), "w");
  const { status, error } = spawnSync(values.alertsim, parameters, {
    stdio: ["ignore", report, "inherit"],
    env: { GOMEMLIMIT: "6000MiB", ...process.env },
  });
  closeSync(report);
  if (status === 0) return true;
  process.stderr.write(
    `Cannot run the fleet with "${values.alertsim}": ${error?.message ?? `exit code ${status}`}\n`,
  );
  return false;
}

/** The groups up to the alerts on credits, each with only the rules that those alerts need. */
function exhaustionGroups(): readonly RuleGroup[] {
  const groups = createRules();
  const last = groups.findIndex(({ name }) => name === "aigateway-key-credits");
  const needed = groups.slice(0, last + 1);
  const texts = needed.flatMap(({ rules }) => rules.map(({ expr }) => expr)).join("\n");
  return needed.map((group) => ({
    ...group,
    rules: group.rules.filter((rule) => "alert" in rule || texts.includes(rule.record)),
  }));
}

/** The same folder that the tests take their tools from. */
function toolsDirectory(): string {
  return process.env["E2E_TOOLS"] || join(homedir(), ".cache", "aigateway-exporter", "tools");
}
