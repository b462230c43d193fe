import { expect, test } from "vitest";
import type { ObjectName } from "../../infra/kubernetes/cluster.ts";
import { checkReferences } from "../../infra/kubernetes/references.ts";

const SETTINGS = {
  namespace: "monitoring",
  createNamespace: false,
  imagePullSecrets: ["pull"],
  keys: { kind: "existing", name: "keys" } as const,
  management: undefined,
  environmentSecret: "",
  webConfigSecret: "",
  caConfigMap: "",
};

/** A cluster with these objects, in which only Secrets may be read. */
function clusterOf(...names: readonly string[]) {
  return {
    find: ({ kind, name }: ObjectName) =>
      kind === "Namespace"
        ? Promise.reject(new Error('namespaces "monitoring" is forbidden'))
        : Promise.resolve(names.includes(name) ? "{}" : ""),
  };
}

test("who may not read namespaces can deploy into one that exists", async () => {
  await expect(checkReferences(clusterOf("pull", "keys"), SETTINGS)).resolves.toBeUndefined();
});

test("a missing Secret is reported there as well", async () => {
  await expect(checkReferences(clusterOf("pull"), SETTINGS)).rejects.toThrow(
    'keysSecret: there is no Secret "keys" in the namespace "monitoring"; create it first',
  );
});

test("in a namespace that the stack creates nothing can be checked", async () => {
  const cluster = { find: () => Promise.resolve("") };
  await expect(checkReferences(cluster, { ...SETTINGS, createNamespace: true })).resolves.toBeUndefined();
});
