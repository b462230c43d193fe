import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { fleetTable } from "./fleet-table.ts";
import { anomalyRules, judgedRules } from "./judged-rules.ts";
import { buildSimulator, simulateFleet } from "./simulator.ts";

/**
 * Measures how good the alert rules are: runs them and the contenders over simulated fleets of keys with known outcomes, keeps the
 * report of each fleet in `--output`, and prints the table of docs/alert-benchmark.md. The exit code is 1 if our rules miss a bar.
 * `--table` prints the table of existing reports; `--alone` leaves the contenders out. `--anomalies` prints how many anomalies of spend
 * the alerts find instead, for each seed; then 35 keys are one of each kind.
 */
const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "108" },
    days: { type: "string", default: "14" },
    seeds: { type: "string", default: "101,202,303" },
    classes: { type: "string", default: "" },
    output: { type: "string", default: join(tmpdir(), "fleet") },
    table: { type: "boolean", default: false },
    alone: { type: "boolean", default: false },
    anomalies: { type: "boolean", default: false },
  },
});

const seeds = values.seeds.split(",");
const reportFile = (seed: string): string => join(values.output, `seed-${seed}.txt`);

const contenders: readonly string[] = values.anomalies
  ? ["adaptive", "robust", "burn-rate", "predict-linear", "static"]
  : ["predict-linear", "static", "improved", "reference"];

if (!values.table) await simulate();
const reports = seeds.map((seed) => readFileSync(reportFile(seed), "utf8"));
if (values.anomalies) {
  for (const [index, report] of reports.entries()) process.stdout.write(`Seed ${seeds[index]}\n${report}\n`);
} else {
  const { text, missed } = fleetTable(reports);
  process.stdout.write(text);
  for (const bar of missed) process.stdout.write(`Missed: ${bar}\n`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

async function simulate(): Promise<void> {
  mkdirSync(values.output, { recursive: true });
  const ours = join(values.output, "rules.yaml");
  writeFileSync(ours, values.anomalies ? anomalyRules() : judgedRules());
  const rules = values.alone ? { ours } : { ours, ...Object.fromEntries(contenders.map(fileOf)) };
  // A low priority, because it computes for hours while no one waits for it.
  setPriority(5);
  const program = buildSimulator();
  const [keys, days] = [Number(values.keys), Number(values.days)];
  for (const seed of seeds) {
    const fleet = {
      rules,
      keys,
      days,
      seed: Number(seed),
      classes: values.classes,
      anomalies: values.anomalies,
    };
    writeFileSync(reportFile(seed), await simulateFleet(program, fleet));
  }
}

function fileOf(contender: string): readonly [name: string, file: string] {
  const folder = join(import.meta.dirname, "contenders", values.anomalies ? "anomalies" : "exhaustion");
  return [contender, join(folder, `${contender}.yaml`)];
}
