import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { createDeployer, type Kubeconfig } from "./deployer.ts";
import { NAMESPACE, PATHS, readyPods, versionsOf } from "./deployment.ts";
import type { TestStack } from "./pulumi-stack.ts";
import { STACK_TIMEOUT_MS, STACK_TOOLS, type StackStage, startStackStage } from "./stack-stage.ts";

/** Each test goes on where the one before it ended. */
describeWithTools(STACK_TOOLS, "a stack of a deployer with the rights of infra/deployer.yaml", (tools) => {
  let stage: StackStage;
  let kubeconfig: Kubeconfig;
  let stack: TestStack;

  beforeAll(async () => {
    stage = await startStackStage(tools);
    kubeconfig = await createDeployer(stage.cluster);
    stack = await stage.createStack(join("/nonexistent", "kubeconfig"), {
      kubeconfig: JSON.stringify(kubeconfig),
      managementKey: stage.gateway.managementToken,
    });
    stack.configure({ createNamespace: false, dashboardConfigMaps: false });
  }, STACK_TIMEOUT_MS);

  afterAll(async () => stage?.stop(), STACK_TIMEOUT_MS);

  const metrics = async () => {
    const [pod] = await readyPods(stage.cluster.api);
    return pod ? (await fetch(`${pod.url}/metrics`)).text() : "";
  };
  const shows = (line: string) => until(`/metrics to show ${line}`, metrics, (text) => text.includes(line));

  test("is created in a namespace that it may not create", async () => {
    expect(await stack.up()).toMatchObject({ code: 0, changes: { created: 12 } });
  });

  test("brings a configuration, a rotated key, a renewed CA and another URL of the cluster, and keeps every object and the pod", async () => {
    const before = { pods: await readyPods(stage.cluster.api), objects: await versionsOf(stage.cluster.api) };
    const rotated = stage.gateway.addKey({
      name: "billing-2",
      limitMicros: 7_000_000,
      limitReset: "monthly",
    });
    stage.gateway.disable("billing");
    await stack.setSecrets({
      "keys.billing": rotated,
      kubeconfig: JSON.stringify(renewed(kubeconfig)),
    });
    stack.configure({ exporter: stage.exporterConfig({ credit_value: { currency: "EUR", value: 2 } }) });
    const { code, changes } = await stack.up();
    expect([code, changes]).toEqual([0, { updated: 3, unchanged: 9 }]);
    await shows('aigateway_credit_value{currency="EUR"} 2');
    await shows('aigateway_key_limit_credits{key="billing"} 7');
    const after = await versionsOf(stage.cluster.api);
    const changed = Object.keys(after).filter((name) => after[name] !== before.objects[name]);
    expect(changed).toEqual([`ConfigMap/${NAMESPACE}`, `Secret/${NAMESPACE}-keys`]);
    expect(uidsOf(after)).toEqual(uidsOf(before.objects));
    expect(await readyPods(stage.cluster.api)).toEqual(before.pods);
  });

  test("refuses changes by hand and objects of others before it changes anything, all at once", async () => {
    await stage.cluster.api.patch(PATHS.keys, { data: { extra: "c2st" } });
    const { spec } = egress.parse(await stage.cluster.api.get(PATHS.networkPolicy));
    await stage.cluster.api.patch(PATHS.networkPolicy, { spec: { egress: [...spec.egress, {}] } });
    await stage.cluster.api.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, {
      metadata: { name: `${NAMESPACE}-rules` },
    });
    stack.configure({ rules: "configMap", caConfigMap: "authorities", shards: 2 });
    const before = await versionsOf(stage.cluster.api);
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/Secret "aigateway-exporter-keys" in .*: was changed by hand; delete it/);
    expect(output).toMatch(/NetworkPolicy "aigateway-exporter" in .*: was changed by hand/);
    expect(output).toMatch(/ConfigMap "aigateway-exporter-rules" in .*: exists and was not created by this/);
    expect(output).toMatch(/caConfigMap: there is no ConfigMap "authorities"/);
    expect(await versionsOf(stage.cluster.api)).toEqual(before);
    await stage.cluster.api.delete(PATHS.keys);
    await stage.cluster.api.delete(PATHS.networkPolicy);
    stack.configure({ rules: "prometheusRule", caConfigMap: "", shards: 1 });
  });

  test("refuses another cluster, and destroys only what it created", async () => {
    const before = await versionsOf(stage.cluster.api);
    await stack.editState((text) => text.replaceAll(/("cluster": ")[^"]+/g, "$1another"));
    const { code, output } = await stack.pulumi("preview");
    expect(code).not.toBe(0);
    expect(output).toMatch(/the kubeconfig leads to another cluster than before/);
    expect(await versionsOf(stage.cluster.api)).toEqual(before);
    expect((await stack.pulumi("destroy", "--yes")).code).toBe(0);
    const left = Object.keys(await versionsOf(stage.cluster.api));
    expect(left.filter((name) => !before[name]?.includes("kube-root-ca"))).toEqual([
      `ConfigMap/${NAMESPACE}-rules`,
      "ServiceAccount/default",
      "ServiceAccount/deployer",
    ]);
    expect(await stage.cluster.api.exists(PATHS.namespace)).toBe(true);
  });
});

const egress = z.object({ spec: z.object({ egress: z.array(z.unknown()) }) });

function uidsOf(versions: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(versions).map(([name, version]) => `${name} ${version.split(" ")[0]}`);
}

/** Another URL of the same cluster; and the bundle of an authority that is being renewed contains the new certificate as well. */
function renewed(config: Kubeconfig): Kubeconfig {
  const [{ cluster, ...entry }] = config.clusters;
  const bundle = Buffer.from(cluster["certificate-authority-data"], "base64").toString();
  const authority = Buffer.from(`${bundle}\n${bundle}`).toString("base64");
  const url = {
    server: cluster.server.replace("127.0.0.1", "localhost"),
    "tls-server-name": "kubernetes",
  };
  return {
    ...config,
    clusters: [{ ...entry, cluster: { ...cluster, ...url, "certificate-authority-data": authority } }],
  };
}
