import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace.js";
import { Secret } from "@pulumi/kubernetes/core/v1/secret.js";
import { Service } from "@pulumi/kubernetes/core/v1/service.js";
import { ServiceAccount } from "@pulumi/kubernetes/core/v1/serviceAccount.js";
import { NetworkPolicy } from "@pulumi/kubernetes/networking/v1/networkPolicy.js";
import {
  ComponentResource,
  interpolate,
  type ComponentResourceOptions,
  type CustomResourceOptions,
  type Output,
} from "@pulumi/pulumi";
import type { KubernetesSettings, SecretEntries } from "../settings.ts";
import { commonLabels, metadataOf, REPAIRED, selectorOf, type Identity } from "./identity.ts";
import { networkPolicySpec } from "./network-policy.ts";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import { CONFIG_ENTRY, podTemplate, PORT_NAME } from "./pod.ts";

/** The exporter on Kubernetes: one pod with the least privileges that it needs. */
export class Exporter extends ComponentResource {
  /** The identity that all components of this deployment share. */
  readonly identity: Identity;
  readonly deployment: Deployment;
  readonly service: Service;
  readonly networkPolicy: NetworkPolicy | undefined;
  /** URL of the metrics inside the cluster. */
  readonly metricsUrl: Output<string>;

  constructor(name: string, settings: KubernetesSettings, options?: ComponentResourceOptions) {
    super("aigateway-exporter:kubernetes:Exporter", name, {}, options);
    const child: CustomResourceOptions = { parent: this };
    this.identity = { name: settings.name, namespace: namespaceOf(name, settings, child) };
    const mounted = createMounted(name, this.identity, settings, child);
    this.deployment = createDeployment(name, this.identity, settings, mounted, child);
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
  const metadata = { name: settings.namespace, labels, annotations: REPAIRED };
  return new Namespace(name, { metadata }, child).metadata.name;
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
  const configMaps = [
    new ConfigMap(name, { metadata: metadataOf(identity), data: { [CONFIG_ENTRY]: text } }, child),
  ];
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
  return {
    serviceAccount,
    configMaps,
    secrets,
    keys: nameOf("keys", keys),
    management: nameOf("management", management),
    audio: hasAudio ? audioMetadata.name : undefined,
  };
}

function createDeployment(
  name: string,
  identity: Identity,
  settings: KubernetesSettings,
  { serviceAccount, configMaps, secrets, keys, management, audio }: Objects,
  child: CustomResourceOptions,
): Deployment {
  return new Deployment(
    name,
    {
      metadata: metadataOf(identity),
      spec: {
        replicas: 1,
        // Two pods at the same time would double every plain sum.
        strategy: { type: "Recreate" },
        revisionHistoryLimit: 3,
        selector: { matchLabels: selectorOf(identity) },
        template: podTemplate(identity, settings, { configMap: identity.name, keys, management, audio }),
      },
    },
    { ...child, dependsOn: [serviceAccount, ...configMaps, ...secrets] },
  );
}

function createService(name: string, identity: Identity, child: CustomResourceOptions): Service {
  return new Service(
    name,
    {
      metadata: metadataOf(identity),
      spec: {
        type: "ClusterIP",
        selector: selectorOf(identity),
        ports: [{ name: PORT_NAME, port: DEFAULT_PORT, targetPort: PORT_NAME, protocol: "TCP" }],
      },
    },
    child,
  );
}

function createNetworkPolicy(
  name: string,
  identity: Identity,
  { config, scrapeFrom }: KubernetesSettings,
  child: CustomResourceOptions,
): NetworkPolicy {
  const spec = networkPolicySpec(identity, config.file.gateway.base_url, scrapeFrom);
  return new NetworkPolicy(name, { metadata: metadataOf(identity), spec }, child);
}
