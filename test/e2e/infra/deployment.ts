import { z } from "zod";
import type { KubernetesApi } from "./kubernetes-api.ts";
import { ADDRESS_ANNOTATION } from "./kubelet.ts";

/** The namespace and names of the tests' objects. */
export const NAMESPACE = "aigateway-exporter";

/** Paths of the API, by object. */
export const PATHS = {
  namespace: `/api/v1/namespaces/${NAMESPACE}`,
  configMap: core("configmaps", NAMESPACE),
  keys: core("secrets", `${NAMESPACE}-keys`),
  management: core("secrets", `${NAMESPACE}-management`),
  service: core("services", NAMESPACE),
  serviceAccount: core("serviceaccounts", NAMESPACE),
  deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${NAMESPACE}`,
  networkPolicy: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies/${NAMESPACE}`,
  serviceMonitor: monitoring("servicemonitors"),
  prometheusRule: monitoring("prometheusrules"),
} as const;

export function dashboardPath(uid: string): string {
  return core("configmaps", `${NAMESPACE}-dashboard-${uid}`);
}

/** A ready pod and its real address. */
export interface ReadyPod {
  readonly name: string;
  readonly url: string;
}

/** The pods that are ready now. */
export async function readyPods(api: KubernetesApi): Promise<readonly ReadyPod[]> {
  const { items } = pods.parse(await api.get(`/api/v1/namespaces/${NAMESPACE}/pods`));
  return items.flatMap(({ metadata, status }) => {
    const address = metadata.annotations?.[ADDRESS_ANNOTATION];
    const isReady = status.conditions?.some(
      ({ type, status: state }) => type === "Ready" && state === "True",
    );
    return isReady === true && address !== undefined && metadata.deletionTimestamp === undefined
      ? [{ name: metadata.name, url: `http://${address}` }]
      : [];
  });
}

/** The uid, which differs between an object and its successor of the same name. */
export async function uidOf(api: KubernetesApi, path: string): Promise<string> {
  return z.object({ metadata: z.object({ uid: z.string() }) }).parse(await api.get(path)).metadata.uid;
}

/**
 * The uid of every object in the namespace, with its version, by `Kind/name`. Only people and stacks change these objects, except
 * for the status of workloads, which have their generation instead.
 */
export async function versionsOf(api: KubernetesApi): Promise<Readonly<Record<string, string>>> {
  const lists = await Promise.all(LISTS.map((path) => api.get(path)));
  return Object.fromEntries(
    lists.flatMap((list) => {
      const { kind, items } = objects.parse(list);
      return items.map(({ metadata: { name, uid, resourceVersion, generation } }) => [
        `${kind.replace(/List$/, "")}/${name}`,
        `${uid} ${generation ?? resourceVersion}`,
      ]);
    }),
  );
}

const LISTS = [
  ...["configmaps", "secrets", "serviceaccounts", "services"].map((kind) => core(kind)),
  ...["deployments", "statefulsets"].map((kind) => `/apis/apps/v1/namespaces/${NAMESPACE}/${kind}`),
  `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`,
  ...["servicemonitors", "prometheusrules"].map((kind) => monitoring(kind, "")),
];

const objects = z.object({
  kind: z.string(),
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        uid: z.string(),
        resourceVersion: z.string(),
        generation: z.number().optional(),
      }),
    }),
  ),
});

const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        annotations: z.record(z.string(), z.string()).optional(),
        deletionTimestamp: z.string().optional(),
      }),
      status: z.object({
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
      }),
    }),
  ),
});

function core(kind: string, name = ""): string {
  return `/api/v1/namespaces/${NAMESPACE}/${kind}/${name}`.replace(/\/$/, "");
}

function monitoring(kind: string, name = NAMESPACE): string {
  return `/apis/monitoring.coreos.com/v1/namespaces/${NAMESPACE}/${kind}/${name}`.replace(/\/$/, "");
}
