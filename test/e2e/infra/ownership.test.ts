import { output } from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCluster, createKubectl } from "../../../infra/kubernetes/cluster.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { describeWithTools } from "../../support/tools.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { NAMESPACE, PATHS, readyPods } from "./deployment.ts";
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

const SHARED = "shared";

const SELECTOR = { app: "theirs" };

/** Objects of others, of each kind that a stack deploys; paths with bodies. The Deployment has no pods. */
const FOREIGN: readonly (readonly [path: string, body: object])[] = [
  [`/api/v1/namespaces/${SHARED}/configmaps`, { data: { "config.yaml": "theirs" } }],
  [`/api/v1/namespaces/${SHARED}/secrets`, { data: { billing: "c2st" } }],
  [`/api/v1/namespaces/${SHARED}/serviceaccounts`, {}],
  [`/api/v1/namespaces/${SHARED}/services`, { spec: { selector: SELECTOR, ports: [{ port: 9853 }] } }],
  [
    `/apis/networking.k8s.io/v1/namespaces/${SHARED}/networkpolicies`,
    { spec: { podSelector: { matchLabels: SELECTOR }, policyTypes: ["Ingress"] } },
  ],
  [
    `/apis/apps/v1/namespaces/${SHARED}/deployments`,
    {
      spec: {
        replicas: 0,
        selector: { matchLabels: SELECTOR },
        template: {
          metadata: { labels: SELECTOR },
          spec: { containers: [{ name: "theirs", image: "registry.example/theirs" }] },
        },
      },
    },
  ],
];

describeWithTools(TOOLS, "a cluster that others use as well", (tools) => {
  const gateway = createGateway();
  const billing = gateway.addKey({ name: "billing", limitMicros: 1_000_000_000, limitReset: "monthly" });
  let cluster: Cluster;
  let first: TestStack;
  let second: TestStack;

  beforeAll(async () => {
    await gateway.start();
    cluster = await startCluster(tools);
    first = await createStack(tools.pulumi, "first");
    second = await createStack(tools.pulumi, "second");
    for (const pulumi of [first, second]) {
      await pulumi.configure({
        image: "registry.example/aigateway-exporter:0.1.0",
        kubeconfig: cluster.kubeconfig,
        exporter: { gateway: { base_url: gateway.url } },
        // The fewest objects, because the engine waits for each.
        scrape: "none",
        rules: "none",
        dashboardConfigMaps: false,
        networkPolicy: false,
      });
      await pulumi.stack.setConfig("keys.billing", { value: billing, secret: true }, true);
    }
    await cluster.api.create("/api/v1/namespaces", { metadata: { name: SHARED, labels: { team: "data" } } });
    for (const [path, body] of FOREIGN)
      await cluster.api.create(path, { metadata: { name: "theirs" }, ...body });
  }, TIMEOUT_MS);

  afterAll(async () => {
    first?.remove();
    second?.remove();
    await cluster?.stop();
    await gateway.stop();
  }, TIMEOUT_MS);

  /** The shared namespace and everything that others have in it, with the versions that change at every write. */
  const foreign = async (): Promise<string> => {
    const paths = [`/api/v1/namespaces/${SHARED}`, ...FOREIGN.map(([path]) => `${path}/theirs`)];
    return JSON.stringify(await Promise.all(paths.map((path) => cluster.api.get(path))));
  };

  /** Everything in a namespace except what controllers write by themselves. */
  const contentOf = async (namespace: string): Promise<string> => {
    const paths = ["", "/configmaps", "/secrets", "/serviceaccounts", "/services"];
    const bodies = paths.map((path) => cluster.api.get(`/api/v1/namespaces/${namespace}${path}`));
    return JSON.stringify(await Promise.all(bodies), (name, value: unknown) =>
      name === "resourceVersion" ? undefined : value,
    );
  };

  test("refuses secrets in plain text and misspelt settings", { timeout: TIMEOUT_MS }, async () => {
    const { stack } = second;
    await stack.setConfig("grafanaAlert", { value: "false" });
    await stack.setConfig("managementKey", { value: "sk-plain" });
    const refused = await stack.preview().catch((error: unknown) => String(error));
    expect(refused).toMatch(
      /2 settings are wrong\s+grafanaAlert: is not a setting; did you mean grafanaAlerts\?\s+managementKey: is in plain text; encrypt it: pulumi config set --secret managementKey/,
    );
    expect(refused).not.toContain("sk-plain");
    await stack.removeConfig("grafanaAlert");
    await stack.removeConfig("managementKey");
  });

  test("asks the cluster what is missing, at preview", { timeout: TIMEOUT_MS }, async () => {
    await first.configure({ namespace: SHARED, createNamespace: false, imagePullSecrets: ["registry"] });
    await expect(first.stack.preview()).rejects.toThrow(
      /imagePullSecrets: there is no Secret "registry" in the namespace "shared"; create it first/,
    );
    await first.configure({
      imagePullSecrets: [],
      createNamespace: true,
      kubeconfig: "/mistyped/kubeconfig",
    });
    await expect(first.stack.preview()).rejects.toThrow(/Cannot ask the cluster .*\/mistyped\/kubeconfig/);
    await first.configure({ kubeconfig: cluster.kubeconfig });
    const access = { kubeconfig: output(cluster.kubeconfig), kubeContext: "" };
    const unknown = { kind: "ServiceMonitor.v1.nowhere.example", name: "x", namespace: SHARED };
    await expect(createCluster(createKubectl(access)).find(unknown)).rejects.toThrow(
      /the cluster does not have this kind; without the Prometheus operator, set scrape: annotations/,
    );
  });

  test(
    "refuses a namespace that exists, at preview and at up, and changes nothing in it",
    { timeout: TIMEOUT_MS },
    async () => {
      const before = await contentOf(SHARED);
      await first.configure({ namespace: SHARED });
      const problem =
        /Namespace "shared" exists and was not created by this stack; set createNamespace to false/;
      await expect(first.stack.preview()).rejects.toThrow(problem);
      await expect(first.stack.up()).rejects.toThrow(problem);
      await first.stack.destroy();
      expect(await contentOf(SHARED)).toBe(before);
    },
  );

  test(
    "refuses an object of another owner in a shared namespace, and leaves it unchanged",
    { timeout: TIMEOUT_MS },
    async () => {
      await first.configure({ createNamespace: false });
      const path = `/api/v1/namespaces/${SHARED}/secrets`;
      await cluster.api.create(path, { ...theirs(`${NAMESPACE}-keys`), data: { billing: "c2st" } });
      const before = await contentOf(SHARED);
      const problem =
        /Secret "aigateway-exporter-keys" exists in the namespace "shared" and was not created by this stack/;
      await expect(first.stack.preview()).rejects.toThrow(problem);
      expect(await contentOf(SHARED)).toBe(before);
      await cluster.api.delete(`${path}/${NAMESPACE}-keys`);
    },
  );

  test(
    "deploys into a shared namespace and removes only its own objects",
    { timeout: TIMEOUT_MS },
    async () => {
      const before = { all: await contentOf(SHARED), foreign: await foreign() };
      await first.stack.up();
      expect(await contentOf(SHARED)).not.toBe(before.all);
      expect(await foreign()).toBe(before.foreign);
      const changed = { gateway: { base_url: gateway.url }, credit_value: { currency: "EUR", value: 2 } };
      await first.configure({ exporter: changed, networkPolicy: true });
      await first.stack.up();
      expect(await foreign()).toBe(before.foreign);
      await first.stack.refresh();
      await first.stack.destroy();
      expect(await foreign()).toBe(before.foreign);
      expect(await contentOf(SHARED)).toBe(before.all);
      await first.configure({ networkPolicy: false });
    },
  );

  test(
    "keeps the namespace that it created if createNamespace becomes false, with the running pod",
    { timeout: TIMEOUT_MS },
    async () => {
      await first.configure({ namespace: NAMESPACE, createNamespace: true });
      await first.stack.up();
      await cluster.api.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, theirs("theirs"));
      const before = await readyPods(cluster.api);
      await first.configure({ createNamespace: false });
      await first.stack.up();
      expect(await cluster.api.get(PATHS.namespace)).toMatchObject({ status: { phase: "Active" } });
      expect(await readyPods(cluster.api)).toEqual(before);
      await first.configure({ createNamespace: true });
      await first.stack.up();
      expect(await readyPods(cluster.api)).toEqual(before);
    },
  );

  test("refuses a second stack with the same name and namespace", { timeout: TIMEOUT_MS }, async () => {
    const before = await contentOf(NAMESPACE);
    await expect(second.stack.preview()).rejects.toThrow(
      /Namespace "aigateway-exporter" exists and belongs to the stack aigateway-exporter\/first/,
    );
    await second.configure({ createNamespace: false });
    await expect(second.stack.up()).rejects.toThrow(
      /"aigateway-exporter(-keys)?" exists in the namespace "aigateway-exporter" and belongs to the stack aigateway-exporter\/first; set another name or namespace/,
    );
    expect(await contentOf(NAMESPACE)).toBe(before);
  });

  test(
    "destroys its own objects, keeps the namespace with the others' objects, and uses it again",
    { timeout: TIMEOUT_MS },
    async () => {
      await first.stack.destroy();
      expect(await cluster.api.get(PATHS.namespace)).toMatchObject({ status: { phase: "Active" } });
      expect(await cluster.api.exists(`/api/v1/namespaces/${NAMESPACE}/configmaps/theirs`)).toBe(true);
      expect(await cluster.api.exists(PATHS.keys)).toBe(false);
      expect(await readyPods(cluster.api)).toEqual([]);
      await first.stack.preview();
    },
  );
});

function theirs(name: string) {
  return { metadata: { name }, data: { owner: "b3RoZXJz" } };
}
