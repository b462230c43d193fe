import type { AlertRule, Severity } from "./rule.ts";
import { createTiming, type Timing, type TimingOptions } from "./timing.ts";

/** The job label of the exporter's scrapes, which rules, monitors and examples share. */
export const JOB = "aigateway-exporter";

export interface RuleOptions extends TimingOptions {
  /** URL of docs/alerts.md as readers of alerts can open it; `#alertname` is appended. Default: a placeholder. */
  readonly runbookBaseUrl?: string;
  /** URL of Grafana's dashboards, up to the uid. Default: a placeholder. */
  readonly dashboardBaseUrl?: string;
}

/** The settings that all rules share. */
export interface Settings {
  readonly timing: Timing;
  readonly runbookBaseUrl: string;
  readonly dashboardBaseUrl: string;
}

export function createSettings(options: RuleOptions): Settings {
  return {
    timing: createTiming(options),
    runbookBaseUrl: options.runbookBaseUrl ?? "https://runbooks.example/aigateway-exporter/docs/alerts.md",
    dashboardBaseUrl: options.dashboardBaseUrl ?? "https://grafana.example/d",
  };
}

/** What one alert defines itself; `createAlert` adds links and formats durations. */
export interface AlertDefinition {
  readonly name: string;
  readonly severity: Severity;
  readonly expr: string;
  /** Seconds. */
  readonly for?: number;
  readonly keepFiringFor?: number;
  readonly summary: string;
  readonly description: string;
  readonly comment?: string;
}

/** The dashboard that an alert links to: its uid, and the variable that is set from a label. */
export interface DashboardLink {
  readonly uid: string;
  readonly label?: string;
}

export function createAlert(settings: Settings, link: DashboardLink, definition: AlertDefinition): AlertRule {
  const { name, severity, expr, summary, description, comment } = definition;
  const { timing, runbookBaseUrl, dashboardBaseUrl } = settings;
  const query = link.label === undefined ? "" : `?var-${link.label}={{ $labels.${link.label} }}`;
  return {
    alert: name,
    ...(comment === undefined ? {} : { comment }),
    expr,
    ...(definition.for === undefined ? {} : { for: timing.duration(definition.for) }),
    ...(definition.keepFiringFor === undefined
      ? {}
      : { keep_firing_for: timing.duration(definition.keepFiringFor) }),
    labels: { severity },
    annotations: {
      summary,
      description,
      runbook_url: `${runbookBaseUrl}#${name.toLowerCase()}`,
      dashboard_url: `${dashboardBaseUrl}/${link.uid}${query}`,
    },
  };
}
