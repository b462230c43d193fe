import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRules } from "../../../dashboards/rules/index.ts";
import { secondsOf } from "./promql-text.ts";
import { dashboards } from "../../../dashboards/index.ts";
import { readDashboard } from "../dashboard-json.ts";
import { join } from "node:path";
import { families } from "../../../dashboards/families.ts";
import { ROOT } from "../../support/repository.ts";

const LINKS = {
  runbookBaseUrl: "https://runbooks.example/alerts.md",
  dashboardBaseUrl: "https://grafana.example/d",
};
const alerts = createRules(LINKS).flatMap(({ rules }) => rules);

/** The template actions of texts, apart from the figures of a summary: so few that none fails when an alert fires. */
const TEMPLATE =
  /^(?:\$labels\.(?:key|budget|window|job|query|endpoint|probe|model|workspace|finding|source|id|at|rule_group)|with \$labels\.(?:team|gateway)|\.|\$value(?: \| (?:humanizeDuration(?: \| reReplaceAll "-" "")?|humanizePercentage|printf "%\.2f"))?|if eq \$labels\.scope "[a-z]+"|if (?:gt \$value 0\.0|lt \$value 1e9)|else|end)$/;
const FIGURES = /\{\{ (?:\$s :=|range (?:\$i, \$k := )?printf) .*\{\{ end \}\}/s;

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

  test("has a sentence that says when it fires, and texts with known templates", () => {
    expect(alert.fires).toMatch(/^[A-Z][^{}]+\.$/);
    expect(description).toMatch(/\{\{.+\}\}.*\.$/);
    expect(summary).not.toMatch(/\.$/);
    const text = `${summary.replace(FIGURES, "")}${description}`;
    const templates = [...text.matchAll(/\{\{(.*?)\}\}/g)].map(([, template = ""]) => template.trim());
    expect(templates.filter((template) => !TEMPLATE.test(template))).toEqual([]);
  });

  // Prometheus evaluates the rules of all gateways together.
  test.skipIf(name === "AIGatewayRuleEvaluationSlow")(
    "names the gateway, because several may be watched",
    () => {
      expect(description).toContain("{{ with $labels.gateway }}");
    },
  );

  test("links to its runbook and a dashboard, of its job and gateway", () => {
    expect(runbook).toMatch(new RegExp(`^https://[^#]+#${name.toLowerCase()}$`));
    expect(dashboard).toMatch(/^https:\/\/\S+\/d\/aigateway-[a-z]+/);
    if (name === "AIGatewayRuleEvaluationSlow") return;
    expect(dashboard).toContain("?var-job={{ $labels.job }}");
    expect(dashboard).toContain("{{ with $labels.gateway }}&var-gateway={{ . }}{{ end }}");
  });

  test("compares values and chooses nothing but the owner of a probe's key", () => {
    // A start is recorded only while a comparison holds.
    expect(alert.expr).toMatch(/[<>]|[!=]=/);
    const expr = name.startsWith("AIGatewayProbe") ? alert.expr.replaceAll("topk", "") : alert.expr;
    expect(expr).not.toMatch(/\b(?:topk|bottomk|count_values|limitk)\b/);
  });

  test("waits for more than one evaluation", () => {
    expect(secondsOf(alert.for ?? "0s")).toBeGreaterThanOrEqual(120);
    expect(secondsOf(alert.keep_firing_for ?? "10m")).toBeGreaterThan(60);
  });

  test.runIf(/^AIGateway(?:Key|Probe)/.test(name))("names the key", () => {
    expect(description).toContain("{{ $labels.key }}");
  });

  test.runIf(name.startsWith("AIGatewayProbe"))("carries the team of the key that pays", () => {
    expect(alert.expr).toContain("group_left (model, key, team)");
  });

  test.runIf(/^AIGateway(?:Key|Budget)/.test(name))(
    "carries its owner's team and sets the dashboard's variable",
    () => {
      expect(alert.expr).toMatch(/^max by \(job, gateway, (?:key|budget, scope, window), team[,)]/);
      const label = name.startsWith("AIGatewayKey") ? "key" : "budget";
      expect(dashboard).toContain(`&var-${label}={{ $labels.${label} }}`);
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

  test.each(alerts)("says what to do and what it means for $alert", ({ alert }) => {
    expect(sections.get(alert)).toMatch(/- \*\*Do:\*\* .*\n- \*\*Means:\*\* /);
  });
});

describe("alerts", () => {
  const variables = new Map(
    dashboards.map(({ uid, json }) => [uid, readDashboard(json).templating.list.map(({ name }) => name)]),
  );
  const linked = createRules({ dashboardBaseUrl: "/d" }).flatMap(({ rules }) => rules);

  test.each(linked.map(({ alert, annotations }) => ({ alert, url: annotations.dashboard_url ?? "" })))(
    "$alert links to an existing dashboard and sets one of its variables: $url",
    ({ url }) => {
      const [, uid = "", label = "datasource"] = /^\/d\/([\w-]+)(?:\?var-(\w+)=.*)?$/.exec(url) ?? [];
      expect(variables.get(uid)).toContain(label);
    },
  );
});

test("families are those of docs/metrics.md", () => {
  const text = readFileSync(join(ROOT, "docs", "metrics.md"), "utf8");
  const documented = [...text.matchAll(/^\| ((?:`aigateway_\w+`(?:<br>)?)+) \|/gm)].flatMap(
    ([, names = ""]) => names.split("<br>").map((name) => name.slice(1, -1)),
  );
  expect(documented.length).toBeGreaterThan(50);
  expect(new Set(families.map(({ name }) => name))).toEqual(new Set(documented));
});
