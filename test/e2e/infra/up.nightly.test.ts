import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { dashboards } from "../../../dashboards/index.ts";
import { type Prometheus, startPrometheus } from "../../support/prometheus.ts";
import { checkRules } from "../../support/promtool.ts";
import { describeWithTools } from "../../support/tools.ts";
import type { Cluster } from "./cluster.ts";
import { dashboardPath, NAMESPACE, PATHS, readyPods, uidOf, versionsOf } from "./deployment.ts";
import { POD_IP } from "./kubelet.ts";
import { podDiscovery } from "./pod-discovery.ts";
import type { Run, TestStack } from "./pulumi-stack.ts";
import { STACK_TIMEOUT_MS, STACK_TOOLS, type StackStage, startStackStage } from "./stack-stage.ts";
import { watchSeries } from "../../support/series.ts";

const TOOLS = [...STACK_TOOLS, "prometheus3", "promtool3"] as const;

/** Each test goes on where the one before it ended. */
describeWithTools(TOOLS, "a stack on a real Kubernetes API, through the command line", (tools) => {
  let stage: StackStage;
  let cluster: Cluster;
  let stack: TestStack;
  let other: TestStack;
  let prometheus: Prometheus;

  beforeAll(async () => {
    stage = await startStackStage(tools);
    cluster = stage.cluster;
    prometheus = await startPrometheus({ binary: tools.prometheus3, config: podDiscovery(cluster) });
    stack = await stage.createStack(cluster.kubeconfig);
    // The same project and stack in another backend.
    other = await stage.createStack(cluster.kubeconfig);
    await stack.setSecrets({ managementKey: stage.gateway.managementToken });
  }, STACK_TIMEOUT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await stage?.stop();
  }, STACK_TIMEOUT_MS);

  const euros = (value: number, changes: object = {}) =>
    stage.exporterConfig({ credit_value: { currency: "EUR", value }, ...changes });
  const podStarts = () => cluster.kubelet.started.length;
  /** What an operation showed that failed and changed nothing. */
  const refusal = async (run: Promise<Run>): Promise<string> => {
    const before = JSON.stringify(await versionsOf(cluster.api));
    const { code, output } = await run;
    if (code === 0) return "It succeeded.";
    return JSON.stringify(await versionsOf(cluster.api)) === before ? output : "It changed objects.";
  };

  test(
    "refuses wrong settings at preview, all at once and without a secret, and an empty stack",
    async () => {
      const environment = { HTTPS_PROXY: "http://me:hidden-login@proxy.example:3128", PORT: 1 };
      const exporter = euros(-1, { gatway: 1, kees: 2 });
      stack.configure({ replicas: "two", shards: "x", networkPolicy: "maybe", environment, exporter });
      await stack.setSecrets({ "environment.API_TOKEN": "hidden-token" });
      const refused = await refusal(stack.pulumi("preview"));
      expect(refused).toMatch(
        /9 settings are wrong\s+environment: a value is encrypted[^]* in environmentSecret\n[^]*shards: [^]*replicas: [^]*environment\.HTTPS_PROXY: the value \(not shown\) contains a login[^]*environment\.PORT: the value \(not shown\)[^]*networkPolicy: [^]*exporter\.credit_value\.value[^]*gatway[^]*kees/,
      );
      expect(refused).not.toMatch(/hidden-/);
      await stack.pulumi("config", "rm", "environment");
      stack.configure({ replicas: 1, shards: 1, networkPolicy: true, exporter: stage.exporterConfig() });
      await other.pulumi("config", "rm", "keys");
      other.configure({ exporter: { gateway: { base_url: stage.gateway.url } } });
      expect(await refusal(other.pulumi("preview"))).toMatch(
        /exporter: nothing to poll; set keys or keysSecret/,
      );
      other.configure({ exporter: stage.exporterConfig() });
      await other.setSecrets({ "keys.billing": stage.billing });
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "creates each object as intended, and Prometheus finds the pod",
    async () => {
      expect(await stack.pulumi("up", "--yes")).toMatchObject({ code: 0, changes: { created: 19 } });
      expect(await readyPods(cluster.api)).toHaveLength(1);
      expect(await cluster.api.get(PATHS.namespace)).toMatchObject({
        metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
      });
      const { spec } = prometheusRule.parse(await cluster.api.get(PATHS.prometheusRule));
      expect(await checkRules(tools.promtool3, stringify({ groups: spec.groups }))).toMatchObject({
        ok: true,
      });
      for (const { uid, json } of dashboards)
        expect(await cluster.api.get(dashboardPath(uid))).toMatchObject({ data: { [`${uid}.json`]: json } });
      const owners = 'aigateway_key_owner_info{job="aigateway-exporter",key="billing",team="payments"}';
      await prometheus.queryUntil(owners, (samples) => samples.length === 1);
      expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, changes: { unchanged: 19 } });
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "is refused by the objects of the same stack in another backend, until they are adopted",
    async () => {
      expect(await refusal(other.up())).toMatch(
        /"aigateway-exporter" in .* exists and belongs to the stack aigateway-exporter\/test with the id/,
      );
      expect(await refusal(other.up())).toMatch(
        /Secret "aigateway-exporter-keys" [^]* pulumi config set adopt [0-9a-f]{8}/,
      );
      const [, id = ""] = /config set adopt (\w+)/.exec((await other.pulumi("preview")).output) ?? [];
      other.configure({ adopt: id });
      const pods = await readyPods(cluster.api);
      await other.setSecrets({ managementKey: stage.gateway.managementToken });
      expect((await other.up()).code).toBe(0);
      expect(await readyPods(cluster.api)).toEqual(pods);
      expect(await refusal(stack.up())).toMatch(/belongs to the stack/);
      stack.configure({ adopt: await idIn(other) });
      expect((await stack.up("--refresh")).code).toBe(0);
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "says that it cannot see the cluster, before a plan, and finds a kubeconfig beside Pulumi.yaml or another path of it",
    async () => {
      const wrong = readFileSync(cluster.kubeconfig, "utf8").replaceAll(cluster.access.token, "wrong");
      await stack.setSecrets({ kubeconfig: wrong });
      expect(await refusal(stack.pulumi("preview"))).toMatch(/Cannot ask the cluster .*logged in/);
      await stack.pulumi("config", "rm", "kubeconfig");
      cpSync(cluster.kubeconfig, join(stack.project, "kube.yaml"));
      stack.configure({ kubeconfig: "kube.yaml" });
      expect((await stack.pulumi("preview")).code).toBe(0);
      await stack.pulumi("config", "rm", "kubeconfig");
      const elsewhere = `KUBECONFIG=${join(stack.project, "kube.yaml")} pulumi preview --expect-no-changes`;
      expect((await stack.shell(elsewhere)).code).toBe(0);
      stack.configure({ kubeContext: "elsewhere" });
      expect(await refusal(stack.pulumi("preview"))).toMatch(
        /Cannot ask the cluster .* context was not found for specified context: elsewhere/,
      );
      stack.configure({ kubeContext: "" });
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "keeps the running pod when only the configuration changes, also if only its log can be seen",
    async () => {
      const pods = await readyPods(cluster.api);
      const watch = await watchSeries(pods[0]?.url ?? "", (name) => name.startsWith("aigateway_key_"));
      cluster.network.blocked.add(`${POD_IP}:9853`);
      stack.configure({ exporter: euros(3) });
      const { changes, output } = await stack.up();
      cluster.network.blocked.clear();
      expect([changes, output]).toEqual([
        { updated: 1, unchanged: 18 },
        expect.not.stringContaining("Cannot see"),
      ]);
      await prometheus.queryUntil(
        'aigateway_credit_value{currency="EUR"} == 3',
        (samples) => samples.length === 1,
      );
      expect((await watch.end()).lost).toEqual([]);
      expect(await readyPods(cluster.api)).toEqual(pods);
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "refuses Secrets that are missing or lack a key, while the own one is in use",
    async () => {
      const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
      await cluster.api.create(secrets, { metadata: { name: "vault" }, data: { spare: "" } });
      await stack.pulumi("config", "rm", "keys");
      stack.configure({ keysSecret: "vault", environmentSecret: "missing" });
      expect(await refusal(stack.up())).toMatch(
        /keysSecret: the Secret "vault" .* has no entry "billing"\s+environmentSecret: there is no Secret "missing"/,
      );
      stack.configure({ keysSecret: "", environmentSecret: "" });
      await stack.setSecrets({ "keys.billing": stage.billing });
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "fails with the exporter's reasons when it refuses the configuration",
    async () => {
      const before = { pods: await readyPods(cluster.api), uid: await uidOf(cluster.api, PATHS.configMap) };
      // Only the pod knows its files.
      const gateway = { base_url: stage.gateway.url, tls: { ca_file: "ca.crt" } };
      stack.configure({ exporter: stage.exporterConfig({ gateway }) });
      const failed = await stack.up();
      expect(failed.code).not.toBe(0);
      expect(failed.output).toMatch(
        /stays in use:\s+\S+ line \d+: gateway\.tls\.ca_file: file \S+ does not exist/,
      );
      expect((await stack.history())[0]).toBe("failed");
      stack.configure({ exporter: euros(3) });
      expect((await stack.up()).code).toBe(0);
      expect(await uidOf(cluster.api, PATHS.configMap)).toBe(before.uid);
      expect(await readyPods(cluster.api)).toEqual(before.pods);
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "repairs what was changed or deleted by hand, and then sees no drift",
    async () => {
      await cluster.api.patch(PATHS.deployment, { spec: { replicas: 2 } });
      await cluster.api.patch(PATHS.service, {
        metadata: { labels: { "app.kubernetes.io/name": "stolen" } },
      });
      await cluster.api.delete(PATHS.networkPolicy);
      expect((await stack.pulumi("preview", "--refresh", "--expect-no-changes")).code).not.toBe(0);
      expect((await stack.up("--refresh")).code).toBe(0);
      expect(await cluster.api.get(PATHS.deployment)).toMatchObject({ spec: { replicas: 1 } });
      expect(await cluster.api.exists(PATHS.networkPolicy)).toBe(true);
      expect((await stack.pulumi("preview", "--refresh", "--expect-no-changes")).code).toBe(0);
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "becomes three shards and one again, and old and new pods never run together",
    async () => {
      for (const shards of [3, 1]) {
        stack.configure({ shards });
        const starts = podStarts();
        let together = 0;
        const watch = setInterval(() => {
          const running = cluster.kubelet.started.filter(({ process }) => process.isRunning());
          const old = running.filter((each) => cluster.kubelet.started.indexOf(each) < starts);
          if (old.length > 0 && running.length > old.length) together += 1;
        }, 20);
        const { code, changes } = await stack.up();
        clearInterval(watch);
        expect([code, together]).toEqual([0, 0]);
        expect(changes).toMatchObject({ replaced: 1 });
        expect(await readyPods(cluster.api)).toHaveLength(shards);
      }
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "with protect, refuses every plan that deletes or replaces the workload, a Secret or a ConfigMap",
    async () => {
      stack.configure({ protect: true });
      expect((await stack.up()).code).toBe(0);
      stack.configure({ shards: 2 });
      expect(await refusal(stack.pulumi("up", "--yes"))).toMatch(/protect/);
      stack.configure({ shards: 1 });
      expect(await refusal(stack.pulumi("destroy", "--yes"))).toMatch(/protect/);
      stack.configure({ protect: false });
      expect((await stack.up()).code).toBe(0);
    },
    STACK_TIMEOUT_MS,
  );

  test(
    "destroys its own objects, keeps the namespace with those of others, and uses it again",
    async () => {
      await cluster.api.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, {
        metadata: { name: "theirs" },
      });
      expect((await stack.pulumi("destroy", "--yes")).code).toBe(0);
      expect(Object.keys(await versionsOf(cluster.api)).toSorted()).toEqual([
        "ConfigMap/theirs",
        "Secret/vault",
        "ServiceAccount/default",
      ]);
      stack.configure({ adopt: "" });
      expect(await stack.pulumi("preview")).toMatchObject({ code: 0 });
      stack.configure({ namespace: "default" });
      expect(await refusal(stack.up())).toMatch(
        /Namespace "default": exists and was not created by this stack; set createNamespace/,
      );
    },
    STACK_TIMEOUT_MS,
  );
});

const prometheusRule = z.object({ spec: z.object({ groups: z.array(z.unknown()) }) });

/** The id in the state. */
async function idIn(stack: TestStack): Promise<string> {
  return /"id": "([0-9a-f]{8})"/.exec((await stack.pulumi("stack", "export")).output)?.[1] ?? "";
}
