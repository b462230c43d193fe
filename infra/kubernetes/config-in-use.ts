import { log } from "@pulumi/pulumi";
import { setTimeout as delay } from "node:timers/promises";
import type { Kubectl } from "./cluster.ts";
import { type ExpectedWorkload, type PodState, podStates } from "./pod-states.ts";

/** How long to wait, milliseconds. */
export interface Patience {
  readonly pauseMs: number;
  /** Without a further pod that is replaced. The kubelet updates a mounted folder within about two minutes. */
  readonly longestMs: number;
  /**
   * How long a refusal may last, because a Secret may be mounted after the configuration, and how long a pod
   * may not answer.
   */
  readonly graceMs: number;
}

/**
 * Waits until all pods of the present workload are ready and use the configuration. If nobody can see that, for lack of
 * permission, it warns instead.
 * @throws with the exporter's own problems when it refuses the configuration, with the last lines of a pod that does not start,
 *   or after the longest time.
 */
export async function waitUntilInUse(
  kubectl: Kubectl,
  expected: ExpectedWorkload,
  { pauseMs, longestMs, graceMs }: Patience = PATIENCE,
): Promise<void> {
  let progress = { at: performance.now(), rollout: "" };
  let stuckSince: number | undefined;
  for (;;) {
    const open = (await podStates(kubectl, expected)).filter(({ kind }) => kind !== "used");
    const [first] = open;
    if (!first) return;
    const now = performance.now();
    stuckSince = open.some(({ kind }) => kind !== "waiting") ? (stuckSince ?? now) : undefined;
    const isStuck = stuckSince !== undefined && now - stuckSince >= graceMs;
    const refused = open.find(({ kind }) => kind === "refused" || kind === "failing");
    if (refused && (isStuck || refused.isFinal)) throw refusalOf(refused);
    const rollout = rolloutOf(open);
    if (rollout !== progress.rollout) progress = { at: now, rollout };
    // A pod that is not ready has nothing to show yet.
    const unknown = rollout === "" && open.find((each) => isUnknown(each, isStuck));
    if (unknown && !refused) return warn(unknown);
    if (now - progress.at >= longestMs) throw lateness(first, longestMs);
    await delay(pauseMs);
  }
}

const PATIENCE: Patience = { pauseMs: 2000, longestMs: 300_000, graceMs: 20_000 };

function isUnknown({ kind, reason }: PodState, isStuck: boolean): boolean {
  return kind === "unknown" && (isStuck || FORBIDDEN.test(reason));
}

/** What the workload lacks; empty if all pods are replaced and ready. */
function rolloutOf(open: readonly PodState[]): string {
  return open.find(({ pod, kind }) => pod === undefined && kind === "waiting")?.reason ?? "";
}

function refusalOf(state: PodState): Error {
  const what =
    state.kind === "failing"
      ? "does not start"
      : "refuses the configuration, and the former one stays in use";
  return new Error(`${nameOf(state)} ${what}:\n${state.reason}`);
}

function lateness(state: PodState, longestMs: number): Error {
  const what = state.pod === undefined ? "is not ready" : "does not use the configuration";
  return new Error(`${nameOf(state)} ${what} after ${longestMs / 1000} s: ${state.reason}; ${SKIP}`);
}

const FORBIDDEN = /\bis forbidden\b/;

const SKIP = "to deploy without waiting for that, set waitForConfig to false";

function warn({ pod, reason }: PodState): Promise<void> {
  const pods = pod === undefined ? "the pods use" : `the pod "${pod}" uses`;
  return log.warn(`Cannot see whether ${pods} the configuration: ${reason}; ${SKIP}`);
}

function nameOf({ pod }: PodState): string {
  return pod === undefined ? "The workload" : `The pod "${pod}"`;
}
