import type { Series } from "../promql.ts";

/** A group of rules that Prometheus evaluates in order, at one timestamp. */
export interface RuleGroup {
  readonly name: string;
  /** The purpose of the group, written above it in the rule file. */
  readonly comment: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

export type Rule = RecordingRule | AlertRule;

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  /** The meaning of the series, for reviewers of the rule file. */
  readonly comment: string;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: Annotations;
  /** When it fires, in one sentence, for docs/alerts.md. */
  readonly fires: string;
}

/** critical: calls fail now or within hours. warning: act today. info: look when convenient. */
export type Severity = "critical" | "warning" | "info";

export interface Annotations {
  readonly summary: string;
  readonly description: string;
  readonly runbook_url?: string;
  readonly dashboard_url?: string;
}

export function isAlert(rule: Rule): rule is AlertRule {
  return "alert" in rule;
}

/** Creates the rule that records a series. */
export function record(series: Series, comment: string, expr: string): RecordingRule {
  return { record: series.name, expr, comment };
}
