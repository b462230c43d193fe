import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { judgedRules } from "../../../bench/alerts/judged-rules.ts";
import { simulateFleet } from "../../../bench/alerts/simulator.ts";
import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { isAlert, type Rule, type RuleGroup } from "../../../dashboards/rules/rule.ts";
import { accountStories } from "./account-stories.ts";
import { budgetStories } from "./budget-stories.ts";
import { caseStories } from "./cases/index.ts";
import { exhaustedStories } from "./cases/key-credit-cases.ts";
import { ruleEvaluationStories } from "./cases/rule-evaluation-stories.ts";
import { unheardStories } from "./cases/unheard-stories.ts";
import { conditionStories } from "./condition-stories.ts";
import { dailyStories } from "./day-stories.ts";
import { exporterDownStories } from "./exporter-down-stories.ts";
import { inputStories } from "./input-stories.ts";
import { lastsStories } from "./lasts-stories.ts";
import { memoryStories } from "./memory-stories.ts";
import { pastStories } from "./past-stories.ts";
import { probeWeeks } from "./probe-weeks.ts";
import { reserveStories } from "./reserve-stories.ts";
import { seriesOf, type Story } from "./story.ts";
import { weekStories } from "./week-stories.ts";

/** A rule without one of its clauses; eachClause of bench/alerts/mutants.go defines them. */
export type Mutant = z.infer<typeof mutantSchema>;

const mutantSchema = z.object({ rule: z.string(), without: z.string(), expr: z.string() });
const verdictSchema = mutantSchema.extend({ by: z.string() });

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
    return z.array(mutantSchema).parse(JSON.parse(stdout));
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

/** The cheapest first, because one that notices a mutant is enough. */
export const SUITES: readonly Suite[] = [
  {
    name: "cases",
    stories: [...caseStories, ...exhaustedStories, ...unheardStories, ...ruleEvaluationStories],
    step: 1,
  },
  { name: "inputs", stories: inputStories, step: 2 },
  { name: "conditions", stories: conditionStories, step: 2 },
  { name: "lasts", stories: lastsStories, step: 2 },
  { name: "memory", stories: [...memoryStories, ...reserveStories], step: 2 },
  ...exporterDownStories.map((story) => ({ name: "exporter down", stories: [story], step: 1 })),
  { name: "accounts", stories: accountStories, step: 4 },
  { name: "budgets", stories: budgetStories, step: 4 },
  { name: "probes", stories: probeWeeks, step: 4 },
  { name: "past", stories: pastStories, step: 4 },
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

/** A mutant and what noticed it: the name of a suite, "an error of the evaluation", or "". */
export type Verdict = z.infer<typeof verdictSchema>;

/**
 * Runs the stories with each mutant until one fails, and yields the verdicts in any order. Throws if the
 * complete rules fail a story, because then a mutant would count as noticed by it.
 */
export async function* verdictsOf(
  simulator: string,
  groups: readonly RuleGroup[],
  mutants: readonly Mutant[],
  suites: readonly Suite[] = SUITES,
): AsyncGenerator<Verdict> {
  for (const part of PARTS) {
    const some = mutants.filter((mutant) => partOf(groups, mutant) === part);
    if (some[0] === undefined) continue;
    if (!suites.some(({ stories }) => stories.some(({ subject }) => part.subject.test(subject))))
      throw new Error(`No story of the suites is about ${some[0].rule}: name other suites, or rules`);
    yield* verdictsIn(simulator, part, groups, some, suites);
  }
}

async function* verdictsIn(
  simulator: string,
  part: Part,
  groups: readonly RuleGroup[],
  mutants: readonly Mutant[],
  suites: readonly Suite[],
): AsyncGenerator<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "stories-"));
  const [rules, stories] = [join(folder, "rules.yaml"), join(folder, "stories.json")];
  try {
    writeFileSync(rules, renderRuleFile(groups.filter(({ name }) => part.groups.test(name))));
    writeFileSync(
      stories,
      JSON.stringify({ suites: suites.flatMap((suite) => written(suite, part)), mutants }),
    );
    const child = spawn(simulator, ["-stories", stories, "-rules", `complete=${rules}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = Promise.all([text(child.stderr), once(child, "close")]);
    for await (const line of createInterface(child.stdout)) yield verdictSchema.parse(JSON.parse(line));
    const [errors] = await ended;
    if (child.exitCode !== 0) throw new Error(`Cannot run the stories: ${errors}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A suite for the simulator, or none if it has no story of the part. */
function written({ name, step, stories }: Suite, part: Part): readonly object[] {
  const some = stories.filter(({ subject }) => part.subject.test(subject));
  if (some.length === 0) return [];
  const expect = some.flatMap((story) =>
    // JSON has no infinity.
    story.expect.map(({ samples, ...query }) => ({
      ...query,
      samples: samples.map(({ labels, value }) => ({ labels, value: String(value) })),
    })),
  );
  return [{ name, step, series: seriesOf(some), expect }];
}

/**
 * Runs the rules on the credits of keys over a small fleet with known outcomes, and returns what was
 * announced, too late or falsely. A clause that changes the report is noticed.
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

function partOf(groups: readonly RuleGroup[], { rule: name }: Mutant): Part {
  const home = groups.find(({ rules }) => rules.some((rule) => nameOf(rule) === name));
  const part = PARTS.find((one) => one.groups.test(home?.name ?? ""));
  if (!part) throw new Error(`Cannot find the rule ${name}`);
  return part;
}

function nameOf(rule: Rule): string {
  return isAlert(rule) ? rule.alert : rule.record;
}
