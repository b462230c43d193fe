import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { dashboards } from "../../dashboards/index.ts";
import { readSettings } from "../../infra/settings.ts";
import { runMocked } from "./mocked-program.ts";
import { LEAST, LEAST_EXPORTER, settingTexts } from "./program-settings.ts";

const workload = z.looseObject({
  spec: z.looseObject({ replicas: z.number(), template: z.looseObject({ spec: z.looseObject({}) }) }),
});

async function objectsOf(changes: object) {
  const registered = await runMocked({ ...LEAST, ...changes }, dashboards);
  return (kind: string) =>
    registered.filter(({ type }) => type.endsWith(`:${kind}`)).map(({ inputs }) => inputs);
}

function configOf(changes: object) {
  const texts = new Map(Object.entries(settingTexts({ ...LEAST, ...changes })));
  const { kubernetes } = readSettings((name) => texts.get(name));
  return z.looseObject({ shards: z.number().optional() }).parse(parse(kubernetes?.config.text ?? ""));
}

test("one pod is a Deployment without a PodDisruptionBudget", async () => {
  const objects = await objectsOf({});
  expect(["Deployment", "StatefulSet", "PodDisruptionBudget"].map((kind) => objects(kind).length)).toEqual([
    1, 0, 0,
  ]);
  expect(JSON.stringify(objects("Deployment"))).not.toMatch(/topologySpread|POD_INDEX/);
  expect(configOf({}).shards).toBe(undefined);
});

test.each([
  [{ shards: 3 }, 3],
  [{ replicas: 2 }, 2],
  [{ shards: 3, replicas: 2 }, 6],
])(
  "the settings %j are a StatefulSet of %d pods, which know their index and spread over the nodes",
  async (changes, pods) => {
    const objects = await objectsOf(changes);
    expect(objects("Deployment")).toEqual([]);
    const [set] = objects("StatefulSet").map((inputs) => workload.parse(inputs).spec);
    expect(set).toMatchObject({
      replicas: pods,
      podManagementPolicy: "Parallel",
      minReadySeconds: 35,
      serviceName: "aigateway-exporter",
    });
    expect(JSON.stringify(set)).toContain("metadata.labels['apps.kubernetes.io/pod-index']");
    expect(set?.template.spec["topologySpreadConstraints"]).toHaveLength(1);
    expect(objects("PodDisruptionBudget")).toMatchObject([{ spec: { maxUnavailable: 1 } }]);
  },
);

test("the configuration has the number of shards, which replicas do not change", () => {
  expect(configOf({ shards: 3, replicas: 2 }).shards).toBe(3);
  expect(configOf({ replicas: 2 }).shards).toBe(undefined);
});

test.each([
  [{ shards: 0 }, /shards: "0" is not an integer from 1 to 1024/],
  [{ shards: 1.5 }, /shards: "1.5" is not an integer/],
  [{ replicas: 0 }, /replicas: "0" is not an integer from 1 to 10/],
  [
    { exporter: { ...LEAST_EXPORTER, shards: 2 } },
    /exporter\.shards: is set by the setting shards; remove it/,
  ],
  [
    { shards: 3, exporter: { gateway: { ...LEAST_EXPORTER.gateway, requests_per_minute: 2 } } },
    /exporter\.gateway\.requests_per_minute: 2 cannot be divided among 3 shards/,
  ],
])("the settings %j are refused", (changes, message) => {
  expect(() => configOf(changes)).toThrow(message);
});
