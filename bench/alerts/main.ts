import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { thresholds } from "../../dashboards/thresholds.ts";
import { clauseTable } from "./clause-table.ts";
import { fleetTable } from "./fleet-table.ts";
import { accountRules, anomalyRules, budgetRules, judgedRules } from "./judged-rules.ts";
import { buildSimulator, type FleetKind, simulateFleet } from "./simulator.ts";

/**
 * Measures how good the alert rules are: runs them and the contenders over simulated fleets with known outcomes, keeps the report of
 * each fleet in `--output`, and prints the table of docs/alert-benchmark.md. The exit code is 1 if our rules miss a bar.
 * `--table` prints the table of existing reports; `--alone` leaves the contenders out. `--fleet accounts` prints the same table for
 * balances, which have no bars; `--fleet anomalies` and `--fleet budgets` print how well the alerts announce anomalies of spend, or
 * that a budget is exceeded, for each seed. `--twin` computes our rules on keys without Prometheus' engine, in seconds; `--clauses` does so
 * without each clause of their conditions in turn, and prints what each is worth.
 */
const { values } = parseArgs({
  options: {
    fleet: { type: "string", default: "keys" },
    keys: { type: "string", default: "108" },
    days: { type: "string", default: "14" },
    seeds: { type: "string", default: "101,202,303" },
    classes: { type: "string", default: "" },
    output: { type: "string", default: join(tmpdir(), "fleet") },
    table: { type: "boolean", default: false },
    alone: { type: "boolean", default: false },
    twin: { type: "boolean", default: false },
    clauses: { type: "boolean", default: false },
  },
});

/** What is measured on each kind of fleet. Contenders are files of a folder of the same name. */
const FLEETS: Readonly<
  Record<FleetKind, { readonly ours: () => string; readonly contenders: readonly string[] }>
> = {
  keys: { ours: judgedRules, contenders: ["predict-linear", "static", "improved", "reference"] },
  accounts: { ours: accountRules, contenders: ["predict-linear", "static"] },
  anomalies: {
    ours: anomalyRules,
    contenders: ["adaptive", "robust", "burn-rate", "predict-linear", "static"],
  },
  budgets: { ours: budgetRules, contenders: ["mean-rate", "predict-linear", "static"] },
};

const seeds = values.seeds.split(",");
const reportFile = (seed: string): string => join(values.output, `seed-${seed}.txt`);

const kind = kindOf(values.fleet);
if ((values.twin || values.clauses) && kind !== "keys") {
  throw new Error(`Cannot run --fleet ${kind} by the twin: it has only the rules on keys`);
}
if (!values.table) await simulate();
const reports = seeds.map((seed) => readFileSync(reportFile(seed), "utf8"));
if (values.clauses) {
  process.stdout.write(clauseTable(reports));
} else if (kind === "keys" || kind === "accounts") {
  const { text, missed } = fleetTable(reports, kind === "keys");
  process.stdout.write(text);
  for (const bar of missed) process.stdout.write(`Missed: ${bar}\n`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} else {
  for (const [index, report] of reports.entries()) process.stdout.write(`Seed ${seeds[index]}\n${report}\n`);
}

async function simulate(): Promise<void> {
  mkdirSync(values.output, { recursive: true });
  const ours = join(values.output, "rules.yaml");
  writeFileSync(ours, FLEETS[kind].ours());
  const thresholdsFile = join(values.output, "thresholds.json");
  writeFileSync(thresholdsFile, JSON.stringify(thresholds));
  const twin = { thresholds: thresholdsFile, without: values.clauses ? "each" : "" };
  const isTwin = values.twin || values.clauses;
  const contenders = values.alone || values.clauses ? [] : FLEETS[kind].contenders.map(contenderOf);
  const rules = { ...(isTwin ? {} : { ours }), ...Object.fromEntries(contenders) };
  // A low priority, because it computes for hours while no one waits for it.
  setPriority(5);
  const program = buildSimulator();
  const [keys, days] = [Number(values.keys), Number(values.days)];
  for (const seed of seeds) {
    const one = { kind, rules, keys, days, seed: Number(seed), classes: values.classes };
    const fleet = isTwin ? { ...one, twin } : one;
    writeFileSync(reportFile(seed), await simulateFleet(program, fleet));
  }
}

function contenderOf(name: string): readonly [name: string, file: string] {
  return [name, join(import.meta.dirname, "contenders", kind, `${name}.yaml`)];
}

function kindOf(name: string): FleetKind {
  if (isKind(name)) return name;
  throw new Error(`Cannot run --fleet "${name}": it is one of ${Object.keys(FLEETS).join(", ")}`);
}

function isKind(name: string): name is FleetKind {
  return Object.hasOwn(FLEETS, name);
}
