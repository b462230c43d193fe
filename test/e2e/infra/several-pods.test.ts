import { afterAll, beforeAll, expect, test } from "vitest";
import { createGateway } from "../../gateway/gateway.ts";
import { publishedShard } from "../../support/published-shard.ts";
import { seriesOfText } from "../../support/series.ts";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { NAMESPACE, PATHS, type ReadyPod, readyPods } from "./deployment.ts";
import { createStack, type TestStack } from "./pulumi-stack.ts";

const TOOLS = [
  "pulumi",
  "pulumiKubernetes",
  "etcd",
  "kubeApiserver",
  "kubeControllerManager",
  "kubectl",
] as const;

/** An operation of the engine takes seconds, or a minute on a busy machine. */
const TIMEOUT_MS = 300_000;

const NAMES = Array.from({ length: 6 }, (_, index) => `key-${index}`);
const STATEFUL_SET = `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/${NAMESPACE}`;
const DISRUPTION_BUDGET = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets/${NAMESPACE}`;

describeWithTools(TOOLS, "pulumi up with several pods", (tools) => {
  const gateway = createGateway();
  const tokens = new Map(NAMES.map((name) => [name, gateway.addKey({ name })]));
  let cluster: Cluster;
  let pulumi: TestStack;

  beforeAll(async () => {
    await gateway.start();
    cluster = await startCluster(tools);
    pulumi = await createStack(tools.pulumi);
    await pulumi.configure({
      image: "registry.example/aigateway-exporter:0.1.0",
      kubeconfig: cluster.kubeconfig,
      exporter: { gateway: { base_url: gateway.url }, schedule: { keys: "2s" } },
      dashboardConfigMaps: false,
      shards: 2,
    });
    for (const [name, value] of tokens)
      await pulumi.stack.setConfig(`keys.${name}`, { value, secret: true }, true);
  }, TIMEOUT_MS);

  afterAll(async () => {
    pulumi?.remove();
    await cluster?.stop();
    await gateway.stop();
  }, TIMEOUT_MS);

  test("is a StatefulSet whose pods divide the keys", { timeout: TIMEOUT_MS }, async () => {
    const { summary } = await pulumi.stack.up();
    expect(summary.result).toBe("succeeded");
    await pods([`${NAMESPACE}-0`, `${NAMESPACE}-1`], (index) => ofShard(index, 2));
    expect(await cluster.api.get(DISRUPTION_BUDGET)).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(await cluster.api.exists(PATHS.deployment)).toBe(false);
  });

  test(
    "keeps its pods when their number of shards changes, and each polls every key of its new part",
    { timeout: TIMEOUT_MS },
    async () => {
      const before = cluster.kubelet.started.length;
      await pulumi.configure({ shards: 1, replicas: 2 });
      await pulumi.stack.up();
      await pods([`${NAMESPACE}-0`, `${NAMESPACE}-1`], () => NAMES);
      expect(cluster.kubelet.started).toHaveLength(before);
    },
  );

  test("becomes one pod, which is that of a Deployment", { timeout: TIMEOUT_MS }, async () => {
    await pulumi.configure({ shards: 1, replicas: 1 });
    await pulumi.stack.up();
    expect(await cluster.api.exists(STATEFUL_SET)).toBe(false);
    expect(await cluster.api.exists(DISRUPTION_BUDGET)).toBe(false);
    const [pod] = await until(
      "one pod to be left",
      () => readyPods(cluster.api),
      ({ length }) => length === 1,
    );
    expect(pod?.name).not.toMatch(/-\d$/);
    expect(await cluster.api.get(PATHS.deployment)).toMatchObject({ status: { readyReplicas: 1 } });
  });

  /** Waits until exactly these pods are ready and each polls its keys. */
  async function pods(names: readonly string[], keys: (index: number) => readonly string[]): Promise<void> {
    const wanted = names.map((name, index) => ({ name, own: keys(index) }));
    await until(
      `pods that poll ${JSON.stringify(wanted)}`,
      async () => (await Promise.all((await readyPods(cluster.api)).map(polledBy))).toSorted(byName),
      (shown) => JSON.stringify(shown) === JSON.stringify(wanted),
    );
  }
});

function ofShard(shard: number, total: number): readonly string[] {
  return NAMES.filter((name) => publishedShard(name, total) === shard);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

async function polledBy({ name, url }: ReadyPod) {
  const series = seriesOfText(await (await fetch(`${url}/metrics`)).text());
  const own = [...series].flatMap(([one, value]) => {
    const key = /^aigateway_key_up\{key="(.*)"\}$/.exec(one)?.[1];
    return key !== undefined && value === 1 ? [key] : [];
  });
  return { name, own: own.toSorted() };
}
