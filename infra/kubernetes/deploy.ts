import { all, log, type Output } from "@pulumi/pulumi";
import { Provider } from "@pulumi/kubernetes/provider.js";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import { configHash } from "../../exporter/config/config-hash.ts";
import { beforeCreate, isRealUp } from "../before-create.ts";
import type { KubernetesSettings } from "../settings.ts";
import { createCluster, createKubectl } from "./cluster.ts";
import { waitUntilInUse } from "./config-in-use.ts";
import { DashboardConfigMaps } from "./dashboards.ts";
import { Exporter } from "./exporter.ts";
import { selectorOf } from "./identity.ts";
import { Monitoring } from "./monitoring.ts";
import { ownerCheck } from "./ownership.ts";
import { checkReferences } from "./references.ts";

export interface KubernetesDeployment {
  readonly exporter: Exporter;
  /** URL of the metrics inside the cluster, known once the pod uses the configuration: `up` waits for its outputs. */
  readonly metricsUrl: Output<string>;
  readonly monitoring: Monitoring;
  readonly dashboards: DashboardConfigMaps | undefined;
}

/** Deploys the Kubernetes part of the program. */
export function deployToKubernetes(
  settings: KubernetesSettings,
  rules: readonly RuleGroup[],
  dashboards: readonly DashboardFile[],
): KubernetesDeployment {
  const kubectl = createKubectl(settings);
  const cluster = createCluster(kubectl);
  const checkOwner = ownerCheck(cluster, settings.namespace);
  const check = beforeCreate("check-cluster", "kubernetes:", async ({ type, newInputs }) => {
    await checkOwner(newInputs);
    if (/:(Deployment|StatefulSet)$/.test(type)) await checkReferences(cluster, settings);
  });
  const options = { providers: { kubernetes: createProvider(settings) }, transformations: [check] };
  const exporter = new Exporter("exporter", settings, options);
  const { identity } = exporter;
  const { namespace, config, waitForConfig } = settings;
  const expected = { namespace, selector: selectorOf(identity), hash: configHash(config.text) };
  const metricsUrl = all([exporter.deployment.id, exporter.metricsUrl]).apply(async ([, url]) => {
    if (waitForConfig && isRealUp()) await waitUntilInUse(kubectl, expected).catch(fail);
    return url;
  });
  return {
    exporter,
    metricsUrl,
    monitoring: new Monitoring("monitoring", { identity, settings, rules }, options),
    dashboards: settings.dashboardConfigMaps
      ? new DashboardConfigMaps("dashboards", { identity, settings, dashboards }, options)
      : undefined,
  };
}

/** A logged error fails the deployment. A rejected output could keep the engine waiting. */
function fail(error: unknown): Promise<void> {
  return log.error(error instanceof Error ? error.message : String(error));
}

/**
 * An explicit provider, because by default a change of a ConfigMap or Secret replaces the object under the
 * running pod.
 */
function createProvider({ kubeconfig, kubeContext }: KubernetesSettings): Provider {
  return new Provider("kubernetes", {
    enableServerSideApply: true,
    enableConfigMapMutable: true,
    enableSecretMutable: true,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(kubeContext === "" ? {} : { context: kubeContext }),
  });
}
