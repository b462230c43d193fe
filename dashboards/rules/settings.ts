import type { AlertRule, Severity } from "./rule.ts";
import { createTiming, type Timing, type TimingOptions } from "./timing.ts";

/** The job label of the exporter's scrapes, which rules, monitors and examples share. */
export const JOB = "aigateway-exporter";

export interface RuleOptions extends TimingOptions {
  /**
   * URL of docs/alerts.md as readers of alerts can open it; `#alertname` is appended. Default: alerts have no
   * such link.
   */
  readonly runbookBaseUrl?: string | undefined;
  /** URL of Grafana's dashboards, up to the uid. Default: alerts have no such link. */
  readonly dashboardBaseUrl?: string | undefined;
}

/** The settings that all rules share. */
export interface Settings {
  readonly timing: Timing;
  readonly runbookBaseUrl: string | undefined;
  readonly dashboardBaseUrl: string | undefined;
}

export function createSettings(options: RuleOptions): Settings {
  return {
    timing: createTiming(options),
    runbookBaseUrl: options.runbookBaseUrl,
    dashboardBaseUrl: options.dashboardBaseUrl,
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
  const query =
    link.label === undefined
      ? ""
      : `?var-${link.label}={{ $labels.${link.label} }}{{ with $labels.gateway }}&var-gateway={{ . }}{{ end }}`;
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
      ...(runbookBaseUrl === undefined ? {} : { runbook_url: `${runbookBaseUrl}#${name.toLowerCase()}` }),
      ...(dashboardBaseUrl === undefined ? {} : { dashboard_url: `${dashboardBaseUrl}/${link.uid}${query}` }),
    },
  };
}
