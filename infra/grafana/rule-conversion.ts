import { createHash } from "node:crypto";
import type { AlertRule, RuleGroup } from "../../dashboards/rules/rule.ts";
import { parseDuration } from "../../exporter/time/duration.ts";
import type { GrafanaGroup, GrafanaQuery, GrafanaRule } from "./grafana-group.ts";

export interface ConversionOptions {
  /** Name of the deployment. It is part of the rules' uids, so that two deployments do not share them. */
  readonly name: string;
  readonly datasourceUid: string;
}

/**
 * Converts Prometheus rules to Grafana rules. Each alert becomes a query, an expression that tests whether
 * the query returned a value, and a threshold on that expression, which is how Grafana itself converts rule
 * files.
 */
export function convertRules(
  groups: readonly RuleGroup[],
  options: ConversionOptions,
): readonly GrafanaGroup[] {
  return groups.map((group) => ({
    name: group.name,
    intervalSeconds: intervalSeconds(group),
    rules: group.rules.map((rule) => convertAlert(rule, group, options)),
  }));
}

/** The data source that Grafana evaluates expressions with. */
const EXPRESSION = "__expr__";
const [QUERY, MATH, THRESHOLD] = ["query", "prometheus_math", "threshold"];
/** The query's time range. An instant query does not use it, but the API requires one. */
const RANGE = { from: 600, to: 0 };
/** Grafana only accepts evaluation intervals that are multiples of this. */
const BASE_INTERVAL_SECONDS = 10;

function convertAlert(
  rule: AlertRule,
  { name: group, interval }: RuleGroup,
  options: ConversionOptions,
): GrafanaRule {
  return {
    name: rule.alert,
    uid: uidOf(options.name, group, rule.alert),
    datas: [
      query(rule.expr, options.datasourceUid),
      expression(MATH, {
        type: "math",
        expression: `is_number($${QUERY}) || is_nan($${QUERY}) || is_inf($${QUERY})`,
      }),
      expression(THRESHOLD, {
        type: "threshold",
        expression: MATH,
        conditions: [{ evaluator: { params: [0], type: "gt" } }],
      }),
    ],
    condition: THRESHOLD,
    ...(rule.for === undefined ? {} : { for: rule.for }),
    ...(rule.keep_firing_for === undefined ? {} : { keepFiringFor: rule.keep_firing_for }),
    noDataState: "OK",
    // The default is Alerting, which would make every rule page after one failed query.
    execErrState: "Error",
    missingSeriesEvalsToResolve: evaluationsToResolve(rule, interval),
    labels: { ...rule.labels },
    annotations: Object.fromEntries(
      Object.entries(rule.annotations).map(([name, text]) => [name, convertTemplate(text)]),
    ),
  };
}

function query(expr: string, datasourceUid: string): GrafanaQuery {
  const model = {
    refId: QUERY,
    datasource: { type: "prometheus", uid: datasourceUid },
    expr,
    instant: true,
    range: false,
  };
  return { refId: QUERY, datasourceUid, relativeTimeRange: RANGE, model: JSON.stringify(model) };
}

function expression(refId: string, fields: object): GrafanaQuery {
  const model = { refId, datasource: { type: EXPRESSION, uid: EXPRESSION }, ...fields };
  return {
    refId,
    datasourceUid: EXPRESSION,
    relativeTimeRange: { from: 0, to: 0 },
    model: JSON.stringify(model),
  };
}

/**
 * In Grafana, `$value` is a string of all values; the result of each query has its own name. `query` finds nothing
 * there, so a text says without figures what has happened.
 */
function convertTemplate(text: string): string {
  return text.replaceAll(/\$value\b/g, `$$values.${QUERY}.Value`);
}

/**
 * A condition that is no longer true returns no series, and Grafana resolves the alert after that many
 * evaluations without it, whatever `keepFiringFor` is. Prometheus resolves it at the first one, or when
 * `keep_firing_for` has passed since.
 */
function evaluationsToResolve({ keep_firing_for: kept }: AlertRule, interval: string): number {
  return 1 + (kept === undefined ? 0 : Math.ceil(secondsOf(kept) / secondsOf(interval)));
}

/** `1h30m` → 5400; NaN for anything that is not a duration. */
function secondsOf(duration: string): number {
  return (parseDuration(duration) ?? Number.NaN) / 1000;
}

function intervalSeconds({ name, interval }: RuleGroup): number {
  const seconds = secondsOf(interval);
  // Grafana rejects other intervals, but the provider retries for two minutes before it reports the error.
  if (seconds >= BASE_INTERVAL_SECONDS && seconds % BASE_INTERVAL_SECONDS === 0) return seconds;
  throw new Error(
    `Cannot convert the rule group "${name}": its interval must be a multiple of ${BASE_INTERVAL_SECONDS}s, not "${interval}"`,
  );
}

/**
 * A stable uid, so that an inserted rule does not shift the identities and states of the others. At most 40
 * characters of [A-Za-z0-9_-].
 */
function uidOf(...parts: readonly string[]): string {
  return `aigw-${createHash("sha256").update(parts.join("/")).digest("hex").slice(0, 32)}`;
}
