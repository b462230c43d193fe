import type { Output } from "@pulumi/pulumi";
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import { z } from "zod";

/** The cluster as it is now. The engine itself knows only what its own state contains. */
export interface Cluster {
  /**
   * Returns those of the objects that exist; the others are left out. Kinds without a namespace ignore `namespace`.
   * @throws with kubectl's message if the cluster cannot be asked, for example because it does not know a kind.
   */
  find(objects: readonly ObjectName[], namespace: string): Promise<readonly unknown[]>;
  /** A uid that no other cluster has; undefined if this may not be read. */
  id(): Promise<string | undefined>;
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
}

export interface ClusterAccess {
  readonly kubeconfig: Output<string> | undefined;
  readonly kubeContext: string;
}

const run = promisify(execFile);

/** Asks with kubectl, because it supports every way to authenticate that a kubeconfig can contain. */
export function createKubectl({ kubeconfig, kubeContext }: ClusterAccess): Kubectl {
  return async (parameters) => {
    const text = await valueOf(kubeconfig);
    const isContent = isKubeconfigContent(text);
    const path = isContent ? "/dev/stdin" : text.replace(/^~(?=\/)/, homedir());
    const access = [
      ...(text === "" ? [] : [`--kubeconfig=${path}`]),
      ...(kubeContext === "" ? [] : [`--context=${kubeContext}`]),
    ];
    const all = [...parameters, ...access];
    // The kubeconfig goes through a pipe, so that no file is left behind. `cat` makes the pipe, because kubectl cannot open the socket that Node makes.
    const [command, ...rest] = isContent
      ? ["sh", "-c", 'cat | kubectl "$@"', "kubectl", ...all]
      : ["kubectl", ...all];
    const asked = run(command, rest, { maxBuffer: MOST_BYTES });
    // An absent command has no input.
    asked.child.stdin?.on("error", () => {}).end(isContent ? text : "");
    try {
      return (await asked).stdout;
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error });
    }
  };
}

/** The setting is a path or the content itself. */
export function isKubeconfigContent(text: string): boolean {
  return /[\n{]/.test(text);
}

/** A scrape of 10,000 keys has about 20 MB. */
const MOST_BYTES = 256 * 1024 * 1024;

export function createCluster(kubectl: Kubectl): Cluster {
  const ask = async (what: string, parameters: readonly string[]): Promise<string> => {
    try {
      return await kubectl([...parameters, "--request-timeout=20s"]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Cannot ask the cluster for ${what}: ${reason}`, { cause: error });
    }
  };
  return {
    find: async (objects, namespace) => {
      const names = objects.map(({ kind, name }) => `${kind}/${name}`);
      const flags = ["--output=json", "--ignore-not-found", `--namespace=${namespace}`];
      const text = await ask("the stack's objects", ["get", ...names, ...flags]);
      if (text.trim() === "") return [];
      const found = list.safeParse(JSON.parse(text));
      return found.success ? found.data.items : [JSON.parse(text)];
    },
    id: async () => {
      const uid = ["get", "namespace", "kube-system", "--output=jsonpath={.metadata.uid}"];
      return ask('the namespace "kube-system"', uid).catch((error: unknown) => {
        if (/forbidden/.test(String(error))) return undefined;
        throw error;
      });
    },
  };
}

/** Several objects; a single one comes without a list. */
const list = z.object({ kind: z.literal("List"), items: z.array(z.unknown()) });

async function valueOf(text: Output<string> | undefined): Promise<string> {
  return text === undefined ? "" : new Promise((resolve) => void text.apply(resolve));
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
