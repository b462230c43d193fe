import { describe, expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { describeWithTools } from "../support/tools.ts";
import { checkRules } from "../support/promtool.ts";
import { expressionsOf, readDashboard } from "./dashboard-json.ts";
import { type Finding, lint, linterRules } from "./linter-rules.ts";
import { ownRules } from "./own-rules.ts";

const files = dashboards.map(({ title, json }) => ({ title, dashboard: readDashboard(json) }));

interface Exclusion {
  readonly title: string;
  readonly rule: string;
  /** The panel; absent for the whole dashboard. */
  readonly at?: string;
  readonly reason: string;
}

const FOLDED = "amounts belong to the gateway, not to a process: replicas are aggregated away";

/** Exclusions from the linter's rules, with reasons. An exclusion without a finding fails. */
const EXCLUSIONS: readonly Exclusion[] = [
  ...["Overview", "Key", "Account", "Models", "Apps"].flatMap((name) =>
    ["template-instance-rule", "target-instance-rule"].map((rule) => ({
      title: `AI gateway / ${name}`,
      rule,
      reason: FOLDED,
    })),
  ),
  {
    title: "AI gateway / Exporter health",
    rule: "target-instance-rule",
    at: 'panel 15 "Firing alerts"',
    reason: "alerts are evaluated over all processes and have no instance",
  },
  {
    title: "AI gateway / Key",
    rule: "template-label-promql-rule",
    at: "key",
    reason: "the key in most danger comes first, which the values of a label do not show",
  },
];

function covers({ at }: Exclusion, finding: Finding): boolean {
  return at === undefined || at === finding.at;
}

describe("dashboards", () => {
  test("are six, each with its own uid", () => {
    expect(dashboards.map(({ uid }) => uid)).toEqual([
      "aigateway-overview",
      "aigateway-key",
      "aigateway-account",
      "aigateway-models",
      "aigateway-apps",
      "aigateway-exporter",
    ]);
  });

  describe.each(files)("$title", ({ title, dashboard }) => {
    const findings = lint(dashboard);
    test.each(Object.keys(linterRules))(
      "passes %s of the dashboard linter, or is excluded from it",
      (rule) => {
        const found = findings.filter((finding) => finding.rule === rule);
        const exclusions = EXCLUSIONS.filter((each) => each.title === title && each.rule === rule);
        expect(found.filter((finding) => !exclusions.some((each) => covers(each, finding)))).toEqual([]);
        expect(exclusions.filter((each) => !found.some((finding) => covers(each, finding)))).toEqual([]);
      },
    );

    test.each(Object.entries(ownRules))("%s", (_name, check) => expect(check(dashboard)).toEqual([]));
  });
});

describeWithTools(["promtool3"], "expressions of the dashboards", ({ promtool3 }) => {
  const rules = files
    .flatMap(({ dashboard }) => expressionsOf(dashboard))
    .map(({ where, expr }, index) => ({
      record: `panel:expression_${index}:checked`,
      expr: `# ${where}\n${expand(expr)}`,
    }));

  test("are valid for Prometheus", async () => {
    const result = await checkRules(promtool3, JSON.stringify({ groups: [{ name: "panels", rules }] }));
    expect(result).toMatchObject({ ok: true });
  });
});

describe("the checks themselves", () => {
  const [overview] = dashboards;
  const broken = (from: string, to: string) => readDashboard((overview?.json ?? "").replaceAll(from, to));

  test.each([
    [
      "selects only existing series",
      "aigateway_key_usage_day_credits",
      "aigateway_key_usage_dya_credits",
      "Spent today",
    ],
    ["uses only labels of the selected series", "team=~", "teem=~", "Spent today"],
    [
      "explains for every panel why it may be empty",
      '"noValue": "no keys"',
      '"noValue": ""',
      "Keys in danger",
    ],
  ])("%s: replacing %s with %s is reported in %s", (rule, from, to, where) => {
    const found = ownRules[rule]?.(broken(from, to)) ?? [];
    expect(found.join("\n")).toContain(where);
  });

  test.each([
    ["target-job-rule", 'job=~\\"$job\\"', 'job=\\"a\\"'],
    ["panel-units-rule", '"unit": "s"', '"unit": "sec"'],
    ["panel-title-description-rule", '"title": "Runway of keys"', '"title": ""'],
  ])("%s reports %s → %s", (rule, from, to) => {
    expect(lint(broken(from, to)).map((finding) => finding.rule)).toContain(rule);
  });

  test.each([
    ["target-rate-interval-rule", 'sum(rate(a_total{job=~\\"$job\\"}[5m]))'],
    ["target-counter-agg-rule", 'sum(a_total{job=~\\"$job\\"})'],
    ["target-promql-rule", "1 + 1"],
  ])("%s reports %s", (rule, expr) => {
    const changed = (overview?.json ?? "").replace(/"expr": "(?:[^"\\]|\\.)*"/g, () => `"expr": "${expr}"`);
    expect(lint(readDashboard(changed)).map((finding) => finding.rule)).toContain(rule);
  });
});

/** Replaces Grafana's variables, as Grafana does before a query. */
function expand(expr: string): string {
  return expr.replaceAll("$__rate_interval", "5m").replaceAll("$__interval", "1m");
}
