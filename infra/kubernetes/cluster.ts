import type { Output } from "@pulumi/pulumi";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The cluster as it is now. The engine itself knows only what its own state contains. */
export interface Cluster {
  /**
   * Returns an object as JSON, or an empty text if it does not exist.
   * @throws with kubectl's message if the cluster cannot be asked, for example because it does not know the kind.
   */
  find(object: ObjectName): Promise<string>;
}

/**
 * Runs kubectl with access to the cluster and returns what it prints.
 * @throws with kubectl's message.
 */
export type Kubectl = (parameters: readonly string[]) => Promise<string>;

export interface ObjectName {
  /** With version and group, except for core kinds: `Deployment.v1.apps`, `Secret`. */
  readonly kind: string;
  readonly name: string;
  /** Absent for kinds without a namespace. */
  readonly namespace?: string;
}

export interface ClusterAccess {
  readonly kubeconfig: Output<string> | undefined;
  readonly kubeContext: string;
}

const run = promisify(execFile);

/** Asks with kubectl, because it supports every way to authenticate that a kubeconfig can contain. */
export function createKubectl({ kubeconfig, kubeContext }: ClusterAccess): Kubectl {
  return async (parameters) => {
    const file = kubeconfigFile(await valueOf(kubeconfig));
    const access = [
      ...(file.path === undefined ? [] : [`--kubeconfig=${file.path}`]),
      ...(kubeContext === "" ? [] : [`--context=${kubeContext}`]),
    ];
    try {
      return (await run("kubectl", [...parameters, ...access], { maxBuffer: MOST_BYTES })).stdout;
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error });
    } finally {
      file.remove();
    }
  };
}

/** A scrape of 10,000 keys has about 20 MB. */
const MOST_BYTES = 256 * 1024 * 1024;

export function createCluster(kubectl: Kubectl): Cluster {
  return {
    find: async ({ kind, name, namespace }) => {
      const flags = ["--output=json", "--ignore-not-found", "--request-timeout=20s"];
      const place = namespace === undefined ? [] : [`--namespace=${namespace}`];
      try {
        return await kubectl(["get", kind, name, ...flags, ...place]);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`Cannot ask the cluster for ${kind} "${name}": ${reason}`, { cause: error });
      }
    },
  };
}

async function valueOf(text: Output<string> | undefined): Promise<string> {
  return text === undefined ? "" : new Promise((resolve) => void text.apply(resolve));
}

/** The setting is a path or the content itself, which kubectl only reads from a file. */
function kubeconfigFile(text: string) {
  const path = text.replace(/^~(?=\/)/, homedir());
  const isContent = /[\n{]/.test(text) && !existsSync(path);
  if (!isContent) return { path: path === "" ? undefined : path, remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), "aigateway-exporter-"));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, text, { mode: 0o600 });
  return { path: file, remove: () => rmSync(folder, { recursive: true }) };
}

const NO_OPERATOR =
  "the cluster does not have this kind; without the Prometheus operator, set scrape: annotations and rules: configMap";

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "kubectl is not installed";
  const text = "stderr" in error ? String(error.stderr).trim() : "";
  const reason = (text || error.message).split("\n").at(-1) ?? "";
  if (/doesn't have a resource type/.test(reason)) return NO_OPERATOR;
  return reason.replace(/^(error|Error from server.*?):\s*/, "");
}
