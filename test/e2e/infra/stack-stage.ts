import { createGateway, type Gateway } from "../../gateway/gateway.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { ControlPlaneTools } from "./control-plane.ts";
import { createStack, type TestStack } from "./pulumi-stack.ts";

/** What `pulumi up` needs. */
export const STACK_TOOLS = [
  "pulumi",
  "pulumiKubernetes",
  "etcd",
  "kubeApiserver",
  "kubeControllerManager",
  "kubectl",
] as const;

/** An operation of the engine takes seconds, or a minute on a busy machine. */
export const STACK_TIMEOUT_MS = 300_000;

/** A cluster, and a gateway with the key "billing" whose books do not change, so that two scrapes can be compared. */
export interface StackStage {
  readonly gateway: Gateway;
  readonly cluster: Cluster;
  /** The token of the key "billing". */
  readonly billing: string;
  exporterConfig(changes?: object): object;
  /** A stack that deploys the key "billing" once it is told its cluster. `secrets`: further ones, by path. */
  createStack(kubeconfig: string, secrets?: Readonly<Record<string, string>>): Promise<TestStack>;
  stop(): Promise<void>;
}

export async function startStackStage(
  tools: ControlPlaneTools & { readonly pulumi: string },
): Promise<StackStage> {
  const gateway = createGateway();
  gateway.clock.speed = 0;
  const billing = gateway.addKey({ name: "billing", limitMicros: 1_000_000_000, limitReset: "monthly" });
  await gateway.start();
  const cluster = await startCluster(tools);
  const stacks: TestStack[] = [];
  const exporterConfig = (changes: object = {}) => ({
    gateway: { base_url: gateway.url },
    schedule: { keys: "1s", analytics: "2s" },
    keys: [{ name: "billing", owner: { team: "payments" } }],
    ...changes,
  });
  return {
    gateway,
    cluster,
    billing,
    exporterConfig,
    createStack: async (kubeconfig, secrets) => {
      const stack = await createStack(tools.pulumi, kubeconfig);
      stacks.push(stack);
      stack.configure({ image: "registry.example/aigateway-exporter:0.1.0", exporter: exporterConfig() });
      await stack.setSecrets({ "keys.billing": billing, ...secrets });
      return stack;
    },
    stop: async () => {
      for (const stack of stacks) stack.remove();
      await cluster.stop();
      await gateway.stop();
    },
  };
}
