import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { fleetTable } from "./fleet-table.ts";
import { judgedRules } from "./judged-rules.ts";
import { buildSimulator, simulateFleet } from "./simulator.ts";

/**
 * Measures how good the alert rules are: runs them and the contenders over simulated fleets of keys with known outcomes, keeps the
 * report of each fleet in `--output`, and prints the table of docs/alert-benchmark.md. The exit code is 1 if our rules miss a bar.
 * `--table` prints the table of existing reports; `--alone` leaves the contenders out.
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
  },
});

const seeds = values.seeds.split(",");
const reportFile = (seed: string): string => join(values.output, `seed-${seed}.txt`);

if (!values.table) await simulate();
const { text, missed } = fleetTable(seeds.map((seed) => readFileSync(reportFile(seed), "utf8")));
process.stdout.write(text);
for (const bar of missed) process.stdout.write(`Missed: ${bar}\n`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function simulate(): Promise<void> {
  mkdirSync(values.output, { recursive: true });
  const ours = join(values.output, "rules.yaml");
  writeFileSync(ours, judgedRules());
  const contenders = {
    predict: contender("predict-linear"),
    static: contender("static"),
    improved: contender("improved"),
    reference: contender("reference"),
  };
  const rules = values.alone ? { ours } : { ours, ...contenders };
  // A low priority, because it computes for hours while no one waits for it.
  setPriority(5);
  const program = buildSimulator();
  const [keys, days] = [Number(values.keys), Number(values.days)];
  for (const seed of seeds) {
    const fleet = { rules, keys, days, seed: Number(seed), classes: values.classes };
    writeFileSync(reportFile(seed), await simulateFleet(program, fleet));
  }
}

function contender(name: string): string {
  return join(import.meta.dirname, "contenders", `${name}.yaml`);
}
