import { z } from "zod";
import type { Cluster, ObjectName } from "./cluster.ts";
import { STACK_ANNOTATION, stackMark } from "./identity.ts";

/**
 * Returns a check that refuses to create an object that exists: the API server would merge both without an
 * error, and `destroy` would delete what another stack or a person made. Objects with this stack's mark are
 * accepted, such as a namespace that `destroy` kept.
 */
export function ownerCheck(cluster: Cluster, namespace: string): (newInputs: unknown) => Promise<void> {
  // Computed here and not in the check, which the engine calls without the program's context.
  const own = stackMark();
  return async (newInputs) => {
    const object = objectName(newInputs, namespace);
    const found = await cluster.find(object);
    const problem = found === "" ? undefined : problemOf(object, found, own);
    if (problem !== undefined) throw new Error(problem);
  };
}

const inputs = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
});

function objectName(newInputs: unknown, namespace: string): ObjectName {
  const { apiVersion, kind, metadata } = inputs.parse(newInputs);
  const { name } = metadata;
  if (kind === "Namespace") return { kind, name };
  const [group = "", version] = apiVersion.split("/");
  return { kind: version === undefined ? kind : `${kind}.${version}.${group}`, name, namespace };
}

const existing = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
});

/** Undefined if the object belongs to this stack. */
function problemOf({ kind, name, namespace }: ObjectName, found: string, own: string): string | undefined {
  const mark = existing.parse(JSON.parse(found)).metadata.annotations[STACK_ANNOTATION];
  if (mark === own) return undefined;
  const owner = mark === undefined ? "was not created by this stack" : `belongs to the stack ${mark}`;
  const [short = ""] = kind.split(".");
  return namespace === undefined
    ? `${short} "${name}" exists and ${owner}; set createNamespace to false to deploy into it, or set another namespace`
    : `${short} "${name}" exists in the namespace "${namespace}" and ${owner}; set another name or namespace, or delete it`;
}
