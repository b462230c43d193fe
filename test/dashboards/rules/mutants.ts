import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { isAlert, type Rule, type RuleGroup } from "../../../dashboards/rules/rule.ts";
import { accountStories } from "./account-stories.ts";
import { caseStories } from "./cases/index.ts";
import { exhaustedStories } from "./cases/key-credit-cases.ts";
import { ruleEvaluationStories } from "./cases/rule-evaluation-stories.ts";
import { unheardStories } from "./cases/unheard-stories.ts";
import { dailyStories } from "./day-stories.ts";
import { probeWeeks } from "./probe-weeks.ts";
import { failuresOf, type Story } from "./story.ts";
import { weekStories } from "./week-stories.ts";

/** A rule without one of its clauses: an operand of `and`, `or` or `unless`, or a comparison. */
export type Mutant = z.infer<typeof mutants>[number];

const mutants = z.array(z.object({ rule: z.string(), without: z.string(), expr: z.string() }));

/** Lists each rule without each of its clauses. `simulator`: the program of bench/alerts, which has Prometheus' parser. */
export function listMutants(simulator: string, groups: readonly RuleGroup[]): readonly Mutant[] {
  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const file = join(folder, "rules.yaml");
  try {
    writeFileSync(file, renderRuleFile(groups));
    const { status, stdout, stderr } = spawnSync(simulator, ["-mutants", file], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    if (status !== 0) throw new Error(`Cannot list the clauses of the rules: ${stderr}`);
    return mutants.parse(JSON.parse(stdout));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stories that run together. */
export interface Suite {
  readonly name: string;
  readonly stories: readonly Story[];
  /** Minutes. */
  readonly step: number;
}

/** All stories of the rules, the cheapest first, because one that notices a mutant is enough. */
export const SUITES: readonly Suite[] = [
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

/** Groups that depend on each other, and the label of their stories. */
interface Part {
  readonly groups: RegExp;
  readonly subject: RegExp;
}

const PARTS: readonly Part[] = [
  { groups: /^aigateway-key-/, subject: /^key=/ },
  { groups: /^aigateway-budgets$/, subject: /^budget=/ },
  { groups: /^aigateway-(?:key-inputs$|(?!key-|budgets))/, subject: /^(?!key=|budget=)/ },
];

/** Returns the first suite with a story that fails for the mutant. Throws if one fails for the complete rules. */
export async function noticedBy(
  promtool: string,
  groups: readonly RuleGroup[],
  mutant: Mutant,
  suites: readonly Suite[] = SUITES,
): Promise<string | undefined> {
  const home = groups.find(({ rules }) => rules.some((rule) => nameOf(rule) === mutant.rule));
  const part = PARTS.find((one) => one.groups.test(home?.name ?? ""));
  if (!part) throw new Error(`Cannot find the rule ${mutant.rule}`);
  const complete = groups.filter(({ name }) => part.groups.test(name));
  const changed = complete.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => (nameOf(rule) === mutant.rule ? { ...rule, expr: mutant.expr } : rule)),
  }));
  for (const suite of suites) {
    const stories = suite.stories.filter(({ subject }) => part.subject.test(subject));
    if (stories.length === 0 || (await pass(promtool, stories, suite.step, changed))) continue;
    if (await pass(promtool, stories, suite.step, complete)) return suite.name;
    throw new Error(`The complete rules fail a story of the ${suite.name}`);
  }
  return undefined;
}

async function pass(
  promtool: string,
  stories: readonly Story[],
  step: number,
  groups: readonly RuleGroup[],
): Promise<boolean> {
  const series = new Map(stories.flatMap((story) => story.series).map((one) => [one.series, one]));
  const expectations = stories.flatMap((story) => story.expect);
  return (await failuresOf(promtool, [...series.values()], expectations, step, groups)).length === 0;
}

function nameOf(rule: Rule): string {
  return isAlert(rule) ? rule.alert : rule.record;
}
