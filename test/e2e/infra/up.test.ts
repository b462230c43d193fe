import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { createGateway } from "../../gateway/gateway.ts";
import { dashboards } from "../../../dashboards/index.ts";
import { type Prometheus, startPrometheus } from "../../support/prometheus.ts";
import { checkRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { dashboardPath, NAMESPACE, PATHS, readyPods, uidOf } from "./deployment.ts";
import { POD_IP } from "./kubelet.ts";
import { podDiscovery } from "./pod-discovery.ts";
import { createStack, type TestStack } from "./pulumi-stack.ts";

const TOOLS = [
  ...(["pulumi", "pulumiKubernetes", "etcd", "kubeApiserver", "kubeControllerManager", "kubectl"] as const),
  ...(["prometheus3", "promtool3"] as const),
];

/** An operation of the engine takes seconds, or a minute on a busy machine. */
const TIMEOUT_MS = 300_000;

describeWithTools(TOOLS, "pulumi up on a real Kubernetes API", (tools) => {
  const gateway = createGateway();
  const [billing, search] = ["billing", "search"].map((name, index) =>
    gateway.addKey({ name, limitMicros: (index + 1) * 1_000_000_000, limitReset: "monthly" }),
  );
  let cluster: Cluster;
  let pulumi: TestStack;
  let prometheus: Prometheus;

  beforeAll(async () => {
    await gateway.start();
    cluster = await startCluster(tools);
    prometheus = await startPrometheus({ binary: tools.prometheus3, config: podDiscovery(cluster) });
    pulumi = await createStack(tools.pulumi);
    await pulumi.configure({
      image: "registry.example/aigateway-exporter:0.1.0",
      kubeconfig: cluster.kubeconfig,
      exporter: exporterConfig(),
    });
    await setSecret("keys.billing", billing ?? "");
    await setSecret("keys.search", search ?? "");
    await setSecret("managementKey", gateway.managementToken);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    pulumi?.remove();
    await cluster?.stop();
    await gateway.stop();
  }, TIMEOUT_MS);

  const exporterConfig = (changes: object = {}) => ({
    gateway: { base_url: gateway.url },
    schedule: { keys: "1s", analytics: "2s" },
    keys: [{ name: "billing", owner: { team: "payments" } }],
    ...changes,
  });
  const setSecret = (path: string, value: string) =>
    pulumi.stack.setConfig(path, { value, secret: true }, path.includes("."));
  const seenByPrometheus = (query: string, value: number) =>
    prometheus.queryUntil(query, (samples) => samples.length === 1 && samples[0]?.value === value);
  const held = (path: string) => cluster.api.get(path);
  const theReadyPod = async () => {
    const [pod] = await until(
      "one pod to be ready",
      () => readyPods(cluster.api),
      (pods) => pods.length === 1,
    );
    if (!pod) throw new Error("Cannot find the pod that was just there");
    return pod;
  };

  test(
    "refuses wrong settings at preview, all at once, and creates nothing",
    { timeout: TIMEOUT_MS },
    async () => {
      await pulumi.configure({ name: "Wrong", exporter: exporterConfig({ speed: 1 }) });
      await expect(pulumi.stack.preview()).rejects.toThrow(
        /2 settings are wrong\s+name: "Wrong" is not a name[^]*exporter\.speed: is not a known field/,
      );
      await pulumi.configure({ name: NAMESPACE, exporter: exporterConfig() });
      expect(await cluster.api.exists(PATHS.namespace)).toBe(false);
    },
  );

  test("deploys an exporter that runs, and waits until it is ready", { timeout: TIMEOUT_MS }, async () => {
    const { summary, outputs } = await pulumi.stack.up();
    expect(summary.result).toBe("succeeded");
    expect(outputs["metricsUrl"]?.value).toBe(`http://${NAMESPACE}.${NAMESPACE}.svc:9853/metrics`);
    expect(await readyPods(cluster.api)).toHaveLength(1);
    expect(await cluster.api.get(PATHS.deployment)).toMatchObject({ status: { readyReplicas: 1 } });
    expect(cluster.kubelet.started).toHaveLength(1);
  });

  test("created each object in the API server as intended", async () => {
    expect(await held(PATHS.namespace)).toMatchObject({
      metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    });
    expect(await held(PATHS.serviceAccount)).toMatchObject({ automountServiceAccountToken: false });
    expect(await held(PATHS.keys)).toMatchObject({
      type: "Opaque",
      data: { billing: base64(billing), search: base64(search) },
    });
    expect(await held(PATHS.management)).toMatchObject({
      data: { "management-key": base64(gateway.managementToken) },
    });
    expect(await held(PATHS.deployment)).toMatchObject({
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        template: {
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              { securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } } },
            ],
          },
        },
      },
    });
    expect(await held(PATHS.networkPolicy)).toMatchObject({
      spec: {
        policyTypes: ["Ingress", "Egress"],
        egress: [{}, { ports: [{ port: Number(new URL(gateway.url).port) }] }],
      },
    });
    for (const { uid, json } of dashboards) {
      expect(await held(dashboardPath(uid))).toMatchObject({
        metadata: { labels: { grafana_dashboard: "1" } },
        data: { [`${uid}.json`]: json },
      });
    }
    expect(JSON.stringify(await held(PATHS.configMap))).not.toContain(billing);
  });

  test("is discovered by Prometheus through the Kubernetes API and scraped", async () => {
    await seenByPrometheus('aigateway_key_limit_credits{job="aigateway-exporter",key="billing"}', 1000);
    await seenByPrometheus('aigateway_key_up{key="search"}', 1);
    await seenByPrometheus('aigateway_key_owner_info{key="billing",team="payments"}', 1);
    const analytics = await prometheus.queryUntil(
      "aigateway_analytics_up == 1",
      (samples) => samples.length > 0,
    );
    expect(analytics.map(({ labels }) => labels["job"])).toContain("aigateway-exporter");
  });

  test("has a ServiceMonitor that selects the Service, and a Service that has the pod", async () => {
    const { spec } = serviceMonitor.parse(await cluster.api.get(PATHS.serviceMonitor));
    const selector = Object.entries(spec.selector.matchLabels)
      .map(([name, value]) => `${name}=${value}`)
      .join(",");
    const path = `/api/v1/namespaces/${NAMESPACE}/services?labelSelector=${encodeURIComponent(selector)}`;
    const { items } = services.parse(await cluster.api.get(path));
    expect(items.map(({ metadata }) => metadata.name)).toEqual([NAMESPACE]);
    expect(items[0]?.metadata.labels[spec.jobLabel]).toBe("aigateway-exporter");
    expect(items[0]?.spec.ports.map(({ name }) => name)).toEqual(spec.endpoints.map(({ port }) => port));
    expect(await cluster.api.get(`/api/v1/namespaces/${NAMESPACE}/endpoints/${NAMESPACE}`)).toMatchObject({
      subsets: [{ addresses: [{ ip: POD_IP }], ports: [{ name: "metrics", port: 9853 }] }],
    });
  });

  test("has rules in the PrometheusRule that promtool accepts", async () => {
    const { spec } = prometheusRule.parse(await cluster.api.get(PATHS.prometheusRule));
    expect(spec.groups.length).toBeGreaterThan(3);
    const { ok, output } = await checkRules(tools.promtool3, stringify({ groups: spec.groups }));
    expect(output).toContain("SUCCESS");
    expect(ok).toBe(true);
  });

  test("changes nothing when it runs a second time", { timeout: TIMEOUT_MS }, async () => {
    const { summary } = await pulumi.stack.up({ expectNoChanges: true });
    expect(Object.keys(summary.resourceChanges ?? {})).toEqual(["same"]);
  });

  test(
    "changes only the ConfigMap when the configuration changes, and keeps the pod",
    { timeout: TIMEOUT_MS },
    async () => {
      const before = { configMap: await uidOf(cluster.api, PATHS.configMap), pod: await theReadyPod() };
      await pulumi.configure({ exporter: exporterConfig({ credit_value: { currency: "EUR", value: 2 } }) });
      const { summary } = await pulumi.stack.up();
      expect(summary.resourceChanges).toMatchObject({ update: 1 });
      expect(summary.resourceChanges).not.toHaveProperty("replace");
      expect(await theReadyPod()).toEqual(before.pod);
      expect(await uidOf(cluster.api, PATHS.configMap)).toBe(before.configMap);
      await seenByPrometheus('aigateway_credit_value{currency="EUR"}', 2);
    },
  );

  test(
    "brings a rotated key to the running exporter without a restart",
    { timeout: TIMEOUT_MS },
    async () => {
      const before = { pod: await theReadyPod(), keys: await uidOf(cluster.api, PATHS.keys) };
      const rotated = gateway.addKey({ name: "billing-2", limitMicros: 7_000_000, limitReset: "monthly" });
      gateway.disable("billing");
      await seenByPrometheus('aigateway_key_up{key="billing"}', 0);
      await setSecret("keys.billing", rotated);
      const { summary } = await pulumi.stack.up();
      expect(summary.resourceChanges).toMatchObject({ update: 1 });
      await seenByPrometheus('aigateway_key_up{key="billing"}', 1);
      await seenByPrometheus('aigateway_key_limit_credits{key="billing"}', 7);
      expect(await theReadyPod()).toEqual(before.pod);
      expect(await uidOf(cluster.api, PATHS.keys)).toBe(before.keys);
    },
  );

  test("finds a manual change and repairs it", { timeout: TIMEOUT_MS }, async () => {
    await cluster.api.patch(PATHS.deployment, { spec: { replicas: 2 } });
    await cluster.api.patch(PATHS.service, { metadata: { labels: { "app.kubernetes.io/name": "stolen" } } });
    await cluster.api.delete(PATHS.networkPolicy);
    const { summary } = await pulumi.stack.refresh();
    expect(summary.resourceChanges).toMatchObject({ update: 2, delete: 1 });
    await pulumi.stack.up();
    expect(await cluster.api.get(PATHS.deployment)).toMatchObject({ spec: { replicas: 1 } });
    expect(await cluster.api.get(PATHS.service)).toMatchObject({
      metadata: { labels: { "app.kubernetes.io/name": "aigateway-exporter" } },
    });
    expect(await cluster.api.exists(PATHS.networkPolicy)).toBe(true);
    await pulumi.stack.refresh({ expectNoChanges: true });
  });

  test("has written no secret in plain text to the state, its history or the configuration", () => {
    const written = pulumi.written();
    expect(written).toContain(`${NAMESPACE}-keys`);
    const texts = [...gateway.tokens.values(), gateway.managementToken].flatMap((text) => [
      text,
      base64(text),
    ]);
    expect(texts.filter((text) => written.includes(text))).toEqual([]);
  });

  test("destroys everything that it created", { timeout: TIMEOUT_MS }, async () => {
    const { summary } = await pulumi.stack.destroy();
    expect(summary.result).toBe("succeeded");
    expect(await readyPods(cluster.api)).toEqual([]);
    expect(await cluster.api.exists(PATHS.keys)).toBe(false);
    // Others may have put objects into it since.
    expect(await cluster.api.exists(PATHS.namespace)).toBe(true);
    const { deployment } = await pulumi.stack.exportStack();
    expect(
      z.object({ resources: z.array(z.unknown()).optional() }).parse(deployment).resources ?? [],
    ).toEqual([]);
    expect(cluster.kubelet.started.map(({ process }) => process.isRunning())).not.toContain(true);
  });
});

const serviceMonitor = z.object({
  spec: z.object({
    jobLabel: z.string(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    endpoints: z.array(z.object({ port: z.string() })),
  }),
});

const services = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      spec: z.object({ ports: z.array(z.object({ name: z.string() })) }),
    }),
  ),
});

const prometheusRule = z.object({ spec: z.object({ groups: z.array(z.unknown()) }) });

function base64(text: string | undefined): string {
  return Buffer.from(text ?? "").toString("base64");
}
