import { beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";

import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import type { RuleGroup } from "../../../dashboards/rules/rule.ts";
import { testRules } from "../../support/promtool.ts";
import type { InputSeries } from "./input-series.ts";

/** The history of a key, budget or probe, and the alerts that must fire for it. `subject` is `label=value`. */
export interface Story {
  readonly title: string;
  readonly subject: string;
  readonly series: readonly InputSeries[];
  readonly expect: readonly Expectation[];
}

/**
 * Defines one test for each story. All stories run together, because evaluating the rules once for many keys is much cheaper than
 * once for each key. Series have a sample and rules are evaluated every `stepMinutes`.
 */
export function testStories(
  promtool: string,
  stories: readonly Story[],
  groups?: readonly RuleGroup[],
  stepMinutes = 1,
): void {
  const all = stories.flatMap((story) => story.expect);
  let failures: readonly string[] = [];
  beforeAll(async () => {
    failures = await failuresOf(promtool, seriesOf(stories), all, groups, stepMinutes);
  }, 600_000);

  test.each(stories)("$title", ({ expect: expectations }) => {
    expect(failures.filter((failure) => !isOf(all, failure))).toEqual([]);
    expect(failures.filter((failure) => isOf(expectations, failure))).toEqual([]);
  });
}

/** The series of several stories, each once. Throws if two of them have the same name and other values. */
export function seriesOf(stories: readonly Story[]): readonly InputSeries[] {
  const series = new Map<string, InputSeries>();
  for (const one of stories.flatMap((story) => story.series)) {
    const other = series.get(one.series) ?? one;
    if (other.values !== one.values) throw new Error(`Two stories give ${one.series} different values`);
    series.set(one.series, one);
  }
  return [...series.values()];
}

/** Whether promtool's message is about one of these queries. */
function isOf(expectations: readonly Expectation[], failure: string): boolean {
  return expectations.some(({ expr }) => failure.includes(JSON.stringify(expr)));
}

/** A query at a minute since 1970-01-01 00:00 UTC, and the samples that it must return. */
export interface Expectation {
  readonly at: number;
  readonly expr: string;
  readonly samples: readonly { readonly labels: string; readonly value: number }[];
}

type Labels = Readonly<Record<string, string>>;

/** Expects exactly these alerts of a subject (`key=name`) to fire at a minute, among the alerts whose names match. */
export function firing(subject: string, at: number, names: string, alerts: readonly Labels[]): Expectation {
  return {
    at: Math.floor(at),
    expr: firingAlerts(subject, names),
    samples: alerts.map((alert) => ({
      labels: `ALERTS${labelText({ ...alert, alertstate: "firing" })}`,
      value: 1,
    })),
  };
}

/** Expects that none of the alerts whose names match fires between two minutes. */
export function silent(subject: string, names: string, from: number, to: number): Expectation {
  const minutes = Math.max(1, Math.floor(to) - Math.ceil(from));
  return {
    at: Math.floor(to),
    expr: `count_over_time(${firingAlerts(subject, names)}[${minutes}m])`,
    samples: [],
  };
}

/** Expects the alert to fire all the time between two minutes. */
export function lasting(subject: string, name: string, from: number, to: number): Expectation {
  return {
    at: Math.floor(to),
    expr: `count_over_time(absent(${firingAlerts(subject, name)})[${Math.floor(to - from)}m:2m])`,
    samples: [],
  };
}

/** Evaluates the generated rules over series, and returns a message for each failed expectation. */
export async function failuresOf(
  promtool: string,
  series: readonly InputSeries[],
  expectations: readonly Expectation[],
  groups: readonly RuleGroup[] = createRules(),
  stepMinutes = 1,
): Promise<readonly string[]> {
  const document = {
    rule_files: ["rules.yaml"],
    evaluation_interval: `${stepMinutes}m`,
    group_eval_order: groups.map(({ name }) => name),
    tests: [
      {
        interval: `${stepMinutes}m`,
        input_series: series,
        promql_expr_test: expectations.map(({ at, expr, samples }) => ({
          expr,
          eval_time: `${at}m`,
          exp_samples: samples,
        })),
      },
    ],
  };
  const files = { "rules.yaml": renderRuleFile(groups) };
  const { ok, output } = await testRules(promtool, stringify(document, { lineWidth: 0 }), files);
  if (ok) return [];
  const failures = output.split(/\n(?=[ \t]*expr: )/).slice(1);
  return failures.length > 0 ? failures : [output];
}

function firingAlerts(subject: string, names: string): string {
  const [label = "", value = ""] = subject.split("=");
  return `ALERTS{alertstate="firing",alertname=~"${names}",${label}="${value}"}`;
}

function labelText(labels: Labels): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return `{${texts.join(",")}}`;
}
