import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { imageParameters, makeImageContent } from "../../support/image-content.ts";
import type { KubernetesApi } from "./kubernetes-api.ts";
import { type Container, type Pod, podList } from "./pod.ts";
import { type ServerProcess, startProcess } from "./server-process.ts";
import { mountVolumes, type Volumes } from "./volumes.ts";

/** The annotation with the real address of a container. */
export const ADDRESS_ANNOTATION = "test.example/address";

/** From a documentation range (RFC 5737), because an EndpointSlice refuses loopback addresses. Nothing is sent to it. */
export const POD_IP = "192.0.2.7";

/** One node, played by the test: it runs the pods that the cluster wants, as processes on 127.0.0.1. */
export interface Kubelet {
  /** The number of processes started so far, running or not. */
  readonly started: readonly { readonly pod: string; readonly process: ServerProcess }[];
  stop(): Promise<void>;
}

const NODE = "test-node";
const PAUSE_MS = 150;

export async function startKubelet(api: KubernetesApi): Promise<Kubelet> {
  const root = mkdtempSync(join(tmpdir(), "kubelet-"));
  const app = join(root, "app");
  makeImageContent(app);
  const running = new Map<string, RunningPod>();
  const started: { pod: string; process: ServerProcess }[] = [];
  const stopping = new AbortController();
  await api.create("/api/v1/nodes", { metadata: { name: NODE } });

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
      } else if (present) await look(api, pod, present);
      else {
        const fresh = await startPod(api, pod, join(root, uid), imageParameters(app));
        running.set(uid, fresh);
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
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface RunningPod {
  readonly process: ServerProcess;
  readonly volumes: Volumes;
  /** The status that the API server received last. */
  reported: string;
}

async function startPod(
  api: KubernetesApi,
  pod: Pod,
  root: string,
  program: readonly string[],
): Promise<RunningPod> {
  const volumes = await mountVolumes(api, pod, root);
  const [container] = pod.spec.containers;
  const parameters = [...program, ...container.args.map((text) => argument(text, container, volumes))];
  const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  return { process: startProcess(process.execPath, parameters, environment), volumes, reported: "" };
}

/** A port of the pod becomes any free port of this machine; a path becomes one within the pod's folder. */
function argument(text: string, { ports }: Container, volumes: Volumes): string {
  const port = ports.find(({ containerPort }) => text.endsWith(`=:${containerPort}`))?.containerPort;
  return port === undefined ? volumes.pathOf(text) : text.replace(`:${port}`, "127.0.0.1:0");
}

async function look(api: KubernetesApi, pod: Pod, running: RunningPod): Promise<void> {
  await running.volumes.refresh();
  const [container] = pod.spec.containers;
  const address = /"url":"http:\/\/(127\.0\.0\.1:\d+)"/.exec(running.process.log())?.[1];
  const isReady = address !== undefined && (await passes(address, container.readinessProbe.httpGet.path));
  const isHealthy = address !== undefined && (await passes(address, container.livenessProbe.httpGet.path));
  const report = `${address} ${isReady && isHealthy}`;
  if (report === running.reported) return;
  if (address !== undefined) {
    await api.patch(pathOf(pod), { metadata: { annotations: { [ADDRESS_ANNOTATION]: address } } });
  }
  await api.patch(`${pathOf(pod)}/status`, { status: statusOf(container, isReady && isHealthy) });
  running.reported = report;
}

async function passes(address: string, path: string): Promise<boolean> {
  return fetch(`http://${address}${path}`).then(
    async (response) => {
      await response.body?.cancel();
      return response.status >= 200 && response.status < 400;
    },
    () => false,
  );
}

function statusOf({ name }: Container, isReady: boolean) {
  const now = new Date().toISOString();
  const condition = (type: string) => ({ type, status: isReady ? "True" : "False", lastTransitionTime: now });
  return {
    phase: "Running",
    podIP: POD_IP,
    podIPs: [{ ip: POD_IP }],
    conditions: [condition("Ready"), condition("ContainersReady")],
    containerStatuses: [
      {
        name,
        ready: isReady,
        restartCount: 0,
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
