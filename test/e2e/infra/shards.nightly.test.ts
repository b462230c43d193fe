import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { createGateway } from "../../gateway/gateway.ts";
import { type Prometheus, startPrometheus } from "../../support/prometheus.ts";
import { ROOT } from "../../support/repository.ts";
import { differences, type SeriesMap, seriesOfText } from "../../support/series.ts";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { NAMESPACE, type ReadyPod, readyPods } from "./deployment.ts";
import type { KubernetesApi } from "./kubernetes-api.ts";
import { podDiscovery } from "./pod-discovery.ts";
import { publishedShard } from "../../support/shards-stage.ts";

const TOOLS = ["helm", "etcd", "kubeApiserver", "kubeControllerManager", "prometheus3"] as const;

/** A phase takes seconds, or a minute on a busy machine. */
const TIMEOUT_MS = 300_000;
const PATIENCE = { timeoutMs: 200_000, pauseMs: 200 };

/** The pace binds at each start, because all keys are due at once. */
const PER_MINUTE = 120;
const NAMES = Array.from({ length: 12 }, (_, index) => `key-${index}`);
const SPENT = 'max by (key) (aigateway_key_usage_credits{job="aigateway-exporter"})';

describeWithTools(TOOLS, "shards as the pods of a StatefulSet", (tools) => {
  const gateway = createGateway();
  const tokens = new Map(NAMES.map((name) => [name, gateway.addKey({ name })]));
  for (const [index, key] of NAMES.entries())
    gateway.spend({ key, model: "acme/one", micros: 1 + index, force: true });
  let cluster: Cluster;
  let prometheus: Prometheus;
  let began = 0;

  async function helm(command: "install" | "upgrade", shards: number, changes: object = {}): Promise<void> {
    // Values live for a minute or longer, so that a busy machine has time to start a pod.
    const schedule = { keys: "20s", analytics: "60s" };
    const exporter = {
      gateway: { base_url: gateway.url, requests_per_minute: PER_MINUTE },
      schedule,
      budgets: [{ name: "all", limit: 1, window: "month", keys: "all" }],
    };
    const names = { keysSecret: "aigateway-keys", managementSecret: "aigateway-management" };
    const image = "registry.example/aigateway-exporter:0.1.0";
    const off = { scrape: "none", rules: "none", dashboardConfigMaps: false, networkPolicy: false };
    const values = stringify({ image, exporter, shards, ...names, ...off, ...changes });
    const chart = join(ROOT, "charts", "aigateway-exporter");
    const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", NAMESPACE, "--values", "-"];
    const running = promisify(execFile)(tools.helm, [command, NAMESPACE, chart, ...flags]);
    running.child.stdin?.on("error", () => {}).end(values);
    await running;
  }

  beforeAll(async () => {
    await gateway.start();
    cluster = await startCluster(tools);
    await cluster.api.create("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    const management = new Map([["management-key", gateway.managementToken]]);
    const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
    await cluster.api.create(secrets, secretOf("aigateway-keys", tokens));
    await cluster.api.create(secrets, secretOf("aigateway-management", management));
    prometheus = await startPrometheus({
      binary: tools.prometheus3,
      config: podDiscovery(cluster, "3s"),
    });
    await helm("install", 2);
    await divided(2);
    began = await everyKeyStored();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await cluster?.stop();
    await gateway.stop();
  }, TIMEOUT_MS);

  /** Waits until there are so many pods, each of which shows the keys of its shard, and perhaps some that it had before. */
  async function divided(total: number, pods = total): Promise<readonly SeriesMap[]> {
    const wanted = Array.from({ length: pods }, (_, index) => ({
      pod: `${NAMESPACE}-${index}`,
      keys: NAMES.filter((name) => publishedShard(name, total) === index % total),
    }));
    const isDivided = (shown: Awaited<ReturnType<typeof shownBy>>) =>
      shown.length === pods &&
      wanted.every(({ pod, keys }) => {
        const own = keysOf(shown.find((each) => each.pod === pod)?.series ?? new Map());
        return keys.every((key) => own.includes(key));
      });
    const found = await until(
      `${pods} pods of ${total} shards`,
      () => shownBy(cluster.api).catch(() => []),
      isDivided,
      PATIENCE,
    );
    return found.map(({ series }) => series);
  }

  async function everyKeyStored(): Promise<number> {
    await until(
      "all keys in Prometheus",
      async () => (await prometheus.query(SPENT)).length,
      (count) => count === NAMES.length,
      PATIENCE,
    );
    return Date.now();
  }

  /** What Prometheus had of each key, second by second: missing, or not what the books have. `allowed`: may be missing. */
  async function faults(start: number, allowed: readonly string[] = []): Promise<readonly string[]> {
    const end = await everyKeyStored();
    const found = await prometheus.queryRange(SPENT, { start, end, stepMs: 1000 });
    const count = Math.floor((end - start) / 1000) + 1;
    return NAMES.flatMap((name, index) => {
      const points = found.find(({ labels }) => labels["key"] === name)?.points ?? [];
      const wrong = points.filter(({ value }) => value !== (1 + index) / 1e6);
      const isGapless = points.length === count || allowed.includes(name);
      return [
        ...wrong.map(({ value }) => `${name} is ${value}`),
        ...(isGapless ? [] : [`${name} has ${points.length} of ${count} points`]),
      ];
    });
  }

  test("together show what one exporter shows, at the gateway's pace", { timeout: TIMEOUT_MS }, async () => {
    const all = await divided(2);
    expect(mostWithin(5000)).toBeLessThanOrEqual((PER_MINUTE * 5) / 60 + all.length);
    const union = new Map(all.flatMap((series) => [...series]).filter(([name]) => isOfKeys(name)));
    const doubled = all.flatMap((series) => [...series.keys()].filter(isOfKeys)).length - union.size;
    expect(doubled).toBe(0);
    await cluster.api.delete(`/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/${NAMESPACE}`);
    await helm("upgrade", 1);
    const [lone = new Map<string, number>()] = await until(
      "one exporter",
      async () => Promise.all((await readyPods(cluster.api)).map(seriesOf)),
      ([series, ...more]) =>
        more.length === 0 && series !== undefined && keysOf(series).length === NAMES.length,
      PATIENCE,
    );
    expect(differences(union, new Map([...lone].filter(([name]) => isOfKeys(name))))).toEqual([]);
    await helm("upgrade", 2);
    await divided(2);
    began = await everyKeyStored();
  });

  test(
    "become three, and every key that stays has its value all the time",
    { timeout: TIMEOUT_MS },
    async () => {
      gateway.log.clear();
      await helm("upgrade", 3);
      await divided(3);
      const moved = NAMES.filter((name) => publishedShard(name, 2) !== publishedShard(name, 3));
      expect(await faults(began, moved)).toEqual([]);
      // While totals are mixed, the paces may add up to a third more.
      expect(mostWithin(5000)).toBeLessThanOrEqual((4 / 3) * ((PER_MINUTE * 5) / 60) + 3);
    },
  );

  test("leave only the keys of a killed shard without values", { timeout: TIMEOUT_MS }, async () => {
    const start = await everyKeyStored();
    const killed = cluster.kubelet.started.findLast(({ pod }) => pod === `${NAMESPACE}-1`);
    process.kill(killed?.process.pid ?? 0, "SIGKILL");
    await until(
      "the kill",
      () => killed?.process.isRunning(),
      (isRunning) => isRunning === false,
    );
    await divided(3);
    const own = NAMES.filter((name) => publishedShard(name, 3) === 1);
    expect(own.length).toBeGreaterThan(0);
    expect(await faults(start, own)).toEqual([]);
  });

  /** The most requests for keys within some milliseconds. */
  function mostWithin(ms: number): number {
    const times = gateway.log.of("key").map(({ at }) => at);
    return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
  }
});

function isOfKeys(series: string): boolean {
  // Only the shard that polls the balance knows whether it decides.
  return (
    series.startsWith("aigateway_key_") && !/timestamp_seconds|discovery|exhaustion_urgency/.test(series)
  );
}

function keysOf(series: SeriesMap): readonly string[] {
  return [...series.keys()].flatMap(
    (name) => /^aigateway_key_usage_credits\{key="(.*)"\}$/.exec(name)?.[1] ?? [],
  );
}

async function shownBy(api: KubernetesApi) {
  return Promise.all(
    (await readyPods(api)).map(async (pod) => ({ pod: pod.name, series: await seriesOf(pod) })),
  );
}

async function seriesOf({ url }: ReadyPod): Promise<SeriesMap> {
  return seriesOfText(await (await fetch(`${url}/metrics`)).text());
}

function secretOf(name: string, data: ReadonlyMap<string, string>): object {
  const encoded = [...data].map(([entry, text]) => [entry, Buffer.from(text).toString("base64")]);
  return { metadata: { name }, data: Object.fromEntries(encoded) };
}
