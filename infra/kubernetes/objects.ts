import { createHash } from "node:crypto";
import type { DashboardFile } from "../../dashboards/index.ts";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { KubernetesSettings, SecretEntries } from "../settings.ts";
import {
  commonAnnotations,
  commonLabels,
  CONTENT_ANNOTATION,
  type Identity,
  metadataOf,
} from "./identity.ts";
import { type Manifest, publicManifests } from "./manifests.ts";
import { outgoing } from "./network-policy.ts";

/** All objects of a deployment. An object needs those of the groups before its own. */
export function deployedObjects(
  identity: Identity,
  settings: KubernetesSettings,
  rules: readonly RuleGroup[],
  dashboards: readonly DashboardFile[],
): readonly (readonly Manifest[])[] {
  const { keys, management, config } = settings;
  const secrets = [secretOf(identity, "keys", keys), secretOf(identity, "management", management)];
  const [audio] = recordings(identity, config.audio);
  const mounted = {
    configMap: identity.name,
    keys: secrets[0]?.name,
    management: secrets[1]?.name,
    audio: audio?.metadata.name,
  };
  const others = publicManifests(identity, {
    settings,
    outgoing: outgoing(settings),
    mounted,
    rules,
    dashboards,
  });
  const isConfig = ({ kind, metadata }: Manifest) => kind === "ConfigMap" && metadata.name === identity.name;
  return [
    settings.createNamespace ? [namespaceOf(identity)] : [],
    [...secrets.flatMap((each) => each?.own ?? []), ...(audio ? [audio] : [])],
    // After the files that it names, because the exporter reads it at once.
    others.filter(isConfig),
    others.filter((each) => !isConfig(each)),
  ].map((group) => group.map((manifest) => annotated(manifest, annotationsOf(manifest, settings))));
}

/**
 * What is watched for changes by hand that the engine does not see, because they add to a list or map: the network policy, and
 * the names in a Secret. Undefined for other kinds.
 */
export function contentMark({ kind, spec, data, stringData }: Readonly<Record<string, unknown>>) {
  if (kind !== "NetworkPolicy" && kind !== "Secret") return undefined;
  const content = kind === "Secret" ? Object.keys(data ?? stringData ?? {}).toSorted() : spec;
  const text = JSON.stringify(content, (name, value: unknown) => {
    // The API server omits it if it is empty.
    if (name === "matchLabels" && JSON.stringify(value) === "{}") return undefined;
    // It adds it.
    if (name === "protocol" && value === "TCP") return undefined;
    return value instanceof Object && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * The plugin watches a Service for ten seconds, and a workload that does not start for ten minutes. `waitUntilInUse` waits instead,
 * for the pods themselves.
 */
function annotationsOf(
  manifest: Manifest,
  { waitForConfig }: KubernetesSettings,
): Readonly<Record<string, string>> {
  const { kind } = manifest;
  if (kind === "Service") return { "pulumi.com/skipAwait": "true" };
  // It is true at once. `skipAwait` would not wait for its deletion either.
  if (waitForConfig && isWorkload(kind)) return { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" };
  const mark = contentMark(manifest);
  return mark === undefined ? {} : { [CONTENT_ANNOTATION]: mark };
}

export function isWorkload(kind: string): boolean {
  return WORKLOADS.includes(kind);
}

export const WORKLOADS = ["Deployment", "StatefulSet"];

function annotated(manifest: Manifest, annotations: Readonly<Record<string, string>>): Manifest {
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

function namespaceOf(identity: Identity): Manifest {
  const labels = {
    ...identity.labels,
    ...commonLabels(identity),
    "pod-security.kubernetes.io/enforce": "restricted",
  };
  const metadata = { name: identity.namespace, labels, annotations: commonAnnotations(identity) };
  return { apiVersion: "v1", kind: "Namespace", metadata };
}

/** The name of a Secret, and the Secret itself if this stack creates it. */
function secretOf(identity: Identity, suffix: string, secret: SecretEntries | undefined) {
  if (secret?.kind === "existing") return { name: secret.name, own: [] };
  if (secret === undefined || Object.keys(secret.entries).length === 0) return undefined;
  const metadata = metadataOf(identity, { suffix });
  const stringData = { ...secret.entries };
  return {
    name: metadata.name,
    own: [{ apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", stringData }],
  };
}

function recordings(identity: Identity, audio: Readonly<Record<string, string>>): readonly Manifest[] {
  if (Object.keys(audio).length === 0) return [];
  const metadata = metadataOf(identity, { suffix: "audio" });
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata, binaryData: { ...audio } }];
}
