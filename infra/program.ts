import { getProject, runtime, type Output } from "@pulumi/pulumi";
import { dashboards as ourDashboards, type DashboardFile } from "../dashboards/index.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { deployToGrafana } from "./grafana/deploy.ts";
import { GRAFANA_TIMING } from "./grafana/rule-conversion.ts";
import { deployToKubernetes } from "./kubernetes/deploy.ts";
import { readSettings } from "./settings.ts";
import { writtenConfig, writtenProblems } from "./written-config.ts";

/** The values that `pulumi stack output` shows. */
export interface Outputs {
  /** URL of the metrics inside the cluster. */
  readonly metricsUrl: Output<string> | null;
  /** URL of the folder in Grafana. */
  readonly grafanaFolderUrl: Output<string> | null;
}

/** The whole deployment: settings → components → outputs. */
export function program(dashboards: readonly DashboardFile[] = ourDashboards): Outputs {
  // Reads the raw strings: Config.get would warn about secrets, which the settings turn into Outputs.
  const problems = writtenProblems(writtenConfig());
  const settings = readSettings((name) => runtime.getConfig(`${getProject()}:${name}`), problems);
  const kubernetes =
    settings.kubernetes && deployToKubernetes(settings.kubernetes, createRules(settings.rules), dashboards);
  const grafana =
    settings.grafana &&
    deployToGrafana(settings.grafana, createRules({ ...settings.rules, ...GRAFANA_TIMING }), dashboards);
  // Null, because Pulumi warns about undefined.
  return {
    metricsUrl: kubernetes?.metricsUrl ?? null,
    grafanaFolderUrl: grafana?.folder.url ?? null,
  };
}
