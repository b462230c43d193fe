import { z } from "zod";

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }), periodSeconds: z.int() });

const container = z.object({
  name: z.string(),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
  livenessProbe: probe,
  readinessProbe: probe,
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});

/** The fields of a pod that the test's kubelet supports; it refuses all others, so that nothing is silently ignored. */
export const pod = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({
    nodeName: z.string().optional(),
    containers: z.tuple([container]),
    volumes: z.array(
      z.object({
        name: z.string(),
        configMap: z.object({ name: z.string() }).optional(),
        secret: z.object({ secretName: z.string() }).optional(),
      }),
    ),
  }),
});

export type Pod = z.output<typeof pod>;
export type Container = z.output<typeof container>;

export const podList = z.object({ items: z.array(pod) });
