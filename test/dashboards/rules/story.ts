import { stringify } from "yaml";

import { renderRuleFile } from "../../../dashboards/rules/file.ts";
import { createRules } from "../../../dashboards/rules/index.ts";
import type { RuleGroup } from "../../../dashboards/rules/rule.ts";
import { testRules } from "../../support/promtool.ts";
import type { InputSeries } from "./input-series.ts";

/** A query at a minute from the beginning, 1970-01-01 00:00 UTC, and the labels and values that it gives. */
export interface Expectation {
  readonly at: number;
  readonly expr: string;
  readonly samples: readonly { readonly labels: string; readonly value: number }[];
}

type Labels = Readonly<Record<string, string>>;

/** Exactly these alerts of a subject, `key=name`, fire at a minute, of those whose names match. */
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

/** None of the alerts whose names match has fired between two minutes. */
export function silent(subject: string, names: string, from: number, to: number): Expectation {
  const minutes = Math.max(1, Math.floor(to) - Math.ceil(from));
  return {
    at: Math.floor(to),
    expr: `count_over_time(${firingAlerts(subject, names)}[${minutes}m])`,
    samples: [],
  };
}

/** The alert has fired all the time between two minutes. */
export function lasting(subject: string, name: string, from: number, to: number): Expectation {
  return {
    at: to,
    expr: `count_over_time(absent(${firingAlerts(subject, name)})[${to - from}m:2m])`,
    samples: [],
  };
}

/** Runs the generated rules over series, evaluated every so many minutes; the lines that tell what was not as expected. */
export async function failuresOf(
  promtool: string,
  series: readonly InputSeries[],
  expectations: readonly Expectation[],
  stepMinutes: number,
  groups: readonly RuleGroup[] = createRules(),
): Promise<readonly string[]> {
  const document = {
    rule_files: ["rules.yaml"],
    evaluation_interval: `${stepMinutes}m`,
    group_eval_order: groups.map(({ name }) => name),
    tests: [
      {
        interval: "1m",
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
