import type { DashboardFile } from "../../dashboards/index.ts";
import { renderRuleFile } from "../../dashboards/rules/file.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import { type Identity, metadataOf, STACK_ANNOTATION } from "./identity.ts";
import { monitorOf, prometheusRule } from "./monitoring.ts";
import { networkPolicySpec } from "./network-policy.ts";
import { CONFIG_ENTRY, type Mounted, podCount, type PodSettings } from "./pod.ts";
import { deploymentSpec, disruptionBudgetSpec, serviceSpec, statefulSetSpec } from "./workload.ts";

/** An object of Kubernetes as plain data. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ReturnType<typeof metadataOf>;
  readonly [field: string]: unknown;
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
export function createManifests(inputs: ManifestInputs): readonly Manifest[] {
  const { settings, rules, dashboards } = inputs;
  const { name, namespace, gateway } = settings;
  const identity = { name, namespace, gateway, stack: undefined };
  const metadata = metadataOf(identity);
  const mounted = { configMap: identity.name, audio: undefined, ...inputs.mounted };
  const monitor = monitorOf({ identity, settings, rules });
  const { dashboardLabels: labels, dashboardAnnotations: annotations, scrapeFrom, config } = settings;
  const manifests: readonly Manifest[] = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata, automountServiceAccountToken: false },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [CONFIG_ENTRY]: config.text } },
    ...workloadManifests(identity, settings, mounted),
    { apiVersion: "v1", kind: "Service", metadata, spec: serviceSpec(identity) },
    ...(settings.networkPolicy
      ? [
          {
            apiVersion: "networking.k8s.io/v1",
            kind: "NetworkPolicy",
            metadata,
            spec: networkPolicySpec(identity, inputs.outgoing, scrapeFrom),
          },
        ]
      : []),
    ...(monitor ? [monitor] : []),
    ...ruleManifests(identity, inputs),
    ...(settings.dashboardConfigMaps ? dashboards : []).map(({ uid, json }) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadataOf(identity, { suffix: `dashboard-${uid}`, labels, annotations }),
      data: { [`${uid}.json`]: json },
    })),
  ];
  return manifests.map((manifest) => managedBy(manifest, inputs.manager));
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

function ruleManifests(identity: Identity, { settings, rules }: ManifestInputs): readonly Manifest[] {
  switch (settings.rules) {
    case "prometheusRule":
      return [prometheusRule({ identity, settings, rules })];
    case "configMap": {
      const data = { "aigateway-exporter.rules.yaml": renderRuleFile(rules) };
      return [
        { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOf(identity, { suffix: "rules" }), data },
      ];
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
