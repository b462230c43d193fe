import { parseArgs } from "node:util";
import { buildSimulator } from "../../../bench/alerts/simulator.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { toolPath } from "../../support/tools.ts";
import { checkComplete, listMutants, noticedBy, SUITES } from "./mutants.ts";

/**
 * Removes each clause of each rule in turn, and prints those that no story notices. Arguments select rules by parts of their names,
 * `--suites cases,days` the stories; `--all` also prints what notices the others.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean", default: false }, suites: { type: "string", default: "" } },
});

const suites = values.suites === "" ? SUITES : values.suites.split(",").map(suiteOf);
const promtool = toolPath("promtool3");
if (promtool === undefined) throw new Error("Cannot test rules without promtool 3");
const groups = createRules();
const queue = listMutants(buildSimulator(), groups).filter(
  ({ rule }) => positionals.length === 0 || positionals.some((text) => rule.includes(text)),
);
const count = queue.length;
await checkComplete(promtool, groups, suites);
let unnoticed = 0;
await Promise.all([work(promtool), work(promtool)]);
process.stdout.write(`${count} clauses, ${unnoticed} unnoticed\n`);

function suiteOf(name: string): (typeof SUITES)[number] {
  const suite = SUITES.find((one) => one.name === name);
  if (!suite)
    throw new Error(`Cannot find the stories "${name}": ${SUITES.map((one) => one.name).join(", ")}`);
  return suite;
}

async function work(program: string): Promise<void> {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const by = await noticedBy(program, groups, mutant, suites);
    if (by === undefined) unnoticed += 1;
    if (by === undefined || values.all) {
      process.stdout.write(`${mutant.rule} without "${mutant.without}": ${by ?? "unnoticed"}\n`);
    }
  }
}
