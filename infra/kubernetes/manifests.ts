import type { DashboardFile } from "../../dashboards/index.ts";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import { type Identity, metadataOf, STACK_ANNOTATION } from "./identity.ts";
import { monitorOf, prometheusRule } from "./monitoring.ts";
import { networkPolicySpec } from "./network-policy.ts";
import {
  CONFIG_ENTRY,
  type Mounted,
  podCount,
  type PodSettings,
  serviceAccountOf,
  tlsConfig,
} from "./pod.ts";
import { deploymentSpec, disruptionBudgetSpec, serviceSpec, statefulSetSpec } from "./workload.ts";

/** An object of Kubernetes as plain data. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  /** Absent for kinds without a namespace. */
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ManifestInputs {
  readonly settings: PodSettings;
  /** The URLs whose ports the network policy allows. */
  readonly outgoing: readonly string[];
  /** Secrets that already exist, because manifests contain none. */
  readonly mounted: Pick<Mounted, "keys" | "management">;
  readonly rules: readonly RuleGroup[];
  readonly dashboards: readonly DashboardFile[];
  /** What applies the objects, for the label `app.kubernetes.io/managed-by`. */
  readonly manager: string;
}

/** The objects that the Pulumi program deploys, without Pulumi, without the namespace, and without Secrets. */
export function createManifests({ mounted, manager, ...inputs }: ManifestInputs): readonly Manifest[] {
  const { name, namespace, gateway, commonLabels: labels } = inputs.settings;
  const identity = { name, namespace, gateway, labels, stack: undefined };
  const all = { configMap: name, audio: undefined, ...mounted };
  return publicManifests(identity, { ...inputs, mounted: all }).map((manifest) =>
    managedBy(manifest, manager),
  );
}

/** All objects of a deployment, except for the namespace, Secrets and recordings. */
export function publicManifests(
  identity: Identity,
  inputs: Omit<ManifestInputs, "mounted" | "manager"> & { readonly mounted: Mounted },
): readonly Manifest[] {
  const { settings, rules, dashboards, mounted } = inputs;
  const metadata = metadataOf(identity);
  const monitor = monitorOf({ identity, settings, rules });
  const { dashboardLabels: labels, dashboardAnnotations: annotations, config } = settings;
  const data = { [CONFIG_ENTRY]: config.text, ...tlsConfig(settings) };
  return [
    ...(settings.serviceAccount.create ? [serviceAccount(identity, settings)] : []),
    { apiVersion: "v1", kind: "ConfigMap", metadata, data },
    ...workloadManifests(identity, settings, mounted),
    { apiVersion: "v1", kind: "Service", metadata, spec: serviceSpec(identity) },
    ...(settings.networkPolicy
      ? [
          {
            apiVersion: "networking.k8s.io/v1",
            kind: "NetworkPolicy",
            metadata,
            spec: networkPolicySpec(identity, inputs.outgoing, settings),
          },
        ]
      : []),
    ...(monitor ? [monitor] : []),
    ...ruleManifests(identity, settings, rules),
    ...(settings.dashboardConfigMaps ? dashboards : []).map(({ uid, json }) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadataOf(identity, {
        suffix: `dashboard-${uid}`,
        namespace: settings.dashboardNamespace,
        labels,
        annotations,
      }),
      data: { [`${uid}.json`]: json },
    })),
  ];
}

function serviceAccount(identity: Identity, settings: PodSettings): Manifest {
  const { annotations } = settings.serviceAccount;
  const metadata = { ...metadataOf(identity, { annotations }), name: serviceAccountOf(settings) };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata, automountServiceAccountToken: false };
}

function workloadManifests(identity: Identity, settings: PodSettings, mounted: Mounted): readonly Manifest[] {
  const [apps, metadata] = [{ apiVersion: "apps/v1" }, metadataOf(identity)];
  if (podCount(settings) === 1)
    return [{ ...apps, kind: "Deployment", metadata, spec: deploymentSpec(identity, settings, mounted) }];
  const disruptions = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };
  return [
    { ...apps, kind: "StatefulSet", metadata, spec: statefulSetSpec(identity, settings, mounted) },
    { ...disruptions, metadata, spec: disruptionBudgetSpec(identity) },
  ];
}

function ruleManifests(
  identity: Identity,
  settings: PodSettings,
  rules: readonly RuleGroup[],
): readonly Manifest[] {
  switch (settings.rules) {
    case "prometheusRule":
      return [prometheusRule({ identity, settings, rules })];
    case "configMap": {
      const data = { "aigateway-exporter.rules.yaml": renderRuleFile(rules) };
      const metadata = metadataOf(identity, { suffix: "rules", labels: settings.ruleLabels });
      return [{ apiVersion: "v1", kind: "ConfigMap", metadata, data }];
    }
    case "none":
      return [];
  }
}

/** Replaces what belongs to Pulumi, in the metadata of the object and of its pod. */
function managedBy(manifest: Manifest, manager: string): Manifest {
  const text = JSON.stringify(manifest, (name, value: unknown) => {
    if (name === "app.kubernetes.io/managed-by") return manager;
    return name.startsWith("pulumi.com/") || name === STACK_ANNOTATION ? undefined : value;
  });
  const copy: Manifest = JSON.parse(text.replaceAll(',"annotations":{}', ""));
  return copy;
}
