import type { core } from "@pulumi/kubernetes/types/input.js";
import { DEFAULT_PORT, POD_INDEX, POD_NAME } from "../../exporter/config/schema.ts";
import { KEYS_PATH, MANAGEMENT_PATH } from "../exporter-config.ts";
import { AUDIO_PATH } from "../probe-audio.ts";
import type { KubernetesSettings } from "../settings.ts";
import { commonLabels, type Identity, selectorOf } from "./identity.ts";

export const PORT_NAME = "metrics";
export const CONFIG_ENTRY = "config.yaml";
const WEB_CONFIG_ENTRY = "web-config.yaml";

const CONFIG_PATH = "/etc/aigateway-exporter";
const WEB_CONFIG_PATH = "/etc/aigateway-exporter-web";
const TLS_PATH = "/etc/aigateway-exporter-tls";
const CA_PATH = "/etc/aigateway-exporter-ca";
/** Shorter than the minute that the kubelet needs, so that it does not matter. */
const RELOAD_INTERVAL = "5s";
/** File mode that lets the volume's group read. */
const SECRET_MODE = 0o440;

/** The settings that affect objects other than Secrets and the namespace. */
export type PodSettings = Omit<KubernetesSettings, "kubeconfig" | "keys" | "management" | "config"> & {
  readonly config: Pick<KubernetesSettings["config"], "text">;
};

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
        ...settings.commonLabels,
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
      serviceAccountName: serviceAccountOf(settings),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // The exporter stops within five seconds.
      terminationGracePeriodSeconds: 10,
      imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })),
      ...given(settings.podSecurityContext, (securityContext) => ({ securityContext })),
      ...given(settings.nodeSelector, (nodeSelector) => ({ nodeSelector })),
      ...given(settings.tolerations, (tolerations) => ({ tolerations })),
      ...given(settings.affinity, (affinity) => ({ affinity })),
      ...given(settings.priorityClass, (priorityClassName) => ({ priorityClassName })),
      ...spreadOf(identity, settings),
      ...given(settings.initContainers, (initContainers) => ({ initContainers })),
      containers: [container(settings, mounted)],
      volumes: [
        { name: "config", configMap: { name: mounted.configMap } },
        ...(mounted.audio === undefined ? [] : [{ name: "audio", configMap: { name: mounted.audio } }]),
        ...(settings.caConfigMap === "" ? [] : [{ name: "ca", configMap: { name: settings.caConfigMap } }]),
        ...secretVolumes(settings, mounted).map(({ name, secretName }) => ({
          name,
          secret: { secretName, defaultMode: SECRET_MODE },
        })),
        ...settings.extraVolumes,
      ],
    },
  };
}

function container(settings: PodSettings, mounted: Mounted): core.v1.Container {
  return {
    name: "exporter",
    image: settings.image,
    ...given(settings.imagePullPolicy, (imagePullPolicy) => ({ imagePullPolicy })),
    args: [
      `--config.file=${CONFIG_PATH}/${CONFIG_ENTRY}`,
      `--config.auto-reload-interval=${RELOAD_INTERVAL}`,
      `--web.listen-address=:${DEFAULT_PORT}`,
      `--log.level=${settings.logLevel}`,
      ...webConfigFlag(settings),
      ...settings.extraArgs,
    ],
    ...environmentOf(settings),
    ports: [{ name: PORT_NAME, containerPort: DEFAULT_PORT, protocol: "TCP" }],
    resources: settings.resources,
    ...given(settings.securityContext, (securityContext) => ({ securityContext })),
    livenessProbe: { ...probe(settings, "/-/healthy"), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe(settings, "/-/ready"), periodSeconds: 5, failureThreshold: 3 },
    volumeMounts: [
      { name: "config", mountPath: CONFIG_PATH, readOnly: true },
      ...(mounted.audio === undefined ? [] : [{ name: "audio", mountPath: AUDIO_PATH, readOnly: true }]),
      ...(settings.caConfigMap === "" ? [] : [{ name: "ca", mountPath: CA_PATH, readOnly: true }]),
      // Mounts whole folders, because a file mounted by subPath is not updated when its Secret changes.
      ...secretVolumes(settings, mounted).map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
      ...settings.extraVolumeMounts,
    ],
  };
}

/** The name of the pod's account; that of the namespace's own is default. */
export function serviceAccountOf({
  name,
  serviceAccount,
}: Pick<PodSettings, "name" | "serviceAccount">): string {
  return serviceAccount.name || (serviceAccount.create ? name : "default");
}

/** The web configuration beside that of the exporter, which serves TLS with the files of a Secret. */
export function tlsConfig({ tlsSecret }: Pick<PodSettings, "tlsSecret">): Readonly<Record<string, string>> {
  const files = `  cert_file: ${TLS_PATH}/tls.crt\n  key_file: ${TLS_PATH}/tls.key`;
  return tlsSecret === "" ? {} : { [WEB_CONFIG_ENTRY]: `tls_server_config:\n${files}` };
}

function webConfigFlag({ webConfigSecret, tlsSecret }: PodSettings): readonly string[] {
  const folder = webConfigSecret === "" ? CONFIG_PATH : WEB_CONFIG_PATH;
  return webConfigSecret + tlsSecret === "" ? [] : [`--web.config.file=${folder}/${WEB_CONFIG_ENTRY}`];
}

/** A field, unless its value is empty. */
function given<Value extends object | string, Field extends object>(
  value: Value,
  field: (value: Value) => Field,
): Field | object {
  return Object.keys(value).length === 0 ? {} : field(value);
}

function environmentOf({
  shards,
  replicas,
  environment,
  environmentSecret,
  caConfigMap,
  extraEnv,
}: PodSettings): Partial<core.v1.Container> {
  const variables = {
    ...(caConfigMap === "" ? {} : { NODE_EXTRA_CA_CERTS: `${CA_PATH}/ca.crt` }),
    ...environment,
  };
  const isOther = ([name]: readonly [string, string]) => extraEnv.every((each) => each.name !== name);
  const env = [
    ...(podCount({ shards, replicas }) > 1 ? POD_VARIABLES : []),
    ...Object.entries(variables)
      .filter(isOther)
      .map(([name, value]) => ({ name, value })),
    ...extraEnv,
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
  const own = settings.topologySpreadConstraints;
  if (own.length > 0) return { topologySpreadConstraints: own };
  if (podCount(settings) === 1) return {};
  const labelSelector = { matchLabels: selectorOf(identity) };
  const spread = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" };
  return { topologySpreadConstraints: [{ ...spread, labelSelector }] };
}

function secretVolumes({ webConfigSecret, tlsSecret }: PodSettings, { keys = "", management = "" }: Mounted) {
  return [
    { name: "web", secretName: webConfigSecret, mountPath: WEB_CONFIG_PATH },
    { name: "tls", secretName: tlsSecret, mountPath: TLS_PATH },
    { name: "keys", secretName: keys, mountPath: KEYS_PATH },
    { name: "management", secretName: management, mountPath: MANAGEMENT_PATH },
  ].filter(({ secretName }) => secretName !== "");
}

/** With a web configuration, every request may need a login or a certificate, which a probe does not have. */
function probe(settings: PodSettings, path: string): core.v1.Probe {
  const check =
    webConfigFlag(settings).length === 0
      ? { httpGet: { path, port: PORT_NAME } }
      : { tcpSocket: { port: PORT_NAME } };
  return { ...check, timeoutSeconds: 5 };
}

function scrapeAnnotations(): Record<string, string> {
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": String(DEFAULT_PORT),
    "prometheus.io/path": "/metrics",
  };
}
