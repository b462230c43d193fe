import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { dashboards } from "../../../dashboards/index.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { ROOT } from "../../support/repository.ts";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { dashboardPath, NAMESPACE, PATHS, readyPods } from "./deployment.ts";
import { configHash } from "../../../exporter/config/config.ts";

const TOOLS = ["helm", "kubectl", "etcd", "kubeApiserver", "kubeControllerManager"] as const;

/** A control plane starts within seconds, or a minute on a busy machine. */
const TIMEOUT_MS = 300_000;

const SECRETS = { keysSecret: "aigateway-keys", managementSecret: "aigateway-management" };
const WITHOUT_RULES = { logLevel: "debug", rules: "none", networkPolicy: false };
const OBJECTS = [
  PATHS.serviceAccount,
  PATHS.configMap,
  PATHS.deployment,
  PATHS.service,
  PATHS.networkPolicy,
  PATHS.serviceMonitor,
  PATHS.prometheusRule,
  ...dashboards.map(({ uid }) => dashboardPath(uid)),
];

describeWithTools(TOOLS, "helm and kubectl on a real Kubernetes API", (tools) => {
  const gateway = createGateway();
  const token = gateway.addKey({ name: "billing" });
  let cluster: Cluster;

  beforeAll(async () => {
    await gateway.start();
    cluster = await startCluster(tools);
    await kubectl("create", "namespace", NAMESPACE);
    await kubectl("create", "secret", "generic", SECRETS.keysSecret, `--from-literal=billing=${token}`);
    const management = `--from-literal=management-key=${gateway.managementToken}`;
    await kubectl("create", "secret", "generic", SECRETS.managementSecret, management);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await cluster?.stop();
    await gateway.stop();
  }, TIMEOUT_MS);

  /** Does not block, because the simulated node runs in this process. */
  async function call(tool: string, parameters: readonly string[], input = ""): Promise<string> {
    const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", NAMESPACE];
    const running = promisify(execFile)(tool, [...parameters, ...flags]);
    running.child.stdin?.on("error", () => {}).end(input);
    return (await running).stdout;
  }

  function kubectl(...parameters: readonly string[]): Promise<string> {
    return call(tools.kubectl, parameters);
  }

  function helm(command: string, changes: object = {}, ...parameters: readonly string[]): Promise<string> {
    const exporter = { gateway: { base_url: gateway.url }, schedule: { keys: "1s", analytics: "2s" } };
    const values = { image: "registry.example/aigateway-exporter:0.1.0", exporter, ...SECRETS, ...changes };
    const chart = join(ROOT, "charts", "aigateway-exporter");
    return call(tools.helm, [command, NAMESPACE, chart, "--values", "-", ...parameters], stringify(values));
  }

  const present = async () => {
    const found = await Promise.all(OBJECTS.map((path) => cluster.api.exists(path)));
    return OBJECTS.filter((_path, index) => found[index]);
  };

  const metrics = async () => {
    const [pod] = await until(
      "a pod",
      () => readyPods(cluster.api),
      (pods) => pods.length === 1,
    );
    return (await fetch(`${pod?.url}/metrics`)).text();
  };

  test("helm install deploys an exporter that polls", { timeout: TIMEOUT_MS }, async () => {
    const printed = await helm("install", {}, "--wait", "--timeout=3m");
    expect(printed).toContain(`\nNOTES:\nThe exporter is the Deployment "${NAMESPACE}" in the namespace`);
    expect(await present()).toEqual(OBJECTS);
    await until("the key", metrics, (text) => text.includes('\naigateway_key_up{key="billing"} 1\n'));
    await until("the analytics", metrics, (text) => text.includes("\naigateway_analytics_up{"));
  });

  test("helm upgrade changes the pod, and removes what is turned off", { timeout: TIMEOUT_MS }, async () => {
    const [before] = await readyPods(cluster.api);
    await helm("upgrade", WITHOUT_RULES, "--wait", "--timeout=3m");
    const [after] = await until(
      "a pod",
      () => readyPods(cluster.api),
      (pods) => pods.length === 1,
    );
    expect(after?.name).not.toBe(before?.name);
    const gone = [PATHS.networkPolicy, PATHS.prometheusRule];
    expect(await present()).toEqual(OBJECTS.filter((path) => !gone.some((other) => other === path)));
  });

  test("helm upgrade with another configuration keeps the pod", { timeout: TIMEOUT_MS }, async () => {
    const before = await readyPods(cluster.api);
    const exporter = {
      gateway: { base_url: gateway.url },
      schedule: { keys: "1s", analytics: "2s" },
      credit_value: { currency: "EUR", value: 2 },
    };
    await helm("upgrade", { ...WITHOUT_RULES, exporter }, "--wait", "--timeout=3m");
    const inUse = await until("the configuration", metrics, (text) =>
      text.includes('\naigateway_credit_value{currency="EUR"} 2\n'),
    );
    const configMap = ["get", "configmap", NAMESPACE, "--output", "jsonpath={.data.config\\.yaml}"];
    expect(inUse).toContain(`\naigateway_exporter_config_hash ${configHash(await kubectl(...configMap))}\n`);
    expect(await readyPods(cluster.api)).toEqual(before);
  });

  test("helm test asks the exporter through its Service", { timeout: TIMEOUT_MS }, async () => {
    const printed = await call(tools.helm, ["test", NAMESPACE, "--timeout=3m"]);
    expect(printed).toMatch(/TEST SUITE: +aigateway-exporter-test\n[^]*Phase: +Succeeded/);
  });

  test(
    "becomes three shards and one again, and a rollback restores three",
    { timeout: TIMEOUT_MS },
    async () => {
      const wait = ["--wait", "--timeout=4m"];
      const pods = (count: number) =>
        until(
          `${count} pods`,
          () => readyPods(cluster.api),
          (found) => found.length === count,
        );
      await helm("upgrade", { ...WITHOUT_RULES, shards: 3 }, ...wait);
      expect((await pods(3)).map(({ name }) => name)).toContain(`${NAMESPACE}-2`);
      expect(await cluster.api.exists(PATHS.deployment)).toBe(false);
      await helm("upgrade", WITHOUT_RULES, ...wait);
      await pods(1);
      await call(tools.helm, ["rollback", NAMESPACE, ...wait]);
      await pods(3);
      const text = await Promise.all(
        (await pods(3)).map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
      );
      expect(text.filter((each) => each.includes('\naigateway_key_up{key="billing"} 1\n'))).toHaveLength(1);
    },
  );

  test("helm uninstall leaves only the Secrets", { timeout: TIMEOUT_MS }, async () => {
    await call(tools.helm, ["uninstall", NAMESPACE, "--wait", "--timeout=3m"]);
    expect(await present()).toEqual([]);
    expect(await kubectl("get", "secrets", "--output=name")).toContain(`secret/${SECRETS.keysSecret}`);
  });
});
