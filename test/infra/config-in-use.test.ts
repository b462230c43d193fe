import { log } from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { waitUntilInUse } from "../../infra/kubernetes/config-in-use.ts";

const EXPECTED = {
  kind: "Deployment",
  name: "exporter",
  namespace: "ai",
  selector: { "app.kubernetes.io/instance": "exporter" },
  hash: 42,
} as const;
const PATIENCE = { pauseMs: 1, longestMs: 500, graceMs: 50 };
const FORBIDDEN = 'pods "one" is forbidden: User "ci" cannot get resource "pods/proxy" in API group ""';

let warn: MockInstance<typeof log.warn>;

beforeEach(() => {
  warn = vi.spyOn(log, "warn").mockResolvedValue();
});

afterEach(() => {
  warn.mockRestore();
});

interface Answers {
  readonly rollout?: () => object;
  readonly pods?: readonly object[];
  readonly metrics?: (pod: string) => string;
  readonly log?: (pod: string) => string;
}

function unreachable(reason: string): () => never {
  return () => {
    throw new Error(reason);
  };
}

function wait(
  {
    rollout = () => rolledOut(),
    pods = [podOf("one")],
    metrics = gauge(42),
    log: written = () => "",
  }: Answers,
  patience = PATIENCE,
) {
  const asked: string[] = [];
  const waited = waitUntilInUse(
    async (parameters) => {
      const line = parameters.join(" ");
      asked.push(line);
      if (line.startsWith("get Deployment")) return JSON.stringify(rollout());
      if (line.startsWith("get pods")) return JSON.stringify({ items: pods });
      const pod = /pods\/([a-z]+):|logs ([a-z]+)/.exec(line)?.slice(1).find(Boolean) ?? "";
      return parameters[0] === "logs" ? written(pod) : metrics(pod);
    },
    EXPECTED,
    patience,
  );
  return { asked, waited };
}

const podOf = (name: string, more: object = {}, status: object = {}) => ({
  metadata: { name, ownerReferences: [{ kind: "ReplicaSet" }], ...more },
  status,
});
const rolledOut = (status: object = {}) => ({
  metadata: { generation: 2 },
  spec: { replicas: 1 },
  status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1, ...status },
});
const gauge = (hash: number) => () =>
  `# TYPE aigateway_exporter_config_hash gauge\naigateway_exporter_config_hash ${hash}\n`;
const lines = (...entries: readonly (readonly [level: string, msg: string, config_hash?: number])[]) =>
  entries.map(([level, msg, config_hash]) => JSON.stringify({ level, msg, config_hash })).join("\n");
const REFUSAL = "Cannot reload; the running configuration is unchanged";

test("asks the pods of the deployment for their gauge, with kubectl", async () => {
  const { asked, waited } = wait({});
  await waited;
  expect(asked).toEqual([
    "get Deployment.v1.apps exporter --namespace=ai --output=json --request-timeout=20s",
    "get pods --selector=app.kubernetes.io/instance=exporter --namespace=ai --output=json --request-timeout=20s",
    "get --raw /api/v1/namespaces/ai/pods/one:9853/proxy/metrics --request-timeout=5s",
  ]);
  expect(warn).not.toHaveBeenCalled();
});

test("waits until the gauge of every pod shows the configuration, except pods that end", async () => {
  let scrapes = 0;
  const pods = [podOf("one"), podOf("two"), podOf("ending", { deletionTimestamp: "2026-11-23T00:00:00Z" })];
  const metrics = (pod: string) => gauge(pod === "one" || ++scrapes > 5 ? 42 : 7)();
  await wait({ pods, metrics }).waited;
  expect(scrapes).toBe(6);
});

test.each([
  ["has not seen the new template", { observedGeneration: 1 }, "of 1 pods, 0 are updated and 1 are ready"],
  [
    "has no pod",
    { replicas: 0, updatedReplicas: 0, readyReplicas: 0 },
    "of 1 pods, 0 are updated and 0 are ready",
  ],
  ["has an old pod as well", { replicas: 2 }, "of 1 pods, 1 are updated and 1 are ready"],
])("waits while the Deployment %s, and fails at last", async (_name, status, reason) => {
  let looks = 0;
  await wait({ rollout: () => rolledOut(++looks > 3 ? {} : status) }).waited;
  expect(looks).toBe(4);
  await expect(wait({ rollout: () => rolledOut(status) }).waited).rejects.toThrow(
    `The workload is not ready after 0.5 s: ${reason}`,
  );
});

test("does not look at the pods of the other kind of workload, which end", async () => {
  const pods = [podOf("one"), podOf("old", { ownerReferences: [{ kind: "StatefulSet" }] })];
  const { asked, waited } = wait({ pods, metrics: (pod) => gauge(pod === "one" ? 42 : 7)() });
  await waited;
  expect(asked.join()).not.toContain("old");
});

const container = (more: object) => ({ containerStatuses: [{ ready: false, restartCount: 0, ...more }] });

test.each([
  [
    "a crash loop",
    container({ restartCount: 2, state: { waiting: { reason: "CrashLoopBackOff" } } }),
    "CrashLoopBackOff",
  ],
  ["a crash", container({ restartCount: 1, state: { running: {} } }), "it ends again and again"],
  [
    "an image that cannot be pulled",
    container({ state: { waiting: { reason: "ErrImagePull", message: "not found" } } }),
    "ErrImagePull: not found",
  ],
])("fails for %s with the last lines of the log", async (_name, status, reason) => {
  const pods = [podOf("one", {}, status)];
  const answers = { pods, rollout: () => rolledOut({ readyReplicas: 0 }), log: () => "first\nlast\n" };
  await expect(wait(answers).waited).rejects.toThrow(
    `The pod "one" does not start:\n  ${reason}\n  first\n  last`,
  );
});

test("does not end with a warning while a pod that shows nothing is not ready", async () => {
  const silent = {
    rollout: () => rolledOut({ readyReplicas: 0 }),
    metrics: unreachable("refused"),
    log: () => "",
  };
  await expect(wait(silent).waited).rejects.toThrow(/after 0.5 s/);
  expect(warn).not.toHaveBeenCalled();
});

test("names why a pod has no node", async () => {
  const conditions = [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }];
  const answers = {
    pods: [podOf("one", {}, { conditions })],
    rollout: () => rolledOut({ readyReplicas: 0 }),
  };
  await expect(wait(answers).waited).rejects.toThrow(/"one" .* after 0.5 s: 0\/3 nodes are available/);
});

test("fails with the exporter's reasons when it refuses this configuration", async () => {
  const text = lines(
    ["info", "Listening", 7],
    ["error", "config.yaml: keys[0].name: is old", 41],
    ["error", REFUSAL, 41],
    ["error", "config.yaml: keys[1].name: is missing", 42],
    ["error", REFUSAL, 42],
    ["error", "config.yaml: keys[1].api_key_file: does not exist", 42],
    ["error", "config.yaml: probes[0].audio: does not exist", 42],
    ["error", REFUSAL, 42],
    ["warn", "Poll failed"],
  );
  await expect(wait({ metrics: gauge(7), log: () => text }).waited).rejects.toThrow(
    'The pod "one" refuses the configuration, and the former one stays in use:\n' +
      "  config.yaml: keys[1].api_key_file: does not exist\n" +
      "  config.yaml: probes[0].audio: does not exist",
  );
});

test("waits for a configuration that was refused at first, and is not misled by an older refusal", async () => {
  let reads = 0;
  const older = lines(["error", "config.yaml: is old", 41], ["error", REFUSAL, 41]);
  const refused = lines(["error", "config.yaml: a file does not exist", 42], ["error", REFUSAL, 42]);
  const metrics = () => gauge(++reads > 8 ? 42 : 7)();
  const patient = { pauseMs: 1, longestMs: 60_000, graceMs: 60_000 };
  await wait({ metrics, log: () => (reads > 4 ? refused : older) }, patient).waited;
  expect(reads).toBe(9);
});

test("reads the log if the API server cannot reach the pod", async () => {
  const texts = [
    lines(["info", "Listening", 7]),
    lines(["info", "Listening", 7], ["info", "Configuration reloaded", 42]),
  ];
  let reads = 0;
  const growing = () => texts[Math.min(reads++, 1)] ?? "";
  await wait({ metrics: unreachable("dial tcp 10.0.0.7:9853: i/o timeout"), log: growing }).waited;
  expect(reads).toBe(2);
  const refused = lines(["error", "config.yaml: is bad", 42], ["error", REFUSAL, 42]);
  await expect(wait({ metrics: unreachable("timeout"), log: () => refused }).waited).rejects.toThrow(
    /refuses the configuration[^]*is bad/,
  );
});

test("warns and ends at once if neither is allowed", async () => {
  const { asked, waited } = wait({ metrics: unreachable(FORBIDDEN), log: unreachable(FORBIDDEN) });
  await waited;
  expect(asked).toHaveLength(4);
  expect(warn.mock.calls).toEqual([
    [
      `Cannot see whether the pod "one" uses the configuration: ${FORBIDDEN}; cannot read its log: ${FORBIDDEN}; to deploy without waiting for that, set waitForConfig to false`,
    ],
  ]);
});

test("warns if the pods may not be listed, and if a pod shows nothing for a while", async () => {
  await waitUntilInUse(async () => Promise.reject(new Error("pods is forbidden")), EXPECTED, PATIENCE);
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/whether the pods use .*: pods is forbidden; to/)],
  ]);
  const { asked, waited } = wait({ metrics: () => "", log: () => "" });
  await waited;
  expect(asked.length).toBeGreaterThan(3);
  expect(warn.mock.calls[1]?.[0]).toMatch(/\/metrics does not show it; the log does not show it/);
});

test("fails if the configuration does not come into use in time", async () => {
  await expect(wait({ metrics: gauge(7) }).waited).rejects.toThrow(
    'The pod "one" does not use the configuration after 0.5 s: the hash of its configuration is 7, not 42; to deploy without waiting for that, set waitForConfig to false',
  );
  const { waited } = wait({ metrics: gauge(7), log: unreachable('pods "one" is forbidden') });
  await expect(waited).rejects.toThrow(
    /is 7, not 42; cannot read its log: pods "one" is forbidden; to deploy/,
  );
});
