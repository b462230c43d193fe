/** A group of alerts that Prometheus evaluates at one timestamp. */
export interface RuleGroup {
  readonly name: string;
  /** The purpose of the group, written above it in the rule file. */
  readonly comment: string;
  readonly interval: string;
  readonly rules: readonly AlertRule[];
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
