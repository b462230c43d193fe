import { z } from "zod";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import type { Kubectl } from "./cluster.ts";

/** What must run after an `up`. */
export interface ExpectedWorkload {
  readonly kind: "Deployment" | "StatefulSet";
  readonly name: string;
  readonly namespace: string;
  /** The labels that select the pods. */
  readonly selector: Readonly<Record<string, string>>;
  /** The hash of the configuration, as the gauge shows it. */
  readonly hash: number;
}

/** Whether a pod is ready and uses the configuration. */
export interface PodState {
  /** Undefined: the workload, or the pods cannot be listed. */
  readonly pod: string | undefined;
  readonly kind: "used" | "waiting" | "refused" | "failing" | "unknown";
  /** Why it is not used. */
  readonly reason: string;
  /** Whether nothing but another `up` can help. */
  readonly isFinal?: boolean;
}

/** The states of the pods, and that of the workload if it has not replaced all of them. */
export async function podStates(kubectl: Kubectl, expected: ExpectedWorkload): Promise<readonly PodState[]> {
  const { kind, name, namespace } = expected;
  const selector = Object.entries(expected.selector).map((label) => label.join("="));
  const flags = [`--namespace=${namespace}`, "--output=json", "--request-timeout=20s"];
  const asked = [
    ["get", `${kind}.v1.apps`, name, ...flags],
    ["get", "pods", `--selector=${selector.join(",")}`, ...flags],
  ];
  const [rollout, listed] = await Promise.all(asked.map((parameters) => attempt(kubectl(parameters))));
  if (!rollout?.ok || !listed?.ok) {
    const failed = [rollout, listed].flatMap((each) => (each?.ok === false ? each.reason : []));
    return [{ pod: undefined, kind: "unknown", reason: [...new Set(failed)].join("; ") }];
  }
  const owner = kind === "Deployment" ? "ReplicaSet" : kind;
  // Pods of the other kind end, because the number of pods has changed.
  const current = podList
    .parse(JSON.parse(listed.text))
    .items.filter(
      ({ metadata: { deletionTimestamp, ownerReferences } }) =>
        deletionTimestamp === undefined && ownerReferences.some((each) => each.kind === owner),
    );
  const states = await Promise.all(
    current.map(
      async (pod) =>
        (await failureOf(kubectl, namespace, pod)) ?? heldState(pod) ?? stateOf(kubectl, expected, pod),
    ),
  );
  return [...states, ...rolloutState(JSON.parse(rollout.text))];
}

const podList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        deletionTimestamp: z.string().optional(),
        ownerReferences: z.array(z.object({ kind: z.string() })).default([]),
      }),
      status: z.object({
        conditions: z
          .array(z.object({ type: z.string(), status: z.string(), message: z.string().default("") }))
          .default([]),
        containerStatuses: z
          .array(
            z.object({
              ready: z.boolean(),
              restartCount: z.number(),
              state: z
                .object({
                  waiting: z
                    .object({ reason: z.string().default(""), message: z.string().default("") })
                    .optional(),
                })
                .default({}),
            }),
          )
          .default([]),
      }),
    }),
  ),
});

type Pod = z.output<typeof podList>["items"][number];

const count = z.number().default(0);

const workload = z.object({
  metadata: z.object({ generation: count }),
  spec: z.object({ replicas: count }),
  status: z.object({
    observedGeneration: count,
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
  }),
});

/** What is missing from the roll-out, if anything. */
function rolloutState(object: unknown): readonly PodState[] {
  const { metadata, spec, status } = workload.parse(object);
  const isSeen = status.observedGeneration >= metadata.generation;
  const [ready, updated] = [status.readyReplicas, isSeen ? status.updatedReplicas : 0];
  const isDone = [ready, updated, status.replicas].every((pods) => pods === spec.replicas);
  if (isDone) return [];
  const reason = `of ${spec.replicas} pods, ${updated} are updated and ${ready} are ready`;
  return [{ pod: undefined, kind: "waiting", reason }];
}

/** Why a container does not run, or undefined. */
async function failureOf(
  kubectl: Kubectl,
  namespace: string,
  { metadata, status }: Pod,
): Promise<PodState | undefined> {
  const failing = status.containerStatuses.find(
    ({ ready, restartCount, state: { waiting } }) =>
      !ready && (restartCount > 0 || /Err|Error|BackOff|Invalid/.test(waiting?.reason ?? "")),
  );
  if (!failing) return undefined;
  const { reason = "it ends again and again", message = "" } = failing.state.waiting ?? {};
  const parameters = [
    "logs",
    metadata.name,
    `--namespace=${namespace}`,
    "--tail=10",
    "--request-timeout=20s",
  ];
  const [now, before] = [
    await attempt(kubectl(parameters)),
    await attempt(kubectl([...parameters, "--previous"])),
  ];
  const written = [before, now]
    .flatMap((each) => (each.ok ? each.text.trim().split("\n") : []))
    .filter(Boolean);
  const lines = [[reason, message].filter(Boolean).join(": "), ...written.slice(-LAST_LINES)];
  return {
    pod: metadata.name,
    kind: "failing",
    reason: lines.map((line) => `  ${line}`).join("\n"),
    isFinal: failing.restartCount >= MOST_RESTARTS,
  };
}

/** A container that ended so often ends again. */
const MOST_RESTARTS = 2;

const LAST_LINES = 10;

/** A pod without a node. */
function heldState({ metadata, status: { conditions } }: Pod): PodState | undefined {
  const held = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  return held && { pod: metadata.name, kind: "waiting", reason: held.message };
}

/**
 * The gauge decides, if the API server can reach the pod: a network policy or a login may prevent that. The
 * log, which the kubelet reads, replaces it then, and shows why a configuration is refused.
 */
async function stateOf(kubectl: Kubectl, { namespace, hash }: ExpectedWorkload, pod: Pod): Promise<PodState> {
  const { name } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}:${DEFAULT_PORT}/proxy/metrics`;
  const metrics = await attempt(kubectl(["get", "--raw", path, "--request-timeout=5s"]));
  const gauge = metrics.ok ? GAUGE.exec(metrics.text)?.[1] : undefined;
  if (gauge === String(hash)) return { pod: name, kind: "used", reason: "" };
  const parameters = ["logs", name, `--namespace=${namespace}`, "--tail=1000", "--request-timeout=20s"];
  const written = await attempt(kubectl(parameters));
  const last = written.ok ? lastLoad(written.text) : undefined;
  if (last?.hash === hash && last.problems.length > 0) {
    return { pod: name, kind: "refused", reason: last.problems.map((problem) => `  ${problem}`).join("\n") };
  }
  const seen = gauge ?? last?.hash;
  if (seen === hash) return { pod: name, kind: "used", reason: "" };
  const unread = written.ok ? "the log does not show it" : `cannot read its log: ${written.reason}`;
  if (seen !== undefined) {
    const reason = `the hash of its configuration is ${seen}, not ${hash}`;
    return { pod: name, kind: "waiting", reason: written.ok ? reason : `${reason}; ${unread}` };
  }
  const reason = `${metrics.ok ? "/metrics does not show it" : metrics.reason}; ${unread}`;
  return { pod: name, kind: "unknown", reason };
}

const GAUGE = /^aigateway_exporter_config_hash (\d+)$/m;

interface Load {
  readonly hash: number;
  /** Empty if the configuration is in use. */
  readonly problems: readonly string[];
}

/** What the log says of the configuration that was loaded last, at the start or later. */
function lastLoad(text: string): Load | undefined {
  const lines = text.split("\n").flatMap((line) => logLine.safeParse(jsonOf(line)).data ?? []);
  const hash = lines.at(-1)?.config_hash;
  if (hash === undefined) return undefined;
  // The last line of a refusal summarizes it.
  const load = lines.slice(0, -1);
  const start = load.findLastIndex(
    ({ config_hash, level, msg }) =>
      config_hash !== hash || level !== "error" || msg.startsWith("Cannot reload"),
  );
  return {
    hash,
    problems: lines.at(-1)?.level === "error" ? load.slice(start + 1).map(({ msg }) => msg) : [],
  };
}

/** The lines about a load of the configuration. */
const logLine = z.object({ level: z.string(), msg: z.string(), config_hash: z.number() });

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

type Attempt = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

function attempt(text: Promise<string>): Promise<Attempt> {
  return text.then(
    (read) => ({ ok: true, text: read }),
    (error: unknown) => ({ ok: false, reason: error instanceof Error ? error.message : String(error) }),
  );
}
