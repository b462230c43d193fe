import type { Series } from "../promql.ts";

/** A group of rules: evaluated in order, at one timestamp. */
export interface RuleGroup {
  readonly name: string;
  /** What the group is for, above it in the rule file. */
  readonly comment: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

export type Rule = RecordingRule | AlertRule;

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  /** What the series tells, for who reviews the rule file. */
  readonly comment?: string;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: Annotations;
  readonly comment?: string;
}

/** critical: calls fail now or within hours. warning: act today. info: look when convenient. */
export type Severity = "critical" | "warning" | "info";

export interface Annotations {
  readonly summary: string;
  readonly description: string;
  readonly runbook_url: string;
  readonly dashboard_url: string;
}

export function isAlert(rule: Rule): rule is AlertRule {
  return "alert" in rule;
}

/** The rule that fills a recorded series. */
export function record(series: Series, comment: string, expr: string): RecordingRule {
  return { record: series.name, expr, comment };
}
