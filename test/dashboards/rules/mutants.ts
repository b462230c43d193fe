import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { buildSimulator } from "../../../bench/alerts/simulator.ts";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import { isAlert, type Rule, type RuleGroup } from "../../../dashboards/rules/rule.ts";
import { toolPath } from "../../support/tools.ts";
import { accountStories } from "./account-stories.ts";
import { caseStories } from "./cases/index.ts";
import { exhaustedStories } from "./cases/key-credit-cases.ts";
import { ruleEvaluationStories } from "./cases/rule-evaluation-stories.ts";
import { unheardStories } from "./cases/unheard-stories.ts";
import { dailyStories } from "./day-stories.ts";
import { probeWeeks } from "./probe-weeks.ts";
import { failuresOf, type Story } from "./story.ts";
import { weekStories } from "./week-stories.ts";

/**
 * Removes each clause of each rule in turn (an operand of `and`, `or` or `unless`, or a comparison) and prints those that no story
 * notices. Arguments select rules by parts of their names, `--suites` the stories; `--all` also prints what notices the others.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean", default: false }, suites: { type: "string", default: "" } },
});

/** The cheapest stories first, because one that notices is enough. */
const ALL_SUITES: readonly Suite[] = [
  {
    name: "cases",
    stories: [...caseStories, ...exhaustedStories, ...unheardStories, ...ruleEvaluationStories],
    step: 1,
  },
  { name: "accounts", stories: accountStories, step: 4 },
  { name: "probes", stories: probeWeeks, step: 4 },
  { name: "days", stories: dailyStories, step: 2 },
  { name: "weeks", stories: weekStories, step: 4 },
];

const SUITES = ALL_SUITES.filter(
  ({ name }) => values.suites === "" || values.suites.split(",").includes(name),
);

interface Suite {
  readonly name: string;
  readonly stories: readonly Story[];
  /** Minutes. */
  readonly step: number;
}

/** Rules that depend on each other, and the label of their stories. */
interface Part {
  readonly groups: RegExp;
  readonly subject: RegExp;
}

const PARTS: readonly Part[] = [
  { groups: /^aigateway-key-/, subject: /^key=/ },
  { groups: /^aigateway-budgets$/, subject: /^budget=/ },
  { groups: /^aigateway-(?:key-inputs$|(?!key-|budgets))/, subject: /^(?!key=|budget=)/ },
];
const mutants = z.array(z.object({ rule: z.string(), without: z.string(), expr: z.string() }));
type Mutant = z.infer<typeof mutants>[number];

const promtool = toolPath("promtool3") ?? stop("Cannot test rules without promtool 3");
const groups = createRules();
const queue = mutantsIn(groups).filter(
  ({ rule }) => positionals.length === 0 || positionals.some((text) => rule.includes(text)),
);
const count = queue.length;
const unnoticed: Mutant[] = [];
for (const part of PARTS) {
  const failing = await firstFailing(part, groups);
  if (failing !== undefined) stop(`The complete rules fail the ${failing} of ${part.subject}`);
}
await Promise.all([work(), work()]);
process.stdout.write(`${count} clauses, ${unnoticed.length} unnoticed\n`);

async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const by = await noticedBy(mutant);
    if (by === undefined) unnoticed.push(mutant);
    if (by === undefined || values.all) {
      process.stdout.write(`${mutant.rule} without "${mutant.without}": ${by ?? "unnoticed"}\n`);
    }
  }
}

async function noticedBy({ rule, expr }: Mutant): Promise<string | undefined> {
  const home = groups.find(({ rules }) => rules.some((one) => nameOf(one) === rule));
  const part =
    PARTS.find((one) => one.groups.test(home?.name ?? "")) ?? stop(`No stories for the rule ${rule}`);
  const changed = groups.map((group) => ({
    ...group,
    rules: group.rules.map((one) => (nameOf(one) === rule ? { ...one, expr } : one)),
  }));
  return firstFailing(part, changed);
}

/** The first suite with a story of this part that fails. */
async function firstFailing(part: Part, of: readonly RuleGroup[]): Promise<string | undefined> {
  const partial = of.filter(({ name }) => part.groups.test(name));
  for (const { name, stories, step } of SUITES) {
    const relevant = stories.filter(({ subject }) => part.subject.test(subject));
    const series = new Map(relevant.flatMap((story) => story.series).map((one) => [one.series, one]));
    const expectations = relevant.flatMap((story) => story.expect);
    if (relevant.length === 0) continue;
    const failures = await failuresOf(promtool, [...series.values()], expectations, step, partial);
    if (failures.length > 0) return `${name} (${failures[0]?.trim().slice(0, 300)})`;
  }
  return undefined;
}

function mutantsIn(of: readonly RuleGroup[]): Mutant[] {
  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const file = join(folder, "rules.yaml");
  try {
    writeFileSync(file, renderRuleFile(of));
    const { status, stdout } = spawnSync(buildSimulator(), ["-mutants", file], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      stdio: ["ignore", "pipe", "inherit"],
    });
    return status === 0 ? mutants.parse(JSON.parse(stdout)) : stop("Cannot list the clauses of the rules");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nameOf(rule: Rule): string {
  return isAlert(rule) ? rule.alert : rule.record;
}

function stop(message: string): never {
  throw new Error(message);
}
