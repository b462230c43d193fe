import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment.js";
import { StatefulSet } from "@pulumi/kubernetes/apps/v1/statefulSet.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace.js";
import { Secret } from "@pulumi/kubernetes/core/v1/secret.js";
import { Service } from "@pulumi/kubernetes/core/v1/service.js";
import { ServiceAccount } from "@pulumi/kubernetes/core/v1/serviceAccount.js";
import { NetworkPolicy } from "@pulumi/kubernetes/networking/v1/networkPolicy.js";
import { PodDisruptionBudget } from "@pulumi/kubernetes/policy/v1/podDisruptionBudget.js";
import {
  ComponentResource,
  interpolate,
  type ComponentResourceOptions,
  type CustomResourceOptions,
  type Output,
} from "@pulumi/pulumi";
import type { KubernetesSettings, SecretEntries } from "../settings.ts";
import {
  commonAnnotations,
  commonLabels,
  gatewayOf,
  metadataOf,
  stackMark,
  type Identity,
} from "./identity.ts";
import { networkPolicySpec, outgoing } from "./network-policy.ts";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import { CONFIG_ENTRY, podCount } from "./pod.ts";
import { deploymentSpec, disruptionBudgetSpec, serviceSpec, statefulSetSpec } from "./workload.ts";

/** The exporter on Kubernetes: one pod, or one for each shard and replica, with the least privileges that it needs. */
export class Exporter extends ComponentResource {
  /** The identity that all components of this deployment share. */
  readonly identity: Identity;
  /** A StatefulSet if there are several pods. */
  readonly deployment: Deployment | StatefulSet;
  readonly disruptionBudget: PodDisruptionBudget | undefined;
  readonly service: Service;
  readonly networkPolicy: NetworkPolicy | undefined;
  /** URL of the metrics inside the cluster. */
  readonly metricsUrl: Output<string>;

  constructor(name: string, settings: KubernetesSettings, options?: ComponentResourceOptions) {
    super("aigateway-exporter:kubernetes:Exporter", name, {}, options);
    const child: CustomResourceOptions = { parent: this };
    this.identity = {
      name: settings.name,
      namespace: namespaceOf(name, settings, child),
      gateway: gatewayOf(settings.gateway),
      stack: stackMark(),
    };
    const mounted = createMounted(name, this.identity, settings, child);
    this.deployment = createDeployment(name, this.identity, settings, mounted, child);
    this.disruptionBudget =
      podCount(settings) === 1 ? undefined : createDisruptionBudget(name, this.identity, child);
    this.service = createService(name, this.identity, child);
    this.networkPolicy = settings.networkPolicy
      ? createNetworkPolicy(name, this.identity, settings, child)
      : undefined;
    const { metadata } = this.service;
    this.metricsUrl = interpolate`http://${metadata.name}.${metadata.namespace}.svc:${DEFAULT_PORT}/metrics`;
    this.registerOutputs({ metricsUrl: this.metricsUrl });
  }
}

function namespaceOf(name: string, settings: KubernetesSettings, child: CustomResourceOptions) {
  if (!settings.createNamespace) return settings.namespace;
  const labels = { ...commonLabels(settings), "pod-security.kubernetes.io/enforce": "restricted" };
  const metadata = {
    name: settings.namespace,
    labels,
    annotations: commonAnnotations({ stack: stackMark() }),
  };
  // Others may have put objects into it, which would be deleted with it.
  return new Namespace(name, { metadata }, { ...child, retainOnDelete: true }).metadata.name;
}

interface Objects {
  readonly serviceAccount: ServiceAccount;
  readonly configMaps: readonly ConfigMap[];
  readonly secrets: readonly Secret[];
  readonly keys: string | undefined;
  readonly management: string | undefined;
  readonly audio: string | undefined;
}

function createMounted(
  name: string,
  identity: Identity,
  { config, keys, management }: KubernetesSettings,
  child: CustomResourceOptions,
): Objects {
  const serviceAccount = new ServiceAccount(
    name,
    { metadata: metadataOf(identity), automountServiceAccountToken: false },
    child,
  );
  const { audio, text } = config;
  const configMaps: ConfigMap[] = [];
  const audioMetadata = metadataOf(identity, { suffix: "audio" });
  const hasAudio = Object.keys(audio).length > 0;
  if (hasAudio) {
    configMaps.push(
      new ConfigMap(`${name}-audio`, { metadata: audioMetadata, binaryData: { ...audio } }, child),
    );
  }
  const secrets: Secret[] = [];
  const nameOf = (suffix: string, secret: SecretEntries | undefined): string | undefined => {
    if (secret?.kind === "existing") return secret.name;
    if (secret === undefined || Object.keys(secret.entries).length === 0) return undefined;
    const metadata = metadataOf(identity, { suffix });
    secrets.push(
      new Secret(`${name}-${suffix}`, { metadata, type: "Opaque", stringData: { ...secret.entries } }, child),
    );
    return metadata.name;
  };
  const names = { keys: nameOf("keys", keys), management: nameOf("management", management) };
  const metadata = metadataOf(identity);
  // The last one, because the exporter reads it at once and needs the files that it names.
  const options = { ...child, dependsOn: [...configMaps, ...secrets] };
  configMaps.push(new ConfigMap(name, { metadata, data: { [CONFIG_ENTRY]: text } }, options));
  return {
    serviceAccount,
    configMaps,
    secrets,
    ...names,
    audio: hasAudio ? audioMetadata.name : undefined,
  };
}

function createDeployment(
  name: string,
  identity: Identity,
  settings: KubernetesSettings,
  { serviceAccount, configMaps, secrets, keys, management, audio }: Objects,
  child: CustomResourceOptions,
): Deployment | StatefulSet {
  const metadata = metadataOf(identity);
  const mounted = { configMap: identity.name, keys, management, audio };
  const options = { ...child, dependsOn: [serviceAccount, ...configMaps, ...secrets] };
  return podCount(settings) === 1
    ? new Deployment(name, { metadata, spec: deploymentSpec(identity, settings, mounted) }, options)
    : new StatefulSet(name, { metadata, spec: statefulSetSpec(identity, settings, mounted) }, options);
}

function createDisruptionBudget(name: string, identity: Identity, child: CustomResourceOptions) {
  const spec = disruptionBudgetSpec(identity);
  return new PodDisruptionBudget(name, { metadata: metadataOf(identity), spec }, child);
}

function createService(name: string, identity: Identity, child: CustomResourceOptions): Service {
  return new Service(name, { metadata: metadataOf(identity), spec: serviceSpec(identity) }, child);
}

function createNetworkPolicy(
  name: string,
  identity: Identity,
  settings: KubernetesSettings,
  child: CustomResourceOptions,
): NetworkPolicy {
  const spec = networkPolicySpec(identity, outgoing(settings), settings.scrapeFrom);
  return new NetworkPolicy(name, { metadata: metadataOf(identity), spec }, child);
}
