import { beforeAll, describe, expect, test } from "vitest";
import { createRules } from "../../dashboards/rules/index.ts";
import { ruleGroups } from "../../dashboards/rules/file.ts";
import { DASHBOARD, type Registered, runMocked } from "./mocked-program.ts";
import { type Changes, LEAST, LEAST_EXPORTER } from "./program-settings.ts";

const KUBERNETES: Changes = {
  ...LEAST,
  managementKey: "sk-test-management",
  kubeconfig: "/home/me/.kube/config",
};

describe("the Kubernetes part", () => {
  let resources: readonly Registered[];
  beforeAll(async () => {
    resources = await runMocked(KUBERNETES);
  });
  const inputs = (type: string, name: string) =>
    resources.find((resource) => resource.type === type && resource.name === name)?.inputs;

  test("consists of these objects", () => {
    expect(resources.map(({ type, name }) => `${type} ${name}`).toSorted()).toEqual([
      "kubernetes:apps/v1:Deployment exporter",
      "kubernetes:core/v1:ConfigMap exporter",
      "kubernetes:core/v1:ConfigMap exporter-dashboard-aigateway-overview",
      "kubernetes:core/v1:Namespace exporter",
      "kubernetes:core/v1:Secret exporter-keys",
      "kubernetes:core/v1:Secret exporter-management",
      "kubernetes:core/v1:Service exporter",
      "kubernetes:core/v1:ServiceAccount exporter",
      "kubernetes:monitoring.coreos.com/v1:PrometheusRule exporter",
      "kubernetes:monitoring.coreos.com/v1:ServiceMonitor exporter",
      "kubernetes:networking.k8s.io/v1:NetworkPolicy exporter",
      "pulumi:index:Stash deployment",
      "pulumi:providers:kubernetes kubernetes",
    ]);
  });

  test("changes ConfigMaps and Secrets in place, and keeps the kubeconfig secret", () => {
    expect(inputs("pulumi:providers:kubernetes", "kubernetes")).toEqual({
      clusterIdentifier: "aigateway-exporter",
      enableConfigMapMutable: "true",
      enableSecretMutable: "true",
      enableServerSideApply: "true",
      kubeconfig: { secret: "/home/me/.kube/config" },
    });
  });

  test("uses the explicit provider for every object", () => {
    const objects = resources.filter(({ type }) => type.startsWith("kubernetes:"));
    expect(objects.map(({ provider }) => provider)).toEqual(
      objects.map(() => expect.stringContaining("pulumi:providers:kubernetes::kubernetes::")),
    );
  });

  test("marks every secret and contains none in plain text", () => {
    expect(inputs("kubernetes:core/v1:Secret", "exporter-keys")).toMatchObject({
      type: "Opaque",
      stringData: { secret: { billing: "sk-test-billing" } },
    });
    expect(inputs("kubernetes:core/v1:Secret", "exporter-management")).toMatchObject({
      stringData: { secret: { "management-key": "sk-test-management" } },
    });
    const others = resources.filter(({ type }) => type !== "kubernetes:core/v1:Secret");
    expect(JSON.stringify(others)).not.toContain("sk-test");
  });

  test("mounts the probes' recordings as a folder if there are any", async () => {
    const probe = { name: "meeting", key: "billing", model: "acme/ear", expected_text: "Good morning" };
    const probes = [{ ...probe, audio: "exporter/probes/sample/sample.mp3" }];
    const probe_spend = { max_cost_per_day: 1, max_cost_per_probe: 0.1 };
    const recorded = await runMocked({
      ...KUBERNETES,
      exporter: { ...LEAST_EXPORTER, probes, probe_spend },
    });
    const [audio, deployment] = ["exporter-audio", "exporter"].map((name) =>
      recorded.find(
        (each) =>
          each.name === name && /:(?:ConfigMap|Deployment)$/.test(each.type) && !("data" in each.inputs),
      ),
    );
    expect(audio?.inputs).toMatchObject({
      metadata: { name: "aigateway-exporter-audio" },
      binaryData: { "meeting.mp3": expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) },
    });
    const mount = { name: "audio", mountPath: "/etc/aigateway-exporter-audio", readOnly: true };
    expect(deployment?.inputs).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [{ volumeMounts: expect.arrayContaining([mount]) }],
            volumes: expect.arrayContaining([
              { name: "audio", configMap: { name: "aigateway-exporter-audio" } },
            ]),
          },
        },
      },
    });
    expect(JSON.stringify(resources)).not.toContain("aigateway-exporter-audio");
  });

  test("contains the rules, and the dashboards with the sidecar's label", () => {
    expect(inputs("kubernetes:monitoring.coreos.com/v1:PrometheusRule", "exporter")).toMatchObject({
      spec: { groups: ruleGroups(createRules()) },
    });
    expect(inputs("kubernetes:core/v1:ConfigMap", "exporter-dashboard-aigateway-overview")).toMatchObject({
      metadata: {
        name: "aigateway-exporter-dashboard-aigateway-overview",
        labels: { grafana_dashboard: "1" },
        annotations: { grafana_folder: "AI gateway" },
      },
      data: { "aigateway-overview.json": DASHBOARD.json },
    });
  });

  test("lets every object be overwritten, and has no pod label that collides with a metric's label", () => {
    const objects = resources.filter(({ type }) => type.startsWith("kubernetes:"));
    for (const { inputs: object } of objects) {
      expect(object).toMatchObject({ metadata: { annotations: { "pulumi.com/patchForce": "true" } } });
    }
    expect(JSON.stringify(objects)).not.toMatch(/"labels":\{[^}]*"(app|key|model)":/);
  });
});

describe("the Kubernetes part with other settings", () => {
  test("mounts no Secret that does not exist", async () => {
    const [deployment] = await find({ keys: {}, managementKey: "sk-m" }, "Deployment");
    expect(deployment?.inputs).toMatchObject({
      spec: { template: { spec: { volumes: [{ name: "config" }, { name: "management" }] } } },
    });
  });

  test("keeps the pod when the configuration or a key changes", async () => {
    const before = await find({}, "Deployment");
    expect(await find({ keys: { billing: "sk-test-rotated" } }, "Deployment")).toEqual(before);
    const exporter = { ...LEAST_EXPORTER, series_limit: 5 };
    expect(await find({ exporter }, "Deployment")).toEqual(before);
    expect(JSON.stringify(await find({ exporter }, "ConfigMap"))).toContain("series_limit: 5");
  });
});

async function find(changes: Changes, kind: string): Promise<readonly Registered[]> {
  return (await runMocked({ ...LEAST, ...changes })).filter(({ type }) => type.endsWith(`:${kind}`));
}
