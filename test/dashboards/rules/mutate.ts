import { parseArgs } from "node:util";
import { buildSimulator } from "../../../bench/alerts/simulator.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { toolPath } from "../../support/tools.ts";
import {
  checkComplete,
  fleetReport,
  isJudged,
  listMutants,
  type Mutant,
  noticedBy,
  SUITES,
  withMutant,
} from "./mutants.ts";

/**
 * Removes each clause of each rule in turn, and prints those that no story notices. Arguments select rules by parts of their names,
 * `--suites cases,days` the stories; `--all` also prints what notices the others. `--fleet` also runs those that no story notices over a
 * small fleet of keys. The exit code is 1 if a clause is unnoticed.
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
const promtool = toolPath("promtool3");
if (promtool === undefined) throw new Error("Cannot test rules without promtool 3");
const groups = createRules();
const simulator = buildSimulator();
const queue = listMutants(simulator, groups).filter(
  ({ rule }) => positionals.length === 0 || positionals.some((text) => rule.includes(text)),
);
const count = queue.length;
if (count === 0) throw new Error(`Cannot find a rule whose name contains ${positionals.join(" or ")}`);
await checkComplete(promtool, groups, suites);
const complete = values.fleet ? await fleetReport(simulator, groups) : "";
let unnoticed = 0;
await Promise.all([work(promtool), work(promtool)]);
process.stdout.write(`${count} clauses, ${unnoticed} unnoticed\n`);
process.exitCode = unnoticed > 0 ? 1 : 0;

function suitesOf(name: string): typeof SUITES {
  const named = SUITES.filter((suite) => suite.name === name);
  if (named.length > 0) return named;
  const names = [...new Set(SUITES.map((suite) => suite.name))];
  throw new Error(`Cannot find the stories "${name}": they are one of ${names.join(", ")}`);
}

async function work(program: string): Promise<void> {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const by = (await noticedBy(program, groups, mutant, suites)) ?? (await noticedByFleet(mutant));
    if (by === undefined) unnoticed += 1;
    if (by === undefined || values.all) {
      process.stdout.write(`${mutant.rule} without "${mutant.without}": ${by ?? "unnoticed"}\n`);
    }
  }
}

async function noticedByFleet(mutant: Mutant): Promise<string | undefined> {
  if (!values.fleet || !isJudged(groups, mutant)) return undefined;
  try {
    const report = await fleetReport(simulator, withMutant(groups, mutant));
    return report === complete ? undefined : "the fleet";
  } catch (error) {
    if (!String(error).includes("RULE ERROR")) throw error;
    return "an error of the evaluation";
  }
}
