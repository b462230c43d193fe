import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";

import { thresholds } from "../../dashboards/thresholds.ts";
import { classTable } from "./class-table.ts";
import { clauseTable } from "./clause-table.ts";
import { fleetTable } from "./fleet-table.ts";
import { accountRules, anomalyRules, budgetRules, judgedRules } from "./judged-rules.ts";
import { readReport } from "./report.ts";
import { HELP, readSettings, type Settings } from "./settings.ts";
import { buildSimulator, type FleetKind, simulateFleet } from "./simulator.ts";

/**
 * Measures how good the alert rules are: runs them and the contenders over simulated fleets with known
 * outcomes, keeps the report of each fleet in a folder of `--output` that is named after the settings, and
 * prints the tables of docs/alert-benchmark.md. `--help` lists the options. Balances of accounts have no
 * bars. For anomalies and budgets it prints the report of each seed.
 */
async function main(argv: readonly string[]): Promise<number> {
  let settings: Settings;
  try {
    settings = readSettings(argv);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\nRun with --help to see the options\n`);
    return 2;
  }
  if (settings.help) {
    process.stdout.write(HELP);
    return 0;
  }
  return measure(settings);
}

async function measure(settings: Settings): Promise<number> {
  const { kind, seeds } = settings;
  if (!settings.table) await simulate(settings);
  const reports = seeds.map((seed) => readReportFile(settings, seed));
  if (settings.clauses) {
    process.stdout.write(clauseTable(reports));
  } else if (kind === "keys" || kind === "accounts") {
    const fleets = reports.map(readReport);
    const { text, missed } = fleetTable(fleets, kind === "keys");
    process.stdout.write(kind === "keys" ? `${text}\n${classTable(fleets)}` : text);
    for (const bar of missed) process.stdout.write(`Missed: ${bar}\n`);
    process.stdout.write(`Worst keys, and how to replay one: ${folderOf(settings)}/seed-*.txt\n`);
    return missed.length === 0 ? 0 : 1;
  } else {
    for (const [index, report] of reports.entries()) {
      process.stdout.write(`Seed ${seeds[index]}\n${report}\n`);
    }
  }
  return 0;
}

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

/** The settings are in the name of the folder, so that `--table` never mixes reports of different fleets. */
function folderOf({ output, kind, keys, days, classes, isTwin, clauses, oracle, alone }: Settings): string {
  const rules = clauses ? "clauses" : isTwin ? "twin" : "engine";
  const parts = [
    kind,
    `${keys}-keys`,
    `${days}-days`,
    rules,
    alone ? "alone" : "",
    oracle === "" ? "" : `oracle-${encodeURIComponent(oracle)}`,
    encodeURIComponent(classes),
  ];
  return join(output, parts.filter((part) => part !== "").join("_"));
}

function reportFile(settings: Settings, seed: number): string {
  return join(folderOf(settings), `seed-${seed}.txt`);
}

function readReportFile(settings: Settings, seed: number): string {
  try {
    return readFileSync(reportFile(settings, seed), "utf8");
  } catch (cause) {
    throw new Error(`Cannot read the report of seed ${seed}: run the same command without --table first`, {
      cause,
    });
  }
}

async function simulate(settings: Settings): Promise<void> {
  const { kind, keys, days, classes, isTwin, clauses, oracle, alone } = settings;
  const folder = folderOf(settings);
  mkdirSync(folder, { recursive: true });
  const ours = join(folder, "rules.yaml");
  writeFileSync(ours, FLEETS[kind].ours());
  const thresholdsFile = join(folder, "thresholds.json");
  writeFileSync(thresholdsFile, JSON.stringify(thresholds));
  const twin = { thresholds: thresholdsFile, without: clauses ? "each" : "" };
  const contenders = alone || clauses ? [] : FLEETS[kind].contenders.map((name) => contenderOf(kind, name));
  const rules = { ...(isTwin ? {} : { ours }), ...Object.fromEntries(contenders) };
  // A low priority, because it computes for hours while no one waits for it.
  setPriority(5);
  const program = buildSimulator();
  for (const seed of settings.seeds) {
    const one = { kind, rules, oracle, keys, days, seed, classes };
    const fleet = isTwin ? { ...one, twin } : one;
    writeFileSync(reportFile(settings, seed), await simulateFleet(program, fleet));
  }
}

function contenderOf(kind: FleetKind, name: string): readonly [name: string, file: string] {
  return [name, join(import.meta.dirname, "contenders", kind, `${name}.yaml`)];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 2;
}
