import { z } from "zod";

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }), periodSeconds: z.int() });

/** A value, or what the downward API gives. */
const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({
    name: z.string(),
    valueFrom: z.strictObject({
      fieldRef: z.strictObject({ apiVersion: z.literal("v1"), fieldPath: z.string() }),
    }),
  }),
]);

const container = z.object({
  name: z.string(),
  args: z.array(z.string()),
  env: z.array(variable).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
});

/** The fields of a pod that the test's kubelet supports; it refuses all others, so that nothing is silently ignored. */
export const pod = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({
    nodeName: z.string().optional(),
    /** Never: its container runs once. */
    restartPolicy: z.enum(["Always", "Never"]),
    containers: z.tuple([container]),
    volumes: z
      .array(
        z.object({
          name: z.string(),
          configMap: z.object({ name: z.string() }).optional(),
          secret: z.object({ secretName: z.string() }).optional(),
        }),
      )
      .default([]),
  }),
});

export type Pod = z.output<typeof pod>;
export type Container = z.output<typeof container>;

/** The environment of its container. A label that it has not is an empty text. @throws Error for other fields. */
export function environmentOf({ metadata, spec }: Pod): Readonly<Record<string, string>> {
  const [{ env }] = spec.containers;
  return Object.fromEntries(
    env.map((each) => [each.name, "value" in each ? each.value : fieldOf(metadata, each.valueFrom.fieldRef)]),
  );
}

function fieldOf(metadata: Pod["metadata"], { fieldPath }: { readonly fieldPath: string }): string {
  if (fieldPath === "metadata.name") return metadata.name;
  const [, label] = /^metadata\.labels\['([^']+)'\]$/.exec(fieldPath) ?? [];
  if (label === undefined) throw new Error(`Cannot read the field ${fieldPath} of a pod`);
  return metadata.labels[label] ?? "";
}

export const podList = z.object({ items: z.array(pod) });
