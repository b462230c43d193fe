import { getProject, runtime, type Output } from "@pulumi/pulumi";
import { dashboards as ourDashboards, type DashboardFile } from "../dashboards/index.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { deployToGrafana } from "./grafana/deploy.ts";
import { createKubectl } from "./kubernetes/cluster.ts";
import { deployToKubernetes, type KubernetesDeployment } from "./kubernetes/deploy.ts";
import { readSettings } from "./settings.ts";
import { writtenConfig, writtenProblems } from "./written-config.ts";

/** The values that `pulumi stack output` shows; null for a part that is not deployed. */
export type Outputs = { readonly [Name in keyof KubernetesDeployment]: KubernetesDeployment[Name] | null } & {
  /** URL of the folder in Grafana. */
  readonly grafanaFolderUrl: Output<string> | null;
  /** URLs of the dashboards by uid, if the settings say where Grafana is. */
  readonly dashboardUrls: Readonly<Record<string, string>> | null;
};

/** The whole deployment: settings → components → outputs. */
export async function program(
  dashboards: readonly DashboardFile[] = ourDashboards,
  kubectl: typeof createKubectl = createKubectl,
): Promise<Outputs> {
  // Reads the raw strings: Config.get would warn about secrets, which the settings turn into Outputs.
  const problems = writtenProblems(writtenConfig());
  const settings = readSettings((name) => runtime.getConfig(`${getProject()}:${name}`), problems);
  const content = { rules: createRules(settings.rules), dashboards };
  const kubernetes = settings.kubernetes && (await deployToKubernetes(settings.kubernetes, content, kubectl));
  const grafana = settings.grafana && deployToGrafana(settings.grafana, content.rules, dashboards);
  return {
    ...(kubernetes ?? NOT_DEPLOYED),
    grafanaFolderUrl: grafana?.folder.url ?? null,
    dashboardUrls: urlsOf(dashboards, settings.rules.dashboardBaseUrl),
  };
}

/** Null, because Pulumi warns about undefined. */
const NOT_DEPLOYED = { namespace: null, workload: null, configHash: null, metricsUrl: null };

function urlsOf(dashboards: readonly DashboardFile[], base: string | undefined): Outputs["dashboardUrls"] {
  return base === undefined ? null : Object.fromEntries(dashboards.map(({ uid }) => [uid, `${base}/${uid}`]));
}
