import { Provider } from "@pulumi/kubernetes/provider.js";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import type { KubernetesSettings } from "../settings.ts";
import { DashboardConfigMaps } from "./dashboards.ts";
import { Exporter } from "./exporter.ts";
import { Monitoring } from "./monitoring.ts";

export interface KubernetesDeployment {
  readonly exporter: Exporter;
  readonly monitoring: Monitoring;
  readonly dashboards: DashboardConfigMaps | undefined;
}

/** Deploys the Kubernetes part of the program. */
export function deployToKubernetes(
  settings: KubernetesSettings,
  rules: readonly RuleGroup[],
  dashboards: readonly DashboardFile[],
): KubernetesDeployment {
  const options = { providers: { kubernetes: createProvider(settings) } };
  const exporter = new Exporter("exporter", settings, options);
  const { identity } = exporter;
  return {
    exporter,
    monitoring: new Monitoring("monitoring", { identity, settings, rules }, options),
    dashboards: settings.dashboardConfigMaps
      ? new DashboardConfigMaps("dashboards", { identity, settings, dashboards }, options)
      : undefined,
  };
}

/** An explicit provider, because by default a change of a ConfigMap or Secret replaces the object under the running pod. */
function createProvider({ kubeconfig, kubeContext }: KubernetesSettings): Provider {
  return new Provider("kubernetes", {
    enableServerSideApply: true,
    enableConfigMapMutable: true,
    enableSecretMutable: true,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(kubeContext === "" ? {} : { context: kubeContext }),
  });
}
