import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { configHash } from "../../../exporter/config/config-hash.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { seriesOfText } from "../../support/series.ts";
import { watchSeries } from "../../support/series-watch.ts";
import { describeWithTools } from "../../support/tools.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { NAMESPACE, PATHS, readyPods } from "./deployment.ts";
import { POD_IP } from "./kubelet.ts";
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

describeWithTools(TOOLS, "pulumi up with another configuration", (tools) => {
  const gateway = createGateway();
  // The books do not change, so two scrapes can be compared.
  gateway.clock.speed = 0;
  const token = gateway.addKey({ name: "billing", limitMicros: 1_000_000_000, limitReset: "monthly" });
  let cluster: Cluster;
  let pulumi: TestStack;

  const exporterConfig = (changes: object = {}) => ({
    gateway: { base_url: gateway.url },
    schedule: { keys: "1s" },
    keys: [{ name: "billing" }],
    ...changes,
  });

  beforeAll(async () => {
    await gateway.start();
    cluster = await startCluster(tools);
    await cluster.api.create("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    const data = { billing: Buffer.from(token).toString("base64") };
    const secret = { metadata: { name: "aigateway-keys" }, data };
    await cluster.api.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, secret);
    pulumi = await createStack(tools.pulumi);
    await pulumi.configure({
      image: "registry.example/aigateway-exporter:0.1.0",
      kubeconfig: cluster.kubeconfig,
      createNamespace: false,
      keysSecret: "aigateway-keys",
      exporter: exporterConfig(),
      // The fewest objects, because the engine waits for each.
      scrape: "none",
      rules: "none",
      dashboardConfigMaps: false,
      networkPolicy: false,
    });
    await pulumi.stack.up();
  }, TIMEOUT_MS);

  afterAll(async () => {
    pulumi?.remove();
    await cluster?.stop();
    await gateway.stop();
  }, TIMEOUT_MS);

  const template = async () => deployment.parse(await cluster.api.get(PATHS.deployment)).spec.template;
  const scrape = async () => {
    const [pod] = await readyPods(cluster.api);
    return seriesOfText(await (await fetch(`${pod?.url}/metrics`)).text());
  };
  const written = async () =>
    configHash(configMap.parse(await cluster.api.get(PATHS.configMap)).data["config.yaml"]);

  test(
    "changes only the ConfigMap, and ends when the running pod uses it",
    { timeout: TIMEOUT_MS },
    async () => {
      const before = { template: await template(), pods: await readyPods(cluster.api) };
      const watch = await watchSeries(before.pods[0]?.url ?? "", (name) => name.startsWith("aigateway_key_"));
      await pulumi.configure({ exporter: exporterConfig({ credit_value: { currency: "EUR", value: 2 } }) });
      const { summary } = await pulumi.stack.up();
      const after = await scrape();
      expect(summary.resourceChanges).toMatchObject({ update: 1 });
      expect(after.get('aigateway_credit_value{currency="EUR"}')).toBe(2);
      expect(after.get("aigateway_exporter_config_hash{}")).toBe(await written());
      expect((await watch.end()).lost).toEqual([]);
      expect({ template: await template(), pods: await readyPods(cluster.api) }).toEqual(before);
    },
  );

  test(
    "sees it in the log where a network policy keeps the API server from the pod",
    { timeout: TIMEOUT_MS },
    async () => {
      cluster.network.blocked.add(`${POD_IP}:9853`);
      await pulumi.configure({ exporter: exporterConfig({ credit_value: { currency: "EUR", value: 3 } }) });
      const { stdout } = await pulumi.stack.up();
      cluster.network.blocked.clear();
      expect((await scrape()).get('aigateway_credit_value{currency="EUR"}')).toBe(3);
      expect(stdout).not.toContain("Cannot see");
    },
  );

  test("fails with the exporter's reasons if it refuses it", { timeout: TIMEOUT_MS }, async () => {
    const before = await readyPods(cluster.api);
    // Only the cluster knows the entries of an existing Secret, so the preview accepts this.
    const exporter = exporterConfig({ keys: [{ name: "billing" }, { name: "missing" }] });
    await pulumi.configure({ exporter });
    await expect(pulumi.stack.up()).rejects.toThrow(
      /refuses the configuration[^]*keys\[1\]\.api_key_file: file "\/run\/secrets\/aigateway\/keys\/missing" does not exist/,
    );
    const series = await scrape();
    expect(series.get("aigateway_exporter_config_last_reload_successful{}")).toBe(0);
    expect(series.get("aigateway_exporter_config_hash{}")).not.toBe(await written());
    expect(series.get('aigateway_key_up{key="billing"}')).toBe(1);
    expect(await readyPods(cluster.api)).toEqual(before);
    await pulumi.configure({ waitForConfig: false });
    expect((await pulumi.stack.up({ expectNoChanges: true })).summary.result).toBe("succeeded");
  });

  test("is mended by the next one", { timeout: TIMEOUT_MS }, async () => {
    await pulumi.configure({ exporter: exporterConfig(), waitForConfig: true });
    await pulumi.stack.up();
    const series = await scrape();
    expect(series.get("aigateway_exporter_config_last_reload_successful{}")).toBe(1);
    expect(series.get("aigateway_exporter_config_hash{}")).toBe(await written());
    expect(cluster.kubelet.started).toHaveLength(1);
  });
});

const deployment = z.object({ spec: z.object({ template: z.record(z.string(), z.unknown()) }) });
const configMap = z.object({ data: z.object({ "config.yaml": z.string() }) });
