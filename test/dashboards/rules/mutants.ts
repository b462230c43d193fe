import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { judgedRules } from "../../../bench/alerts/judged-rules.ts";
import { simulateFleet } from "../../../bench/alerts/simulator.ts";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { isAlert, type Rule, type RuleGroup } from "../../../dashboards/rules/rule.ts";
import { accountStories } from "./account-stories.ts";
import { caseStories } from "./cases/index.ts";
import { exhaustedStories } from "./cases/key-credit-cases.ts";
import { ruleEvaluationStories } from "./cases/rule-evaluation-stories.ts";
import { unheardStories } from "./cases/unheard-stories.ts";
import { dailyStories } from "./day-stories.ts";
import { exporterDownStories } from "./exporter-down-stories.ts";
import { memoryStories } from "./memory-stories.ts";
import { prepaidStories } from "./prepaid-stories.ts";
import { probeWeeks } from "./probe-weeks.ts";
import { reserveStories } from "./reserve-stories.ts";
import { failuresOf, seriesOf, type Story } from "./story.ts";
import { weekStories } from "./week-stories.ts";

/** A rule without one of its clauses: a comparison, or an operand of `and`, `or` or `unless`. */
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

/** The stories that run rules by promtool, the cheapest first, because one that notices a mutant is enough. */
export const SUITES: readonly Suite[] = [
  {
    name: "cases",
    stories: [...caseStories, ...exhaustedStories, ...unheardStories, ...ruleEvaluationStories],
    step: 1,
  },
  { name: "memory", stories: [...memoryStories, ...reserveStories], step: 2 },
  ...exporterDownStories.map((story) => ({ name: "exporter down", stories: [story], step: 1 })),
  { name: "accounts", stories: accountStories, step: 4 },
  { name: "prepaid", stories: prepaidStories, step: 4 },
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

/** Returns the first suite with a story that fails for the mutant, or undefined. The complete rules must pass: see `checkComplete`. */
export async function noticedBy(
  promtool: string,
  groups: readonly RuleGroup[],
  mutant: Mutant,
  suites: readonly Suite[] = SUITES,
): Promise<string | undefined> {
  const part = partOf(groups, mutant);
  const changed = withMutant(groups, mutant).filter(({ name }) => part.groups.test(name));
  for (const suite of suites) {
    const stories = suite.stories.filter(({ subject }) => part.subject.test(subject));
    const failures = await failuresIn(promtool, stories, suite.step, changed);
    if (failures.length > 0) return comparesResults(failures) ? suite.name : "an error of the evaluation";
  }
  return undefined;
}

/**
 * Runs the rules on the credits of keys over a small fleet with known outcomes, and returns what was announced, too late or falsely.
 * A clause that changes the report is noticed.
 */
export async function fleetReport(simulator: string, groups: readonly RuleGroup[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  const file = join(folder, "rules.yaml");
  try {
    writeFileSync(file, judgedRules(groups));
    const report = await simulateFleet(simulator, { ...FLEET, rules: { ours: file } });
    return report.replace(/^.* engine time .*$/m, "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A key of each class for a week after three days of warm-up. */
const FLEET = { kind: "keys", keys: 27, days: 7, seed: 1001 } as const;

/** Whether the fleet has what the mutant's rule is about. */
export function isJudged(groups: readonly RuleGroup[], mutant: Mutant): boolean {
  return judgedRules(withMutant(groups, mutant)) !== judgedRules(groups);
}

export function withMutant(groups: readonly RuleGroup[], { rule: name, expr }: Mutant): readonly RuleGroup[] {
  return groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => (nameOf(rule) === name ? { ...rule, expr } : rule)),
  }));
}

function partOf(groups: readonly RuleGroup[], mutant: Mutant): Part {
  const home = groups.find(({ rules }) => rules.some((rule) => nameOf(rule) === mutant.rule));
  const part = PARTS.find((one) => one.groups.test(home?.name ?? ""));
  if (!part) throw new Error(`Cannot find the rule ${mutant.rule}`);
  return part;
}

/** Throws if the complete rules fail a story, because then a mutant would count as noticed by it. */
export async function checkComplete(
  promtool: string,
  groups: readonly RuleGroup[],
  suites: readonly Suite[] = SUITES,
): Promise<void> {
  for (const part of PARTS) {
    const complete = groups.filter(({ name }) => part.groups.test(name));
    for (const suite of suites) {
      const stories = suite.stories.filter(({ subject }) => part.subject.test(subject));
      const [failure] = await failuresIn(promtool, stories, suite.step, complete);
      if (failure !== undefined)
        throw new Error(`The complete rules fail a story of the ${suite.name}: ${failure}`);
    }
  }
}

async function failuresIn(
  promtool: string,
  stories: readonly Story[],
  step: number,
  groups: readonly RuleGroup[],
): Promise<readonly string[]> {
  if (stories.length === 0) return [];
  const expectations = stories.flatMap((story) => story.expect);
  return failuresOf(promtool, seriesOf(stories), expectations, step, groups);
}

/** Whether promtool compared results. Other failures are of the expression, such as a join of many to many. */
function comparesResults(failures: readonly string[]): boolean {
  return failures.every((failure) => failure.trimStart().startsWith("expr:"));
}

function nameOf(rule: Rule): string {
  return isAlert(rule) ? rule.alert : rule.record;
}
