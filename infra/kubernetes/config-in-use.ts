import { log } from "@pulumi/pulumi";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import type { Kubectl } from "./cluster.ts";

/** The configuration that the pods of a deployment must use. */
export interface ExpectedConfig {
  readonly namespace: string;
  /** The labels that select the pods. */
  readonly selector: Readonly<Record<string, string>>;
  /** The hash of the configuration, as the gauge shows it. */
  readonly hash: number;
}

/** How long to wait, milliseconds. */
export interface Patience {
  readonly pauseMs: number;
  /** The kubelet updates a mounted folder within about two minutes. */
  readonly longestMs: number;
  /**
   * How long a refusal may last, because a Secret may be mounted after the configuration, and how long a pod
   * may not answer.
   */
  readonly graceMs: number;
}

/**
 * Waits until every pod uses the configuration. If nobody can see that, for lack of permission, it warns instead.
 * @throws with the exporter's own problems when it refuses the configuration, or after the longest time.
 */
export async function waitUntilInUse(
  kubectl: Kubectl,
  expected: ExpectedConfig,
  { pauseMs, longestMs, graceMs }: Patience = PATIENCE,
): Promise<void> {
  const begun = performance.now();
  let stuckSince: number | undefined;
  for (;;) {
    const open = (await statesOf(kubectl, expected)).filter(({ kind }) => kind !== "used");
    const [first] = open;
    if (!first) return;
    const now = performance.now();
    stuckSince = open.some(({ kind }) => kind !== "waiting") ? (stuckSince ?? now) : undefined;
    const isStuck = stuckSince !== undefined && now - stuckSince >= graceMs;
    const refused = open.find(({ kind }) => kind === "refused");
    const unknown = open.find(
      ({ kind, reason }) => kind === "unknown" && (isStuck || FORBIDDEN.test(reason)),
    );
    if (refused && isStuck)
      throw new Error(
        `${nameOf(refused)} refuses the configuration, and the former one stays in use:\n${refused.reason}`,
      );
    if (unknown && !refused) return warn(unknown);
    if (now - begun >= longestMs) {
      const reason = `${nameOf(first)} does not use the configuration after ${longestMs / 1000} s: ${first.reason}`;
      throw new Error(`${reason}; ${SKIP}`);
    }
    await delay(pauseMs);
  }
}

const PATIENCE: Patience = { pauseMs: 2000, longestMs: 300_000, graceMs: 20_000 };

const FORBIDDEN = /\bis forbidden\b/;

const SKIP = "to deploy without waiting for that, set waitForConfig to false";

function warn({ pod, reason }: PodState): Promise<void> {
  const pods = pod === undefined ? "the pods use" : `the pod "${pod}" uses`;
  return log.warn(`Cannot see whether ${pods} the configuration: ${reason}; ${SKIP}`);
}

function nameOf({ pod }: PodState): string {
  return pod === undefined ? "The deployment" : `The pod "${pod}"`;
}

interface PodState {
  /** Undefined: the pods cannot be listed. */
  readonly pod: string | undefined;
  readonly kind: "used" | "waiting" | "refused" | "unknown";
  /** Why it is not used. */
  readonly reason: string;
}

async function statesOf(kubectl: Kubectl, expected: ExpectedConfig): Promise<readonly PodState[]> {
  const selector = Object.entries(expected.selector).map((label) => label.join("="));
  const parameters = [
    "get",
    "pods",
    `--namespace=${expected.namespace}`,
    `--selector=${selector.join(",")}`,
    "--output=json",
  ];
  const listed = await attempt(kubectl([...parameters, "--request-timeout=20s"]));
  if (!listed.ok) return [{ pod: undefined, kind: "unknown", reason: listed.reason }];
  const { items } = pods.parse(JSON.parse(listed.text));
  const current = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return Promise.all(current.map(({ metadata }) => stateOf(kubectl, expected, metadata.name)));
}

const pods = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }) }),
  ),
});

/**
 * The gauge decides, if the API server can reach the pod: a network policy or a login may prevent that. The
 * log, which the kubelet reads, replaces it then, and shows why a configuration is refused.
 */
async function stateOf(
  kubectl: Kubectl,
  { namespace, hash }: ExpectedConfig,
  name: string,
): Promise<PodState> {
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
