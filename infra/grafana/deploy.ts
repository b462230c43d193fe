import { Provider } from "@pulumiverse/grafana/provider.js";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import type { GrafanaSettings } from "../settings.ts";
import { GrafanaContent } from "./content.ts";

/** Deploys the Grafana part of the program. */
export function deployToGrafana(
  settings: GrafanaSettings,
  rules: readonly RuleGroup[],
  dashboards: readonly DashboardFile[],
): GrafanaContent {
  const provider = new Provider("grafana", { url: settings.grafanaUrl, auth: settings.auth });
  return new GrafanaContent("grafana", { settings, rules, dashboards }, { providers: { grafana: provider } });
}
