import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { createRules } from "../../../dashboards/rules/index.ts";
import { isAlert } from "../../../dashboards/rules/rule.ts";
import { secondsOf } from "./promql-text.ts";

const LINKS = {
  runbookBaseUrl: "https://runbooks.example/alerts.md",
  dashboardBaseUrl: "https://grafana.example/d",
};
const alerts = createRules(LINKS).flatMap(({ rules }) => rules.filter(isAlert));

/** The template actions that descriptions may use, so that none fails when an alert fires. */
const TEMPLATE =
  /^(?:\$labels\.(?:key|budget|window|job|query|endpoint|probe|model|workspace|rule_group)|with \$labels\.(?:team|gateway)|\.|\$value(?: \| (?:humanizeDuration(?: \| reReplaceAll "-" "")?|humanizePercentage|printf "%\.2f"))?|(?:else )?if eq \$labels\.scope "[a-z]+"|if ne \$labels\.window "total"|if and \(eq \$labels\.scope "account"\) \(eq \$labels\.window "total"\)|(?:else )?if gt \$value 0\.0|if lt \$value 0\.0|else|end)$/;

describe.each(alerts)("$alert", (alert) => {
  const name = alert.alert;
  const {
    summary,
    description,
    runbook_url: runbook = "",
    dashboard_url: dashboard = "",
  } = alert.annotations;

  test("has a name and severity that the linters accept", () => {
    expect(name).toMatch(/^AIGateway(?:[A-Z]+[a-z0-9]+)+$/);
    expect(name.length).toBeLessThanOrEqual(40);
    expect(["critical", "warning", "info"]).toContain(alert.labels.severity);
    expect(JSON.stringify(alert.labels)).not.toContain("{{");
  });

  test("has a plain summary, and a description with known templates", () => {
    expect(summary).toMatch(/^[A-Z][^{}]+\.$/);
    expect(description).toMatch(/\{\{.+\}\}.*\.$/);
    const templates = [...description.matchAll(/\{\{(.*?)\}\}/g)].map(([, template = ""]) => template.trim());
    expect(templates.filter((template) => !TEMPLATE.test(template))).toEqual([]);
  });

  // Prometheus evaluates the rules of all gateways together.
  test.skipIf(name === "AIGatewayRuleEvaluationSlow")(
    "names the gateway, because several may be watched",
    () => {
      expect(description).toContain("{{ with $labels.gateway }}");
    },
  );

  test("links to its runbook and a dashboard", () => {
    expect(runbook).toMatch(new RegExp(`^https://[^#]+#${name.toLowerCase()}$`));
    expect(dashboard).toMatch(/^https:\/\/\S+\/d\/aigateway-[a-z]+/);
  });

  test("compares values and uses no operator with an arbitrary choice", () => {
    // A start is recorded only while a comparison holds.
    expect(alert.expr).toMatch(/[<>]|[!=]=|\bresets\b|:aigateway_alert_start_timestamp_seconds:/);
    expect(alert.expr).not.toMatch(/\b(?:topk|bottomk|count_values|limitk)\b/);
  });

  // A correction is an event whose condition holds for an hour.
  test.skipIf(name === "AIGatewayKeyUsageCorrected")("waits for more than one evaluation", () => {
    expect(secondsOf(alert.for ?? "0s")).toBeGreaterThanOrEqual(120);
    expect(secondsOf(alert.keep_firing_for ?? "10m")).toBeGreaterThan(60);
  });

  test.runIf(/^AIGateway(?:Key|Probe)/.test(name))("names the key", () => {
    expect(description).toContain("{{ $labels.key }}");
  });

  test.runIf(name.startsWith("AIGatewayProbe"))("carries the team of the key that pays", () => {
    expect(alert.expr).toMatch(/group_left \(model, key, team\)|^probe:aigateway_info:latest\n/);
  });

  test.runIf(/^AIGateway(?:Key|Budget)/.test(name))(
    "carries its owner's team and sets the dashboard's variable",
    () => {
      expect(alert.expr).toMatch(
        /group_left \(team(?:, scope, window)?\)|max by \(job, gateway, key, team\)/,
      );
      const label = name.startsWith("AIGatewayKey") ? "key" : "budget";
      expect(dashboard).toContain(`?var-${label}={{ $labels.${label} }}`);
    },
  );
});

test("alerts have no links unless their addresses are known", () => {
  expect(JSON.stringify(createRules())).not.toMatch(/_url|https?:/);
});

describe("docs/alerts.md", () => {
  const text = readFileSync(new URL("../../../docs/alerts.md", import.meta.url), "utf8");
  const parts = text.split(/^### /m).slice(1);
  const sections = new Map(parts.map((section) => [/^.*/.exec(section)?.[0] ?? "", section]));

  test("has exactly one heading for each alert", () => {
    const headings = [...sections.keys()].filter((heading) => heading.startsWith("AIGateway"));
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
  });

  test.each(alerts)("gives severity, meaning, what to see, what to do and what ends $alert", (alert) => {
    const section = sections.get(alert.alert) ?? "";
    expect(section).toContain(`*${alert.labels.severity}*`);
    const missing = ["Means", "See", "Do", "Ends with"].filter(
      (part) => !section.includes(`- **${part}:** `),
    );
    expect(missing).toEqual([]);
  });
});
