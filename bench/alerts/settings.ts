import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { FleetKind } from "./simulator.ts";

export const OPTIONS = {
  fleet: { type: "string", default: "keys" },
  keys: { type: "string", default: "108" },
  days: { type: "string", default: "30" },
  seeds: { type: "string", default: "1074,1075,1076" },
  classes: { type: "string", default: "" },
  output: { type: "string", default: join(tmpdir(), "fleet") },
  table: { type: "boolean", default: false },
  alone: { type: "boolean", default: false },
  twin: { type: "boolean", default: false },
  clauses: { type: "boolean", default: false },
  oracle: { type: "string", default: "" },
  help: { type: "boolean", default: false },
} as const;

export const HELP = `Measures the alert rules on simulated fleets with known outcomes, beside the contenders. Needs Go.

Usage: npm run rules:fleet -- [options]
  --fleet <kind>     keys, accounts, anomalies or budgets (${OPTIONS.fleet.default})
  --keys <n>         keys of a fleet, or its accounts or budgets (${OPTIONS.keys.default})
  --days <n>         days that are scored (${OPTIONS.days.default})
  --seeds <n,n,...>  one fleet for each of these seeds (${OPTIONS.seeds.default})
  --classes <regex>  only keys of classes that match (all)
  --output <folder>  where the reports are kept (${OPTIONS.output.default})
  --table            print the tables of reports that the same options wrote before
  --alone            leave out the contenders
  --twin             compute our rules on keys without Prometheus' engine: seconds instead of hours
  --clauses          as --twin, and again without each clause of the conditions: shows what each is worth
  --oracle <prices>  with keys: also an oracle for each of these prices of a false alert, such as 0.01,1 (none)
  --help             show this help

Exit codes: 0 measured, 1 our rules miss a bar, 2 an error.
`;

/** What a run of the alert benchmark measures. */
export type Settings = ReturnType<typeof readSettings>;

/** Reads the options of the command line. Throws if one is unknown or has a wrong value. */
export function readSettings(argv: readonly string[]) {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: false });
  const kind = kindOf(values.fleet);
  const isTwin = values.twin || values.clauses;
  if ((isTwin || values.oracle !== "") && kind !== "keys") {
    throw new Error(`Cannot run --fleet ${kind} by the twin or with an oracle: they have only keys`);
  }
  return {
    ...values,
    kind,
    isTwin,
    keys: wholeNumber("keys", values.keys, 1),
    days: wholeNumber("days", values.days, 1),
    seeds: values.seeds.split(",").map((seed) => wholeNumber("seeds", seed, 0)),
  };
}

function wholeNumber(option: string, text: string, least: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`Cannot read --${option}: "${text}" is not a whole number of at least ${least}`);
}

const KINDS: readonly FleetKind[] = ["keys", "accounts", "anomalies", "budgets"];

function kindOf(name: string): FleetKind {
  const kind = KINDS.find((each) => each === name);
  if (kind) return kind;
  throw new Error(`Cannot run --fleet "${name}": it is one of ${KINDS.join(", ")}`);
}
