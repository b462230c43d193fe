import type { core } from "@pulumi/kubernetes/types/input.js";
import { DEFAULT_PORT, POD_INDEX, POD_NAME } from "../../exporter/config/schema.ts";
import { KEYS_PATH, MANAGEMENT_PATH } from "../exporter-config.ts";
import { AUDIO_PATH } from "../probe-audio.ts";
import type { KubernetesSettings } from "../settings.ts";
import { commonLabels, type Identity, selectorOf } from "./identity.ts";

export const PORT_NAME = "metrics";
export const CONFIG_ENTRY = "config.yaml";

const CONFIG_PATH = "/etc/aigateway-exporter";
const WEB_CONFIG_PATH = "/etc/aigateway-exporter-web";
const CA_PATH = "/etc/aigateway-exporter-ca";
/** Shorter than the minute that the kubelet needs, so that it does not matter. */
const RELOAD_INTERVAL = "5s";
/** The user of the image. */
const USER = 65_532;
/** File mode that lets the volume's group read. */
const SECRET_MODE = 0o440;

/** The settings that affect objects other than Secrets and the namespace. */
export interface PodSettings extends Pick<
  KubernetesSettings,
  | "name"
  | "namespace"
  | "image"
  | "imagePullSecrets"
  | "logLevel"
  | "shards"
  | "replicas"
  | "resources"
  | "gateway"
  | "environment"
  | "environmentSecret"
  | "caConfigMap"
  | "webConfigSecret"
  | "podLabels"
  | "podAnnotations"
  | "nodeSelector"
  | "tolerations"
  | "affinity"
  | "priorityClass"
  | "scrape"
  | "scrapeInterval"
  | "monitorEndpoint"
  | "monitorLabels"
  | "rules"
  | "dashboardConfigMaps"
  | "dashboardLabels"
  | "dashboardAnnotations"
  | "networkPolicy"
  | "scrapeFrom"
> {
  readonly config: Pick<KubernetesSettings["config"], "text">;
}

/** Names of the objects that the pod mounts; absent if there is nothing to mount. */
export interface Mounted {
  readonly configMap: string;
  readonly keys: string | undefined;
  readonly management: string | undefined;
  readonly audio: string | undefined;
}

/**
 * The pod. A changed configuration does not change it, because the exporter reads that again, as it does
 * secrets and recordings.
 */
export function podTemplate(
  identity: Identity,
  settings: PodSettings,
  mounted: Mounted,
): core.v1.PodTemplateSpec {
  return {
    metadata: {
      labels: {
        ...settings.podLabels,
        ...(identity.gateway === "" ? {} : { gateway: identity.gateway }),
        ...commonLabels(identity),
      },
      annotations: {
        ...settings.podAnnotations,
        ...(settings.scrape === "annotations" ? scrapeAnnotations() : {}),
      },
    },
    spec: {
      serviceAccountName: identity.name,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // The exporter stops within five seconds.
      terminationGracePeriodSeconds: 10,
      imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        seccompProfile: { type: "RuntimeDefault" },
      },
      ...placement(settings),
      ...spreadOf(identity, settings),
      containers: [container(settings, mounted)],
      volumes: [
        { name: "config", configMap: { name: mounted.configMap } },
        ...(mounted.audio === undefined ? [] : [{ name: "audio", configMap: { name: mounted.audio } }]),
        ...(settings.caConfigMap === "" ? [] : [{ name: "ca", configMap: { name: settings.caConfigMap } }]),
        ...secretVolumes(settings, mounted).map(({ name, secretName }) => ({
          name,
          secret: { secretName, defaultMode: SECRET_MODE },
        })),
      ],
    },
  };
}

function container(settings: PodSettings, mounted: Mounted): core.v1.Container {
  return {
    name: "exporter",
    image: settings.image,
    args: [
      `--config.file=${CONFIG_PATH}/${CONFIG_ENTRY}`,
      `--config.auto-reload-interval=${RELOAD_INTERVAL}`,
      `--web.listen-address=:${DEFAULT_PORT}`,
      `--log.level=${settings.logLevel}`,
      ...(settings.webConfigSecret === "" ? [] : [`--web.config.file=${WEB_CONFIG_PATH}/web-config.yaml`]),
    ],
    ...environmentOf(settings),
    ports: [{ name: PORT_NAME, containerPort: DEFAULT_PORT, protocol: "TCP" }],
    resources: settings.resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    livenessProbe: { ...probe(settings, "/-/healthy"), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe(settings, "/-/ready"), periodSeconds: 5, failureThreshold: 3 },
    volumeMounts: [
      { name: "config", mountPath: CONFIG_PATH, readOnly: true },
      ...(mounted.audio === undefined ? [] : [{ name: "audio", mountPath: AUDIO_PATH, readOnly: true }]),
      ...(settings.caConfigMap === "" ? [] : [{ name: "ca", mountPath: CA_PATH, readOnly: true }]),
      // Mounts whole folders, because a file mounted by subPath is not updated when its Secret changes.
      ...secretVolumes(settings, mounted).map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
    ],
  };
}

function placement({
  nodeSelector,
  tolerations,
  affinity,
  priorityClass,
}: PodSettings): Partial<core.v1.PodSpec> {
  return {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
    ...(Object.keys(affinity).length === 0 ? {} : { affinity }),
    ...(priorityClass === "" ? {} : { priorityClassName: priorityClass }),
  };
}

function environmentOf({
  shards,
  replicas,
  environment,
  environmentSecret,
  caConfigMap,
}: PodSettings): Partial<core.v1.Container> {
  const variables = {
    ...(caConfigMap === "" ? {} : { NODE_EXTRA_CA_CERTS: `${CA_PATH}/ca.crt` }),
    ...environment,
  };
  const env = [
    ...(podCount({ shards, replicas }) > 1 ? POD_VARIABLES : []),
    ...Object.entries(variables).map(([name, value]) => ({ name, value })),
  ];
  return {
    ...(env.length === 0 ? {} : { env }),
    ...(environmentSecret === "" ? {} : { envFrom: [{ secretRef: { name: environmentSecret } }] }),
  };
}

/** How many processes there are: one for each shard and replica. */
export function podCount({ shards, replicas }: Pick<PodSettings, "shards" | "replicas">): number {
  return shards * replicas;
}

/** How each process finds its shard. Before Kubernetes 1.28 pods have no such label, and the variable is empty. */
const POD_VARIABLES: core.v1.EnvVar[] = [
  [POD_INDEX, "metadata.labels['apps.kubernetes.io/pod-index']"] as const,
  [POD_NAME, "metadata.name"] as const,
].map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));

/** A node that fails takes as few pods with it as possible. */
function spreadOf(identity: Identity, settings: PodSettings): Partial<core.v1.PodSpec> {
  if (podCount(settings) === 1) return {};
  const labelSelector = { matchLabels: selectorOf(identity) };
  const spread = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" };
  return { topologySpreadConstraints: [{ ...spread, labelSelector }] };
}

function secretVolumes({ webConfigSecret }: PodSettings, { keys, management }: Mounted) {
  return [
    ...(webConfigSecret === ""
      ? []
      : [{ name: "web", secretName: webConfigSecret, mountPath: WEB_CONFIG_PATH }]),
    ...(keys === undefined ? [] : [{ name: "keys", secretName: keys, mountPath: KEYS_PATH }]),
    ...(management === undefined
      ? []
      : [{ name: "management", secretName: management, mountPath: MANAGEMENT_PATH }]),
  ];
}

/** With a web configuration, every request may need a login or a certificate, which a probe does not have. */
function probe({ webConfigSecret }: PodSettings, path: string): core.v1.Probe {
  const check =
    webConfigSecret === "" ? { httpGet: { path, port: PORT_NAME } } : { tcpSocket: { port: PORT_NAME } };
  return { ...check, timeoutSeconds: 5 };
}

function scrapeAnnotations(): Record<string, string> {
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": String(DEFAULT_PORT),
    "prometheus.io/path": "/metrics",
  };
}
