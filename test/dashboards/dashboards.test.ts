import { describe, expect, test } from "vitest";

import { dashboards } from "../../dashboards/index.ts";
import { describeWithTools } from "../support/tools.ts";
import { checkRules } from "../support/promtool.ts";
import { expressionsOf, readDashboard } from "./dashboard-json.ts";
import { type Finding, lint, linterRules } from "./linter-rules.ts";
import { ownRules } from "./own-rules.ts";
import { scan } from "./promql-scan.ts";

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
    title: "AI gateway / Exporter health",
    rule: "target-instance-rule",
    at: 'panel 34 "Probe duration"',
    reason: "the usual duration is recorded over all processes",
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

  test("the linter has 17 rules", () => expect(Object.keys(linterRules)).toHaveLength(17));

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

describeWithTools(["promtool2", "promtool3"], "expressions of the dashboards", ({ promtool2, promtool3 }) => {
  const rules = files
    .flatMap(({ dashboard }) => expressionsOf(dashboard))
    .map(({ where, expr }, index) => ({
      record: `panel:expression_${index}:checked`,
      expr: `# ${where}\n${expand(expr)}`,
    }));

  test.each([
    ["2", promtool2],
    ["3", promtool3],
  ])("are valid for Prometheus %s", async (_version, promtool) => {
    const result = await checkRules(promtool, JSON.stringify({ groups: [{ name: "panels", rules }] }));
    expect(result).toMatchObject({ ok: true });
  });

  test("are reported with their location by promtool if they are invalid", async () => {
    const wrong = [{ record: "a:b:c", expr: "# Overview, panel 1\nrate(up)" }];
    const { ok, output } = await checkRules(
      promtool3,
      JSON.stringify({ groups: [{ name: "panels", rules: wrong }] }),
    );
    expect(ok).toBe(false);
    expect(output).toContain("expected type range vector");
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
    [
      "uses only labels of the selected series",
      "by (job, gateway, key)",
      "by (job, gateway, kay)",
      "Keys in danger",
    ],
    ["uses only labels of the selected series", "{{team}}", "{{taem}}", "This month by team"],
    ["uses only labels of the selected series", "team=~", "teem=~", "Spent today"],
    ["has unique panel ids", '"id": 20,', '"id": 21,', "21"],
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
    ["uneditable-dashboard", '"editable": false', '"editable": true'],
    ["template-on-time-change-reload-rule", '"refresh": 2', '"refresh": 1'],
    ["panel-datasource-rule", "${datasource}", "abc"],
    ["template-datasource-rule", '"Data source"', '"Source"'],
    ["template-job-rule", '"allValue": ".+"', '"allValue": ".*"'],
    ["template-label-promql-rule", "label_values(", "values("],
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

describe("scan", () => {
  test.each([
    ["up", ["up"], []],
    ['sum by (job, key) (a{b="}"}) / on (c) group_left () d[5m:1m]', ["a", "d"], ["job", "key", "c"]],
    ['max(last_over_time(x:y:z{a!="b"}[1d] offset -1d2h)) or vector(0) * Inf', ["x:y:z"], []],
    ["topk by (job) (1, a) ^ 0 unless bool1 and time() - 3 > bool 2 # c", ["a", "bool1"], ["job"]],
    ["a @ end() offset 5m", ["a"], []],
  ])("finds the selectors and labels of %s", (expr, names, labels) => {
    const found = scan(expr);
    expect(found.selectors.map(({ name }) => name)).toEqual(names);
    expect(found.labels).toEqual(labels);
  });
});

/** Replaces Grafana's variables, as Grafana does before a query. */
function expand(expr: string): string {
  return expr.replaceAll("$__rate_interval", "5m").replaceAll("$__interval", "1m");
}
