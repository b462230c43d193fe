import { type Series, promql, select } from "../promql.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import type { AlertDefinition, Settings } from "./settings.ts";

/**
 * Prometheus' own metrics, which exist if Prometheus scrapes itself. The label is the rule file and the name
 * of the group.
 */
const LAST_DURATION = ofGroup("prometheus_rule_group_last_duration_seconds");
const INTERVAL = ofGroup("prometheus_rule_group_interval_seconds");
const MISSED = ofGroup("prometheus_rule_group_iterations_missed_total");

/**
 * The alert on Prometheus itself: if it cannot evaluate these rules in time, every other alert is late or missing. The
 * value is the share of the interval, also if evaluations are skipped.
 */
export function ruleEvaluationSlow({ timing }: Settings): AlertDefinition {
  const share = promql`max by (rule_group) (${ours(LAST_DURATION)} / ${ours(INTERVAL)})`;
  const missed = promql`increase(${ours(MISSED)}[${timing.duration(15 * MINUTE)}])`;
  return {
    name: "AIGatewayRuleEvaluationSlow",
    severity: "warning",
    fires: "Prometheus evaluates the alert rules too slowly.",
    expr: promql`
      ${share} > ${thresholds.ruleEvaluation}
      or ${share} and max by (rule_group) (${missed}) > 0`,
    for: 10 * MINUTE,
    keepFiringFor: 15 * MINUTE,
    summary: "The rule group {{ $labels.rule_group }} is evaluated too slowly",
    description:
      "Alerts are late or missing: Prometheus needs {{ $value | humanizePercentage }} of the interval for the rule group {{ $labels.rule_group }}, or skips evaluations. Give it more CPU, or split the rules.",
  };
}

function ofGroup(name: string): Series<"rule_group"> {
  return { name, labels: ["rule_group"] };
}

function ours(series: Series<"rule_group">): string {
  return select(series, { rule_group: "~.+;aigateway-.+" });
}
