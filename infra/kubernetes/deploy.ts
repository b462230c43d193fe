import {
  all,
  CustomResource,
  type CustomResourceOptions,
  getProject,
  log,
  type Output,
  type ResourceTransformation,
  RunError,
  runtime,
} from "@pulumi/pulumi";
import { Provider } from "@pulumi/kubernetes/provider.js";
import type { RuleGroup } from "../../dashboards/rules/rule.ts";
import type { DashboardFile } from "../../dashboards/index.ts";
import { DEFAULT_PORT } from "../../exporter/config/schema.ts";
import type { KubernetesSettings } from "../settings.ts";
import { clusterProblems } from "./check-cluster.ts";
import { type ClusterAccess, createCluster, type Kubectl } from "./cluster.ts";
import { waitUntilInUse } from "./config-in-use.ts";
import { gatewayOf, selectorOf, stackMark } from "./identity.ts";
import type { Manifest } from "./manifests.ts";
import { deployedObjects, isWorkload, WORKLOADS } from "./objects.ts";
import { podCount } from "./pod.ts";
import { remembered } from "./remembered.ts";
import { configHash } from "../../exporter/config/config.ts";

export interface KubernetesDeployment {
  readonly namespace: string;
  /** `Deployment/aigateway-exporter` */
  readonly workload: string;
  /** The value of `aigateway_exporter_config_hash`. */
  readonly configHash: number;
  /** URL of the metrics inside the cluster, known once the pods use the configuration: `up` waits for its outputs. */
  readonly metricsUrl: Output<string>;
}

/**
 * Deploys the Kubernetes part of the program, after a look at the cluster: nothing is created or changed if anything there
 * forbids it.
 * @throws RunError with every problem at once.
 */
export async function deployToKubernetes(
  settings: KubernetesSettings,
  content: { readonly rules: readonly RuleGroup[]; readonly dashboards: readonly DashboardFile[] },
  createKubectl: (access: ClusterAccess) => Kubectl,
): Promise<KubernetesDeployment> {
  const { name, namespace, commonLabels: labels } = settings;
  const kubectl = createKubectl(settings);
  const cluster = createCluster(kubectl);
  const clusterId = await cluster.id().catch(refuse);
  const { id, cluster: former } = await remembered(clusterId);
  if (clusterId === undefined) await log.warn(UNKNOWN_CLUSTER);
  else if (former !== null && former !== clusterId) throw new RunError(otherCluster(former, clusterId));
  const identity = { name, namespace, labels, gateway: gatewayOf(settings.gateway), stack: stackMark(id) };
  const groups = deployedObjects(identity, settings, content.rules, content.dashboards);
  const problems = await clusterProblems(cluster, groups.flat(), settings, identity).catch(refuse);
  if (problems.length > 0)
    throw new RunError(`Cannot deploy:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  const resources = register(groups, settings, createProvider(settings));
  const kind = podCount(settings) === 1 ? "Deployment" : "StatefulSet";
  const hash = configHash(settings.config.text);
  const url = `http://${name}.${namespace}.svc:${DEFAULT_PORT}/metrics`;
  const metricsUrl = all(resources.map((resource) => resource.id)).apply(async () => {
    const expected = { kind, name, namespace, selector: selectorOf(identity), hash } as const;
    if (settings.waitForConfig && !runtime.isDryRun()) await waitUntilInUse(kubectl, expected).catch(fail);
    return url;
  });
  return { namespace, workload: `${kind}/${name}`, configHash: hash, metricsUrl };
}

const UNKNOWN_CLUSTER =
  'The namespace "kube-system" may not be read, whose uid identifies the cluster: a kubeconfig that leads to another cluster is not noticed (docs/deploy.md, "Permissions")';

function otherCluster(former: string, present: string): string {
  return (
    `Cannot deploy: the kubeconfig leads to another cluster than before (the uid of the namespace "kube-system" is ${present}, not ${former}); ` +
    'set kubeContext or kubeconfig to the former one, or move the stack (docs/deploy.md, "When something is lost")'
  );
}

function refuse(error: unknown): never {
  throw new RunError(`Cannot deploy: ${error instanceof Error ? error.message : String(error)}`);
}

/** The exit code of a program for which Pulumi adds no message of its own. */
const ERROR_WAS_SHOWN = 32;

/** A rejected output could keep the engine waiting, and a logged error alone does not fail the deployment. */
async function fail(error: unknown): Promise<void> {
  await log.error(error instanceof Error ? error.message : String(error));
  process.exitCode = ERROR_WAS_SHOWN;
}

function register(
  groups: readonly (readonly Manifest[])[],
  settings: KubernetesSettings,
  provider: Provider,
): readonly CustomResource[] {
  const done: CustomResource[] = [];
  for (const group of groups) {
    const dependsOn = [...done];
    for (const manifest of group) {
      const { kind, metadata } = manifest;
      const name = `exporter${metadata.name.slice(settings.name.length)}`;
      done.push(
        new KubernetesObject(kind === "Namespace" ? "exporter" : name, manifest, {
          provider,
          dependsOn,
          additionalSecretOutputs: kind === "Secret" ? ["data", "stringData"] : [],
          protect: settings.protect && [...WORKLOADS, "Secret", "ConfigMap"].includes(kind),
          // Others may have put objects into it, which would be deleted with it.
          retainOnDelete: kind === "Namespace",
          // The old pods end before the new ones start: both would poll.
          ...(isWorkload(kind) && {
            aliases: WORKLOADS.filter((each) => each !== kind).map((each) => ({
              type: `kubernetes:apps/v1:${each}`,
            })),
            deleteBeforeReplace: true,
            replaceOnChanges: ["kind"],
          }),
        }),
      );
    }
  }
  return done;
}

/** Any kind, with the type that the SDK's class for it has. */
class KubernetesObject extends CustomResource {
  constructor(name: string, manifest: Manifest, options: CustomResourceOptions) {
    const { apiVersion, kind } = manifest;
    const group = apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
    super(`kubernetes:${group}:${kind}`, name, { ...manifest }, options);
  }
}

/**
 * An explicit provider, because by default a change of a ConfigMap or Secret replaces the object under the
 * running pod, and a change of the kubeconfig replaces all objects.
 */
function createProvider({ kubeconfig, kubeContext }: KubernetesSettings): Provider {
  const inputs = {
    // Never changes; whether it is the same cluster is checked before.
    clusterIdentifier: getProject(),
    enableServerSideApply: true,
    enableConfigMapMutable: true,
    enableSecretMutable: true,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(kubeContext === "" ? {} : { context: kubeContext }),
  };
  // Undoes a default of the class `Provider`: the path in KUBECONFIG, which would be in the state although each machine has another one.
  const own: ResourceTransformation = ({ props, opts }) => ({ props: { ...props, kubeconfig }, opts });
  return new Provider("kubernetes", inputs, { transformations: [own] });
}
