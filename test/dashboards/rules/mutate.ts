import { parseArgs } from "node:util";
import { buildSimulator } from "../../../bench/alerts/simulator.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import {
  fleetReport,
  isJudged,
  listMutants,
  type Mutant,
  SUITES,
  verdictsOf,
  withMutant,
} from "./mutants.ts";

/**
 * Removes each clause of each rule in turn, and prints those that no story notices. Arguments select rules by
 * parts of their names, `--suites cases,days` the stories; `--all` also prints what notices the others.
 * `--fleet` also runs those that no story notices over a small fleet of keys. The exit code is 1 if a clause
 * is unnoticed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    suites: { type: "string", default: "" },
    fleet: { type: "boolean", default: false },
  },
});

const suites = values.suites === "" ? SUITES : values.suites.split(",").flatMap(suitesOf);
const groups = createRules();
const simulator = buildSimulator();
const mutants = listMutants(simulator, groups).filter(
  ({ rule }) => positionals.length === 0 || positionals.some((part) => rule.includes(part)),
);
if (mutants.length === 0)
  throw new Error(`Cannot find a rule whose name contains ${positionals.join(" or ")}`);
const complete = values.fleet ? await fleetReport(simulator, groups) : "";
let unnoticed = 0;
for await (const verdict of verdictsOf(simulator, groups, mutants, suites)) {
  const by = verdict.by || (await noticedByFleet(verdict));
  if (by === "") unnoticed += 1;
  if (by === "" || values.all) {
    process.stdout.write(`${verdict.rule} without "${verdict.without}": ${by || "unnoticed"}\n`);
  }
}
process.stdout.write(`${mutants.length} clauses, ${unnoticed} unnoticed\n`);
process.exitCode = unnoticed > 0 ? 1 : 0;

function suitesOf(name: string): typeof SUITES {
  const named = SUITES.filter((suite) => suite.name === name);
  if (named.length > 0) return named;
  const names = [...new Set(SUITES.map((suite) => suite.name))];
  throw new Error(`Cannot find the stories "${name}": they are one of ${names.join(", ")}`);
}

async function noticedByFleet(mutant: Mutant): Promise<string> {
  if (!values.fleet || !isJudged(groups, mutant)) return "";
  try {
    const report = await fleetReport(simulator, withMutant(groups, mutant));
    return report === complete ? "" : "the fleet";
  } catch (error) {
    if (!String(error).includes("RULE ERROR")) throw error;
    return "an error of the evaluation";
  }
}
