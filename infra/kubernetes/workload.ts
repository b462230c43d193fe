import type { apps, core, policy } from "@pulumi/kubernetes/types/input.js";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import { selectorOf, type Identity } from "./identity.ts";
import { type Mounted, podCount, type PodSettings, podTemplate, PORT_NAME } from "./pod.ts";

/** The Deployment of one pod. */
export function deploymentSpec(
  identity: Identity,
  settings: PodSettings,
  mounted: Mounted,
): apps.v1.DeploymentSpec {
  return {
    replicas: 1,
    // Two pods at the same time would double every sum over pods.
    strategy: { type: "Recreate" },
    revisionHistoryLimit: 3,
    selector: { matchLabels: selectorOf(identity) },
    template: podTemplate(identity, settings, mounted),
  };
}

/**
 * The StatefulSet of several pods, one for each shard and replica. They start together, and an update restarts one at a
 * time.
 */
export function statefulSetSpec(
  identity: Identity,
  settings: PodSettings,
  mounted: Mounted,
): apps.v1.StatefulSetSpec {
  return {
    replicas: podCount(settings),
    serviceName: identity.name,
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "RollingUpdate" },
    // The next pod restarts when Prometheus has found this one (within 5 s) and scraped it (every 30 s by default).
    minReadySeconds: 35,
    revisionHistoryLimit: 3,
    selector: { matchLabels: selectorOf(identity) },
    template: podTemplate(identity, settings, mounted),
  };
}

/** Nodes drain one pod at a time. */
export function disruptionBudgetSpec(identity: Identity): policy.v1.PodDisruptionBudgetSpec {
  return { maxUnavailable: 1, selector: { matchLabels: selectorOf(identity) } };
}

export function serviceSpec(identity: Identity): core.v1.ServiceSpec {
  return {
    type: "ClusterIP",
    selector: selectorOf(identity),
    ports: [{ name: PORT_NAME, port: DEFAULT_PORT, targetPort: PORT_NAME, protocol: "TCP" }],
  };
}
