import { z } from "zod";
import type { KubernetesSettings } from "../settings.ts";
import { MANAGEMENT_ENTRY } from "../exporter-config.ts";
import type { Cluster } from "./cluster.ts";
import { CONTENT_ANNOTATION, type Identity, STACK_ANNOTATION } from "./identity.ts";
import { contentMark } from "./objects.ts";
import type { Manifest } from "./manifests.ts";

export type CheckedSettings = Pick<
  KubernetesSettings,
  | "namespace"
  | "createNamespace"
  | "imagePullSecrets"
  | "keys"
  | "management"
  | "environmentSecret"
  | "webConfigSecret"
  | "tlsSecret"
  | "caConfigMap"
  | "adopt"
> & { readonly config: Pick<KubernetesSettings["config"], "file"> };

/**
 * Why nothing may be deployed: objects of other owners, which the API server would merge with ours and `destroy` would
 * delete; objects that were changed by hand; and objects that the pod needs and that are missing.
 * @throws if the cluster cannot be asked.
 */
export async function clusterProblems(
  cluster: Cluster,
  objects: readonly Manifest[],
  settings: CheckedSettings,
  identity: Identity,
): Promise<readonly string[]> {
  const { namespace, createNamespace } = settings;
  const references = referencesOf(settings);
  const names = [
    ...objects.map((each) => nameOf(each, namespace)),
    ...references.map(({ kind, name }) => ({ kind, name, namespace })),
  ];
  const asked = [...Map.groupBy(names, (each) => each.namespace)].map(([where, those]) =>
    cluster.find(those, where),
  );
  const found = (await Promise.all(asked)).flat().map((text) => foundObject.parse(text));
  const present = (kind: string, name: string) =>
    found.find((each) => each.kind === kind && each.metadata.name === name);
  // In a namespace that does not exist yet, nothing can be expected.
  const isExpected = !createNamespace || present("Namespace", namespace) !== undefined;
  return [
    ...objects.flatMap(({ kind, metadata }) => {
      const object = present(kind, metadata.name);
      return object ? (problemOf(object, identity, settings.adopt) ?? []) : [];
    }),
    ...(isExpected ? references : []).flatMap((reference) => {
      const object = present(reference.kind, reference.name);
      return missing(reference, object && Object.keys(object.data), namespace);
    }),
  ];
}

function nameOf({ apiVersion, kind, metadata }: Manifest, fallback: string) {
  const [group = "", version] = apiVersion.split("/");
  return {
    kind: version === undefined ? kind : `${kind}.${version}.${group}`,
    name: metadata.name,
    namespace: metadata.namespace ?? fallback,
  };
}

const foundObject = z.looseObject({
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: z.string().optional(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  data: z.record(z.string(), z.unknown()).default({}),
});

type FoundObject = z.output<typeof foundObject>;

function problemOf(object: FoundObject, identity: Identity, adopt: string): string | undefined {
  const { kind, metadata } = object;
  const { namespace = identity.namespace } = metadata;
  const { stack = "" } = identity;
  const mark = metadata.annotations[STACK_ANNOTATION];
  const [own, theirs] = [stackOf(stack), stackOf(mark ?? "")];
  // A namespace outlives its stack, because others may use it.
  const isOwn = theirs.id === own.id || (kind === "Namespace" && theirs.name === own.name);
  const title =
    kind === "Namespace"
      ? `Namespace "${metadata.name}"`
      : `${kind} "${metadata.name}" in the namespace "${namespace}"`;
  if (mark === undefined) return `${title}: exists and was not created by this stack; ${elsewhere(kind)}`;
  if (!isOwn && theirs.id !== adopt)
    return `${title}: exists and belongs to the stack ${theirs.name} with the id ${theirs.id}; ${elsewhere(kind)}; if the state of that stack is lost, take its objects over: pulumi config set adopt ${theirs.id}`;
  const content = metadata.annotations[CONTENT_ANNOTATION];
  if (content === undefined || content === contentMark(object)) return undefined;
  return `${title}: was changed by hand; delete it (kubectl -n ${namespace} delete ${kind.toLowerCase()} ${metadata.name}), and create it again: npm run up -- --refresh`;
}

function elsewhere(kind: string): string {
  return kind === "Namespace"
    ? "set createNamespace to false to deploy into it, or set another namespace"
    : "set another name or namespace, or delete it";
}

function stackOf(mark: string) {
  const end = mark.lastIndexOf("/");
  return { name: mark.slice(0, end), id: mark.slice(end + 1) };
}

/** An object that the pod needs and that this stack does not create. */
interface Reference {
  readonly setting: string;
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly entries: readonly string[];
}

function referencesOf(settings: CheckedSettings): readonly Reference[] {
  const { imagePullSecrets, keys, management, environmentSecret, webConfigSecret, tlsSecret, caConfigMap } =
    settings;
  const named: readonly (readonly [string, "Secret" | "ConfigMap", string, readonly string[]])[] = [
    ...imagePullSecrets.map((name) => ["imagePullSecrets", "Secret", name, []] as const),
    ["keysSecret", "Secret", existing(keys), settings.config.file.keys.map(({ name }) => name)],
    ["managementSecret", "Secret", existing(management), [MANAGEMENT_ENTRY]],
    ["environmentSecret", "Secret", environmentSecret, []],
    ["webConfigSecret", "Secret", webConfigSecret, ["web-config.yaml"]],
    ["tlsSecret", "Secret", tlsSecret, ["tls.crt", "tls.key"]],
    ["caConfigMap", "ConfigMap", caConfigMap, ["ca.crt"]],
  ];
  return named.flatMap(([setting, kind, name, entries]) =>
    name === "" ? [] : { setting, kind, name, entries },
  );
}

function existing(secret: KubernetesSettings["management"]): string {
  return secret?.kind === "existing" ? secret.name : "";
}

function missing(
  { setting, kind, name, entries }: Reference,
  present: readonly string[] | undefined,
  namespace: string,
): readonly string[] {
  const title = `${kind} "${name}" in the namespace "${namespace}"`;
  if (!present) return [`${setting}: there is no ${title}; create it first`];
  const absent = entries.filter((entry) => !present.includes(entry));
  return absent.length === 0
    ? []
    : [`${setting}: the ${title} has no entry ${absent.map((entry) => JSON.stringify(entry)).join(", ")}`];
}
