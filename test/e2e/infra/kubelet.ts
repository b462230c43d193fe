import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { imageParameters, makeImageContent } from "../../support/image-content.ts";
import type { ClusterNetwork } from "./cluster-network.ts";
import type { ControlPlane } from "./control-plane.ts";
import { CONTAINER_ROOT, MOUNTS_VARIABLE } from "./container-root.ts";
import type { KubernetesApi } from "./kubernetes-api.ts";
import { type Container, environmentOf, type Pod, podList } from "./pod.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { launch, type Program } from "../../support/child.ts";
import { mountVolumes, type Volumes } from "./volumes.ts";

/** The annotation with the real address of a container. */
export const ADDRESS_ANNOTATION = "test.example/address";

/**
 * The address of the only pod, or of the first one, from a documentation range (RFC 5737), because an EndpointSlice refuses
 * loopback addresses. Nothing is sent to it.
 */
export const POD_IP = addressAt(0);

function addressAt(place: number): string {
  return `192.0.2.${7 + place}`;
}

/** One node, played by the test: it runs the pods that the cluster wants, as processes on 127.0.0.1. */
export interface Kubelet {
  /** The number of processes started so far, running or not. */
  readonly started: readonly { readonly pod: string; readonly process: Program }[];
  stop(): Promise<void>;
}

const NODE = "test-node";
const NODE_IP = "192.0.2.1";
const NODE_PORT = 10_250;
const PAUSE_MS = 150;

export async function startKubelet({ api, network, certificate }: ControlPlane): Promise<Kubelet> {
  const root = mkdtempSync(join(tmpdir(), "kubelet-"));
  const app = join(root, "app");
  makeImageContent(app);
  const running = new Map<string, RunningPod>();
  const started: { pod: string; process: Program }[] = [];
  const stopping = new AbortController();
  // The logs of containers for the API server, which does not check the name of the certificate.
  const logServer = createServer(certificate, ({ url = "" }, response) => {
    const name = /^\/containerLogs\/[^/]+\/([^/]+)\//.exec(url)?.[1];
    const text = started
      .filter(({ pod }) => pod === name)
      .at(url.includes("previous=true") ? -2 : -1)
      ?.process.log();
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  const logs = await listenOnLoopback(logServer);
  network.routes.set(`${NODE_IP}:${NODE_PORT}`, logs.address);
  await api.create("/api/v1/nodes", { metadata: { name: NODE } });
  await api.patch(`/api/v1/nodes/${NODE}/status`, {
    status: {
      addresses: [{ type: "InternalIP", address: NODE_IP }],
      daemonEndpoints: { kubeletEndpoint: { Port: NODE_PORT } },
    },
  });

  async function sync(): Promise<void> {
    for (const pod of podList.parse(await api.get("/api/v1/pods")).items) {
      const { uid, name, deletionTimestamp } = pod.metadata;
      const present = running.get(uid);
      if (deletionTimestamp !== undefined) {
        running.delete(uid);
        await present?.process.stop();
        await api.delete(pathOf(pod), { gracePeriodSeconds: 0 });
      } else if (pod.spec.nodeName === undefined) {
        await api.create(`${pathOf(pod)}/binding`, {
          metadata: { name },
          target: { kind: "Node", name: NODE },
        });
      } else if (present && pod.spec.restartPolicy === "Never") await reportEnd(api, pod, present);
      else if (present && isKept(present)) await look(api, network, pod, present);
      else {
        const ip = present?.ip ?? freeAddress([...running.values()]);
        const fresh = await startPod(api, network, pod, join(root, uid), imageParameters(app));
        running.set(uid, { ...fresh, ip, restarts: present ? present.restarts + 1 : 0 });
        started.push({ pod: name, process: fresh.process });
      }
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      // An object may disappear while it is read; the next pass sees the current state.
      await sync().catch((error: unknown) => process.stderr.write(`kubelet: ${String(error)}\n`));
      await delay(PAUSE_MS);
    }
  }
  const ended = loop();
  return {
    started,
    stop: async () => {
      stopping.abort();
      await ended;
      for (const { process: child } of running.values()) await child.stop();
      await logs.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface Started {
  readonly process: Program;
  readonly startedAt: number;
  readonly volumes: Volumes;
  /** The status that the API server received last. */
  reported: string;
}

interface RunningPod extends Started {
  readonly ip: string;
  readonly restarts: number;
}

/** A container that has ended is started again, but not in a loop. */
function isKept({ process: child, startedAt }: RunningPod): boolean {
  return child.isRunning() || performance.now() - startedAt < BACK_OFF_MS;
}

const BACK_OFF_MS = 1000;

function freeAddress(running: readonly RunningPod[]): string {
  const used = new Set(running.map(({ ip }) => ip));
  return addressAt([...used, ""].findIndex((_, place) => !used.has(addressAt(place))));
}

async function startPod(
  api: KubernetesApi,
  network: ClusterNetwork,
  pod: Pod,
  root: string,
  program: readonly string[],
): Promise<Started> {
  const volumes = await mountVolumes(api, pod, root);
  const [container] = pod.spec.containers;
  const parameters = [
    `--import=${CONTAINER_ROOT}`,
    ...program,
    ...(await Promise.all(
      container.args.map((text) => throughService(api, network, argument(text, container))),
    )),
  ];
  const environment = {
    ...environmentOf(pod),
    [MOUNTS_VARIABLE]: JSON.stringify(volumes.mounts),
  };
  const child = launch(process.execPath, parameters, { environment });
  return { process: child, startedAt: performance.now(), volumes, reported: "" };
}

/** A port of the pod becomes any free port of this machine. */
function argument(text: string, { ports }: Container): string {
  const port = ports.find(({ containerPort }) => text.endsWith(`=:${containerPort}`))?.containerPort;
  return port === undefined ? text : text.replace(`:${port}`, "127.0.0.1:0");
}

/** The URL of a Service becomes the address of a pod that is ready behind it, or stays, and then nothing answers. */
async function throughService(api: KubernetesApi, network: ClusterNetwork, text: string): Promise<string> {
  const [, prefix = "", name = "", namespace = "", port = ""] =
    /^(.*http:\/\/)([\w-]+)\.([\w-]+):(\d+)$/.exec(text) ?? [];
  if (name === "") return text;
  const { subsets } = endpoints.parse(await api.get(`/api/v1/namespaces/${namespace}/endpoints/${name}`));
  const address = network.routes.get(`${subsets[0]?.addresses[0]?.ip}:${port}`);
  return address === undefined ? text : `${prefix}${address}`;
}

const endpoints = z.object({
  subsets: z.array(z.object({ addresses: z.array(z.object({ ip: z.string() })).default([]) })).default([]),
});

async function reportEnd(api: KubernetesApi, pod: Pod, running: RunningPod): Promise<void> {
  const exitCode = running.process.child.exitCode;
  if (exitCode === null || running.reported !== "") return;
  const [{ name }] = pod.spec.containers;
  const state = { terminated: { exitCode } };
  const containerStatuses = [{ name, ready: false, restartCount: 0, image: "", imageID: "", state }];
  const phase = exitCode === 0 ? "Succeeded" : "Failed";
  await api.patch(`${pathOf(pod)}/status`, { status: { phase, containerStatuses } });
  running.reported = phase;
}

async function look(
  api: KubernetesApi,
  network: ClusterNetwork,
  pod: Pod,
  running: RunningPod,
): Promise<void> {
  // A mounted folder keeps its files when its object is gone.
  await running.volumes.refresh().catch(() => {});
  const [container] = pod.spec.containers;
  const address = /"url":"http:\/\/(127\.0\.0\.1:\d+)"/.exec(running.process.log())?.[1];
  const isReady = await passes(address, container.readinessProbe?.httpGet.path);
  const isHealthy = await passes(address, container.livenessProbe?.httpGet.path);
  const report = `${address} ${isReady && isHealthy}`;
  if (report === running.reported) return;
  if (address !== undefined) {
    for (const { containerPort } of container.ports)
      network.routes.set(`${running.ip}:${containerPort}`, address);
    await api.patch(pathOf(pod), { metadata: { annotations: { [ADDRESS_ANNOTATION]: address } } });
  }
  await api.patch(`${pathOf(pod)}/status`, { status: statusOf(container, running, isReady && isHealthy) });
  running.reported = report;
}

async function passes(address: string | undefined, path: string | undefined): Promise<boolean> {
  if (address === undefined || path === undefined) return false;
  return fetch(`http://${address}${path}`).then(
    async (response) => {
      await response.body?.cancel();
      return response.status >= 200 && response.status < 400;
    },
    () => false,
  );
}

function statusOf({ name }: Container, { ip, restarts }: RunningPod, isReady: boolean) {
  const now = new Date().toISOString();
  const condition = (type: string) => ({ type, status: isReady ? "True" : "False", lastTransitionTime: now });
  return {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [condition("Ready"), condition("ContainersReady")],
    containerStatuses: [
      {
        name,
        ready: isReady,
        restartCount: restarts,
        image: "",
        imageID: "",
        started: true,
        state: { running: { startedAt: now } },
      },
    ],
  };
}

function pathOf({ metadata }: Pod): string {
  return `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
}
