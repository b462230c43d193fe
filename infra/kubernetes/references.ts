import type { KubernetesSettings } from "../settings.ts";
import type { Cluster } from "./cluster.ts";

export type References = Pick<
  KubernetesSettings,
  | "namespace"
  | "createNamespace"
  | "imagePullSecrets"
  | "keys"
  | "management"
  | "environmentSecret"
  | "webConfigSecret"
  | "caConfigMap"
>;

/**
 * Checks that the objects exist that the pod needs but this stack does not create. Without them the pod would
 * not start, and `up` would wait ten minutes. In a namespace that does not exist yet, nothing can be checked.
 * Only a stack that creates the namespace asks for it, because others may not be allowed to read it.
 */
export async function checkReferences(cluster: Cluster, settings: References): Promise<void> {
  const { namespace, createNamespace } = settings;
  if (createNamespace && (await cluster.find({ kind: "Namespace", name: namespace })) === "") return;
  for (const [setting, kind, name] of referencesOf(settings)) {
    if ((await cluster.find({ kind, name, namespace })) !== "") continue;
    throw new Error(
      `${setting}: there is no ${kind} "${name}" in the namespace "${namespace}"; create it first`,
    );
  }
}

function referencesOf(settings: References): readonly (readonly [string, "Secret" | "ConfigMap", string])[] {
  const { imagePullSecrets, keys, management, environmentSecret, webConfigSecret, caConfigMap } = settings;
  const named = [
    ["keysSecret", "Secret", keys.kind === "existing" ? keys.name : ""],
    ["managementSecret", "Secret", management?.kind === "existing" ? management.name : ""],
    ["environmentSecret", "Secret", environmentSecret],
    ["webConfigSecret", "Secret", webConfigSecret],
    ["caConfigMap", "ConfigMap", caConfigMap],
  ] as const;
  const pull = imagePullSecrets.map((name) => ["imagePullSecrets", "Secret", name] as const);
  return [...pull, ...named.filter(([, , name]) => name !== "")];
}
