import type { AlertChanges } from "./alert-changes.ts";
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
  /** What is changed of alerts. */
  readonly alerts?: AlertChanges | undefined;
}

/** The settings that all rules share. */
export interface Settings {
  readonly timing: Timing;
  readonly runbookBaseUrl: string | undefined;
  readonly dashboardBaseUrl: string | undefined;
}

export function createSettings(options: RuleOptions): Settings {
  const { runbookBaseUrl, dashboardBaseUrl } = options;
  return { timing: createTiming(options), runbookBaseUrl, dashboardBaseUrl };
}

/** What one alert defines itself; `createAlert` adds links and formats durations. */
export interface AlertDefinition {
  readonly name: string;
  readonly severity: Severity;
  /** When it fires, in one sentence, for docs/alerts.md. */
  readonly fires: string;
  readonly expr: string;
  /** Seconds. */
  readonly for?: number;
  readonly keepFiringFor?: number;
  readonly summary: string;
  readonly description: string;
}

/** The dashboard that an alert links to: its uid, and the labels of the alert that set its variables. */
export interface DashboardLink {
  readonly uid: string;
  readonly labels: readonly string[];
}

export function createAlert(settings: Settings, link: DashboardLink, definition: AlertDefinition): AlertRule {
  const { name, severity, expr, fires, summary, description } = definition;
  const { timing, runbookBaseUrl, dashboardBaseUrl } = settings;
  return {
    alert: name,
    fires,
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
      ...(dashboardBaseUrl === undefined
        ? {}
        : { dashboard_url: `${dashboardBaseUrl}/${link.uid}${variablesOf(link)}` }),
    },
  };
}

/** `?var-job=…&var-key=…&var-gateway=…`: the gateway only where the scrape configuration names it. */
function variablesOf({ labels }: DashboardLink): string {
  if (labels.length === 0) return "";
  const variables = labels.map((label) => `var-${label}={{ $labels.${label} }}`);
  return `?${variables.join("&")}{{ with $labels.gateway }}&var-gateway={{ . }}{{ end }}`;
}
