import { join } from "node:path";
import { z } from "zod";
import { writeMounted } from "../../support/mounted-folder.ts";
import type { KubernetesApi } from "./kubernetes-api.ts";
import type { Pod } from "./pod.ts";

/** Files of one volume: names and contents. */
type Files = Readonly<Record<string, string>>;

/** The volumes of a pod in folders, as a kubelet keeps them: every file changes at once, through the link `..data`. */
export interface Volumes {
  /** Real paths by path in the container. */
  readonly mounts: Readonly<Record<string, string>>;
  /** Applies the changes in the cluster. */
  refresh(): Promise<void>;
}

export async function mountVolumes(api: KubernetesApi, pod: Pod, root: string): Promise<Volumes> {
  const [{ volumeMounts }] = pod.spec.containers;
  const mounts = Object.fromEntries(volumeMounts.map(({ mountPath }) => [mountPath, join(root, mountPath)]));
  const written = new Map<string, string>();
  const refresh = async (): Promise<void> => {
    for (const { name, mountPath } of volumeMounts) {
      const files = await filesOf(api, pod, name);
      const state = JSON.stringify(files);
      if (written.get(name) === state) continue;
      writeMounted(join(root, mountPath), files);
      written.set(name, state);
    }
  };
  await refresh();
  return { mounts, refresh };
}

const configMap = z.object({ data: z.record(z.string(), z.string()).default({}) });

async function filesOf(api: KubernetesApi, { metadata, spec }: Pod, name: string): Promise<Files> {
  const volume = spec.volumes.find((candidate) => candidate.name === name);
  const path = `/api/v1/namespaces/${metadata.namespace}`;
  if (volume?.configMap)
    return configMap.parse(await api.get(`${path}/configmaps/${volume.configMap.name}`)).data;
  if (!volume?.secret)
    throw new Error(`Cannot mount the volume "${name}": it is neither ConfigMap nor Secret`);
  const { data } = configMap.parse(await api.get(`${path}/secrets/${volume.secret.secretName}`));
  return Object.fromEntries(
    Object.entries(data).map(([file, encoded]) => [file, Buffer.from(encoded, "base64").toString()]),
  );
}
