import type { AlertRule, Severity } from "./rule.ts";
import { createTiming, type Timing, type TimingOptions } from "./timing.ts";

/** The job of the exporter's scrapes: rules, monitors and examples agree on it. */
export const JOB = "aigateway-exporter";

export interface RuleOptions extends TimingOptions {
  /** Address of docs/alerts.md where the readers of alerts can see it; `#alertname` is appended. Default: a placeholder. */
  readonly runbookBaseUrl?: string;
  /** Address of Grafana up to the dashboard's uid. Default: a placeholder. */
  readonly dashboardBaseUrl?: string;
}

/** What the rules are made with. */
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

/** What is particular to an alert; links and durations are filled in by `alert`. */
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

/** The dashboard that an alert leads to: its uid, and the variable that is filled from a label. */
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
