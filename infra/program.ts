import { getProject, runtime, type Output } from "@pulumi/pulumi";
import { dashboards as ourDashboards, type DashboardFile } from "../dashboards/index.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { deployToGrafana } from "./grafana/deploy.ts";
import { deployToKubernetes } from "./kubernetes/deploy.ts";
import { readSettings } from "./settings.ts";

/** What `pulumi stack output` shows. */
export interface Outputs {
  /** The metrics, seen from within the cluster. */
  readonly metricsUrl: Output<string> | null;
  /** The folder in Grafana. */
  readonly grafanaFolderUrl: Output<string> | null;
}

/** The whole deployment: settings → components → outputs. */
export function program(dashboards: readonly DashboardFile[] = ourDashboards): Outputs {
  // The texts as they are: Config.get would warn of secrets, which the settings make Outputs of.
  const settings = readSettings((name) => runtime.getConfig(`${getProject()}:${name}`));
  const rules = createRules(settings.rules);
  const kubernetes = settings.kubernetes && deployToKubernetes(settings.kubernetes, rules, dashboards);
  const grafana = settings.grafana && deployToGrafana(settings.grafana, rules, dashboards);
  // Null and not undefined, of which Pulumi warns.
  return {
    metricsUrl: kubernetes?.exporter.metricsUrl ?? null,
    grafanaFolderUrl: grafana?.folder.url ?? null,
  };
}
