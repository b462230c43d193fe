import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fleetTable } from "./fleet-table.ts";
import { accountRules, judgedRules } from "./judged-rules.ts";
import { readReport } from "./report.ts";
import { type FleetKind, buildSimulator, simulateFleet } from "./simulator.ts";
import { parseArgs } from "node:util";

const OPTIONS = {
  fleet: { type: "string", default: "keys" },
  keys: { type: "string", default: "108" },
  days: { type: "string", default: "30" },
  seeds: { type: "string", default: "1074,1075,1076" },
  classes: { type: "string", default: "" },
  output: { type: "string", default: join(tmpdir(), "fleet") },
  table: { type: "boolean", default: false },
  alone: { type: "boolean", default: false },
  engine: { type: "boolean", default: false },
  history: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const HELP = `Measures the alert rules on simulated fleets with known outcomes, beside the contenders. Needs Go.

Usage: npm run rules:fleet -- [options]
  --fleet <kind>     keys, layers or accounts (${OPTIONS.fleet.default})
  --keys <n>         keys of a fleet, or its accounts (${OPTIONS.keys.default})
  --days <n>         days that are scored (${OPTIONS.days.default})
  --seeds <n,n,...>  one fleet for each of these seeds (${OPTIONS.seeds.default})
  --classes <regex>  only keys of classes that match (all)
  --output <folder>  where the reports are kept (${OPTIONS.output.default})
  --table            print the tables of reports that the same options wrote before
  --alone            leave out the contenders
  --engine           evaluate our rules in Prometheus' engine: hours instead of minutes
  --history          begin each process of the exporter with the gateway's history
  --help             show this help

Exit codes: 0 measured, 1 our rules miss a bar, 2 an error.
`;

/** What a run of the alert benchmark measures. */
type Settings = ReturnType<typeof readSettings>;

/** Reads the options of the command line. Throws if one is unknown or has a wrong value. */
function readSettings(argv: readonly string[]) {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: false });
  const kind = kindOf(values.fleet);
  return {
    ...values,
    kind,
    keys: wholeNumber("keys", values.keys, 1),
    days: wholeNumber("days", values.days, 1),
    seeds: values.seeds.split(",").map((seed) => wholeNumber("seeds", seed, 0)),
  };
}

function wholeNumber(option: string, text: string, least: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`Cannot read --${option}: "${text}" is not a whole number of at least ${least}`);
}

const KINDS: readonly FleetKind[] = ["keys", "layers", "accounts"];

function kindOf(name: string): FleetKind {
  const kind = KINDS.find((each) => each === name);
  if (kind) return kind;
  throw new Error(`Cannot run --fleet "${name}": it is one of ${KINDS.join(", ")}`);
}

/**
 * Measures how good the alert rules are: runs them and the contenders over simulated fleets with known
 * outcomes, keeps the report of each fleet in a folder of `--output` that is named after the settings, and
 * prints the tables of docs/alert-benchmark.md. `--help` lists the options. Balances of accounts have no
 * bars.
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
  const { text, missed } = fleetTable(reports.map(readReport), kind !== "accounts");
  process.stdout.write(text);
  for (const bar of missed) process.stdout.write(`Missed: ${bar}\n`);
  process.stdout.write(`By class: ${folderOf(settings)}/seed-*.txt\n`);
  return missed.length === 0 ? 0 : 1;
}

/** What is measured on each kind of fleet. Contenders are files of a folder of the same name. */
const FLEETS: Readonly<
  Record<FleetKind, { readonly ours: () => string; readonly contenders: readonly string[] }>
> = {
  keys: { ours: judgedRules, contenders: ["predict-linear", "static", "improved", "reference"] },
  layers: { ours: judgedRules, contenders: [] },
  accounts: { ours: accountRules, contenders: ["predict-linear", "static"] },
};

/** The settings are in the name of the folder, so that `--table` never mixes reports of different fleets. */
function folderOf({ output, kind, keys, days, classes, engine, history, alone }: Settings): string {
  const parts = [
    kind,
    `${keys}-keys`,
    `${days}-days`,
    engine ? "engine" : "",
    history ? "history" : "",
    alone ? "alone" : "",
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
  const { kind, keys, days, classes, engine, history, alone } = settings;
  const folder = folderOf(settings);
  mkdirSync(folder, { recursive: true });
  const ours = join(folder, "rules.yaml");
  writeFileSync(ours, FLEETS[kind].ours());
  const contenders = alone ? [] : FLEETS[kind].contenders.map((name) => contenderOf(kind, name));
  const rules = { ...(engine ? { ours } : {}), ...Object.fromEntries(contenders) };
  // A low priority, because it computes for hours while no one waits for it.
  setPriority(5);
  const program = buildSimulator();
  for (const seed of settings.seeds) {
    const fleet = { kind, rules, history, keys, days, seed, classes };
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
