import type { core } from "@pulumi/kubernetes/types/input.js";
import { createHash } from "node:crypto";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import { KEYS_PATH, MANAGEMENT_PATH } from "../exporter-config.ts";
import { AUDIO_PATH } from "../probe-audio.ts";
import type { KubernetesSettings } from "../settings.ts";
import { commonLabels, type Identity } from "./identity.ts";

export const PORT_NAME = "metrics";
export const CONFIG_ENTRY = "config.yaml";

const CONFIG_PATH = "/etc/aigateway-exporter";
/** The user of the image. */
const USER = 65_532;
/** File mode that lets the volume's group read. */
const SECRET_MODE = 0o440;

/** Names of the objects that the pod mounts; absent if there is nothing to mount. */
export interface Mounted {
  readonly configMap: string;
  readonly keys: string | undefined;
  readonly management: string | undefined;
  readonly audio: string | undefined;
}

/** The pod. Its checksum covers the configuration only, because the exporter re-reads secrets and recordings when they change. */
export function podTemplate(
  identity: Identity,
  settings: KubernetesSettings,
  mounted: Mounted,
): core.v1.PodTemplateSpec {
  return {
    metadata: {
      labels: commonLabels(identity),
      annotations: {
        "checksum/config": createHash("sha256").update(settings.config.text).digest("hex"),
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
      containers: [container(settings, mounted)],
      volumes: [
        { name: "config", configMap: { name: mounted.configMap } },
        ...(mounted.audio === undefined ? [] : [{ name: "audio", configMap: { name: mounted.audio } }]),
        ...secretVolumes(mounted).map(({ name, secretName }) => ({
          name,
          secret: { secretName, defaultMode: SECRET_MODE },
        })),
      ],
    },
  };
}

function container(settings: KubernetesSettings, mounted: Mounted): core.v1.Container {
  return {
    name: "exporter",
    image: settings.image,
    args: [
      `--config.file=${CONFIG_PATH}/${CONFIG_ENTRY}`,
      `--web.listen-address=:${DEFAULT_PORT}`,
      `--log.level=${settings.logLevel}`,
    ],
    ports: [{ name: PORT_NAME, containerPort: DEFAULT_PORT, protocol: "TCP" }],
    resources: settings.resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    livenessProbe: { ...probe("/-/healthy"), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe("/-/ready"), periodSeconds: 5, failureThreshold: 3 },
    volumeMounts: [
      { name: "config", mountPath: CONFIG_PATH, readOnly: true },
      ...(mounted.audio === undefined ? [] : [{ name: "audio", mountPath: AUDIO_PATH, readOnly: true }]),
      // Mounts whole folders, because a file mounted by subPath is not updated when its Secret changes.
      ...secretVolumes(mounted).map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
    ],
  };
}

function secretVolumes({ keys, management }: Mounted) {
  return [
    ...(keys === undefined ? [] : [{ name: "keys", secretName: keys, mountPath: KEYS_PATH }]),
    ...(management === undefined
      ? []
      : [{ name: "management", secretName: management, mountPath: MANAGEMENT_PATH }]),
  ];
}

function probe(path: string): core.v1.Probe {
  return { httpGet: { path, port: PORT_NAME }, timeoutSeconds: 5 };
}

function scrapeAnnotations(): Record<string, string> {
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": String(DEFAULT_PORT),
    "prometheus.io/path": "/metrics",
  };
}
