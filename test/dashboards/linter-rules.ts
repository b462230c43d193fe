import * as units from "@grafana/grafana-foundation-sdk/units";

import type { DashboardJson, PanelJson, VariableJson } from "./dashboard-json.ts";
import { scan, type Selector } from "./promql-scan.ts";

export interface Finding {
  readonly rule: string;
  /** The location: a panel or variable, or empty for the dashboard. */
  readonly at: string;
  readonly message: string;
}

type Rule = (dashboard: DashboardJson) => readonly (readonly [at: string, message: string])[];

/** Panels that show values, which excludes headings. */
const valuePanels = (dashboard: DashboardJson) => dashboard.panels.filter(({ type }) => type !== "row");
const places = (panel: PanelJson) => `panel ${panel.id} "${panel.title}"`;
const variable = (dashboard: DashboardJson, name: string) =>
  dashboard.templating.list.find((each) => each.name === name);

/**
 * The 17 rules of grafana/dashboard-linter, applied to every panel type (the original checks only some). The rules for Loki only
 * check that there is no Loki query.
 */
export const linterRules = {
  "template-datasource-rule": (dashboard) => {
    const [first] = dashboard.templating.list;
    const isGood =
      first?.type === "datasource" && first.query === "prometheus" && first.name === "datasource";
    return isGood && first.label === "Data source"
      ? []
      : [["", 'must begin with a variable "datasource" labelled "Data source"']];
  },
  "template-job-rule": (dashboard) => target(dashboard, "job", "Job"),
  "template-instance-rule": (dashboard) => target(dashboard, "instance", "Instance"),
  "template-label-promql-rule": (dashboard) =>
    queryVariables(dashboard)
      .filter(({ query }) => !/^label_values\([a-z_:]+(\{[^}]*\})?, [a-z_]+\)$/.test(query))
      .map(({ name, query }) => [name, `has the query "${query}"`]),
  "template-on-time-change-reload-rule": (dashboard) =>
    queryVariables(dashboard)
      .filter(({ refresh }) => refresh !== 2)
      .map(({ name }) => [name, "is not refreshed when the time range changes"]),
  "panel-datasource-rule": (dashboard) =>
    valuePanels(dashboard)
      .filter(({ datasource, targets }) =>
        [datasource, ...targets.map((each) => each.datasource)].some((each) => each?.uid !== "${datasource}"),
      )
      .map((panel) => [places(panel), "has a fixed data source"]),
  "panel-title-description-rule": (dashboard) =>
    valuePanels(dashboard)
      .filter(({ title, description }) => title === "" || description === "")
      .map((panel) => [places(panel), "has no title or no description"]),
  "panel-units-rule": (dashboard) =>
    valuePanels(dashboard)
      .filter((panel) => unitsOf(panel).some((unit) => !isUnit(unit)))
      .map((panel) => [places(panel), `has the units ${unitsOf(panel).join(", ")}`]),
  "panel-no-targets-rule": (dashboard) =>
    valuePanels(dashboard)
      .filter(({ targets }) => targets.length === 0)
      .map((panel) => [places(panel), "has no query"]),
  "target-logql-rule": (dashboard) => ofTypeLoki(dashboard),
  "target-logql-auto-rule": (dashboard) => ofTypeLoki(dashboard),
  "target-promql-rule": (dashboard) =>
    ofSelectors(
      dashboard,
      ({ name }) => (name === "" ? "has a selector without a metric name" : undefined),
      "has no selector",
    ),
  "target-rate-interval-rule": (dashboard) =>
    ofSelectors(dashboard, ({ call, range }) =>
      range !== undefined && (call === "" || /^i?rate$/.test(call)) && range !== "$__rate_interval"
        ? `${call}(…[${range}]) must use [$__rate_interval]`
        : undefined,
    ),
  "target-job-rule": (dashboard) => ofSelectors(dashboard, lacks("job")),
  "target-instance-rule": (dashboard) => ofSelectors(dashboard, lacks("instance")),
  "target-counter-agg-rule": (dashboard) =>
    ofSelectors(dashboard, ({ name, call, range }) =>
      name.endsWith("_total") && (range === undefined || !/^(?:i?rate|increase)$/.test(call))
        ? `${name} is used without rate or increase`
        : undefined,
    ),
  "uneditable-dashboard": (dashboard) => (dashboard.editable ? [["", "is editable"]] : []),
} as const satisfies Record<string, Rule>;

export function lint(dashboard: DashboardJson): readonly Finding[] {
  const rules: [string, Rule][] = Object.entries(linterRules);
  return rules.flatMap(([rule, check]) => check(dashboard).map(([at, message]) => ({ rule, at, message })));
}

/** Accepts Grafana's units, and its format for custom currencies. */
function isUnit(unit: string): boolean {
  return KNOWN_UNITS.has(unit) || /^(?:currency:financial:[^:]+:suffix|suffix:[^:]+)$/.test(unit);
}

const KNOWN_UNITS: ReadonlySet<string> = new Set(
  Object.values(units).filter((unit) => typeof unit === "string"),
);

/** The units of the panel and of its columns. */
function unitsOf({ fieldConfig }: PanelJson): readonly string[] {
  if (!fieldConfig) return [""];
  const own = fieldConfig.overrides
    .flatMap(({ properties }) => properties)
    .filter(({ id }) => id === "unit")
    .map(({ value }) => String(value));
  return [fieldConfig.defaults.unit, ...own];
}

function queryVariables(dashboard: DashboardJson): readonly VariableJson[] {
  return dashboard.templating.list.filter(({ type }) => type === "query");
}

function target(
  dashboard: DashboardJson,
  name: string,
  label: string,
): readonly (readonly [string, string])[] {
  const found = variable(dashboard, name);
  if (!found) return [["", `has no variable "${name}"`]];
  const isGood =
    found.type === "query" &&
    found.datasource?.uid === "${datasource}" &&
    found.label === label &&
    found.multi;
  return isGood && found.allValue === ".+"
    ? []
    : [[name, `is not a multi-value variable whose "all" value is ".+"`]];
}

function ofTypeLoki(dashboard: DashboardJson): readonly (readonly [string, string])[] {
  return valuePanels(dashboard)
    .filter(({ targets }) => targets.some(({ datasource }) => datasource?.type !== "prometheus"))
    .map((panel) => [places(panel), "queries a data source other than Prometheus"]);
}

function ofSelectors(
  dashboard: DashboardJson,
  wrong: (selector: Selector) => string | undefined,
  without?: string,
): readonly (readonly [string, string])[] {
  return valuePanels(dashboard).flatMap((panel) =>
    panel.targets.flatMap(({ refId, expr }): readonly (readonly [string, string])[] => {
      const { selectors } = scan(expr);
      const messages = selectors.map(wrong).filter((message) => message !== undefined);
      const none = selectors.length === 0 && without !== undefined ? [without] : [];
      return [...new Set([...messages, ...none])].map((message) => [
        places(panel),
        `query ${refId}: ${message}`,
      ]);
    }),
  );
}

function lacks(label: string): (selector: Selector) => string | undefined {
  return ({ name, matchers }) =>
    matchers.some((each) => each.label === label && each.operator === "=~" && each.value === `$${label}`)
      ? undefined
      : `${name} lacks ${label}=~"$${label}"`;
}
