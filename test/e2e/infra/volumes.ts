import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  readlinkSync,
  existsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { KubernetesApi } from "./kubernetes-api.ts";
import type { Pod } from "./pod.ts";

/** Files of one volume: names and contents. */
type Files = Readonly<Record<string, string>>;

/** The volumes of a pod in folders, as a kubelet keeps them: every file changes at once, through the link `..data`. */
export interface Volumes {
  /** The real path of a path in the container. */
  readonly pathOf: (mountPath: string) => string;
  /** Applies the changes in the cluster. */
  refresh(): Promise<void>;
}

export async function mountVolumes(api: KubernetesApi, pod: Pod, root: string): Promise<Volumes> {
  const [{ volumeMounts }] = pod.spec.containers;
  const mountPaths = volumeMounts.map(({ mountPath }) => mountPath);
  const pathOf = (text: string): string =>
    mountPaths.reduce((path, mountPath) => path.replaceAll(mountPath, join(root, mountPath)), text);
  const written = new Map<string, string>();
  const refresh = async (): Promise<void> => {
    for (const { name, mountPath } of volumeMounts) {
      const files = await filesOf(api, pod, name);
      // The container has no separate root here, so the paths in its configuration are moved as well.
      const moved = Object.fromEntries(Object.entries(files).map(([file, text]) => [file, pathOf(text)]));
      const state = JSON.stringify(moved);
      if (written.get(name) === state) continue;
      writeAtomically(join(root, mountPath), moved);
      written.set(name, state);
    }
  };
  await refresh();
  return { pathOf, refresh };
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

function writeAtomically(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  const generation = mkdtempSync(join(folder, "..generation-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(generation, name), text);
  const data = join(folder, "..data");
  const previous = existsSync(data) ? readlinkSync(data) : undefined;
  symlinkSync(generation, `${data}_next`);
  renameSync(`${data}_next`, data);
  for (const name of Object.keys(files)) {
    if (!existsSync(join(folder, name))) symlinkSync(join("..data", name), join(folder, name));
  }
  if (previous !== undefined) rmSync(previous, { recursive: true, force: true });
}
