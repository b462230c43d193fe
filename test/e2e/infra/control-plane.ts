import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterNetwork, startClusterNetwork } from "./cluster-network.ts";
import { type Access, kubernetesApi, type KubernetesApi } from "./kubernetes-api.ts";
import { launch, type Program } from "../../support/child.ts";
import { freePorts } from "../../support/loopback.ts";
import { until } from "../../support/until.ts";

/** A real API server with its store and its controllers; nothing runs pods. */
export interface ControlPlane {
  readonly api: KubernetesApi;
  readonly access: Access;
  /** Path. */
  readonly kubeconfig: string;
  /** Path of the certificate of the authority that signed the server's. */
  readonly authorityFile: string;
  /** A server certificate that the API server's programs accept, PEM. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** How the API server reaches nodes and pods. */
  readonly network: ClusterNetwork;
  stop(): Promise<void>;
}

export interface ControlPlaneTools {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
}

const TOKEN = "test-administrator";
/** Without node controllers, pods are not evicted from a node that sends no heartbeats. */
const CONTROLLERS = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "disruption-controller",
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "endpoints-controller",
  "endpointslice-controller",
];

/** Starts all three on free ports of 127.0.0.1, in their own folder. */
export async function startControlPlane(tools: ControlPlaneTools): Promise<ControlPlane> {
  const directory = mkdtempSync(join(tmpdir(), "control-plane-"));
  const started: Program[] = [];
  const network = await startClusterNetwork(directory);
  const stop = async (): Promise<void> => {
    for (const server of started.toReversed()) await server.stop();
    await network.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const [client = 0, peer = 0, secure = 0, manager = 0] = await freePorts(4);
    writeKeys(directory);
    await startEtcd(tools.etcd, directory, client, peer, started);
    const flags = [`--egress-selector-config-file=${network.configFile}`];
    const access = await startApiserver(tools.kubeApiserver, directory, client, secure, flags, started);
    const kubeconfig = writeKubeconfig(directory, access);
    const parameters = [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${join(directory, "sa.key")}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${manager}`,
      `--controllers=${CONTROLLERS.join(",")}`,
    ];
    started.push(launch(tools.kubeControllerManager, parameters));
    const api = kubernetesApi(access);
    return {
      api,
      access,
      kubeconfig,
      authorityFile: certificateOf(directory),
      certificate: {
        cert: access.authority,
        key: readFileSync(join(directory, "certs", "apiserver.key"), "utf8"),
      },
      network,
      stop: async () => {
        api.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startEtcd(
  command: string,
  directory: string,
  client: number,
  peer: number,
  started: Program[],
): Promise<void> {
  const url = `http://127.0.0.1:${client}`;
  const etcd = launch(command, [
    `--data-dir=${join(directory, "etcd")}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    "--unsafe-no-fsync",
  ]);
  started.push(etcd);
  await whenReady("etcd", etcd, async () => (await fetch(`${url}/health`)).ok);
}

async function startApiserver(
  command: string,
  directory: string,
  etcdPort: number,
  port: number,
  flags: readonly string[],
  started: Program[],
): Promise<Access> {
  const server = launch(command, [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--cert-dir=${join(directory, "certs")}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--disable-admission-plugins=ServiceAccount",
    "--authorization-mode=RBAC",
    `--token-auth-file=${join(directory, "tokens.csv")}`,
    `--service-account-issuer=https://127.0.0.1:${port}`,
    `--service-account-key-file=${join(directory, "sa.pub")}`,
    `--service-account-signing-key-file=${join(directory, "sa.key")}`,
    "--endpoint-reconciler-type=none",
    "--allow-privileged",
    ...flags,
  ]);
  started.push(server);
  const url = `https://127.0.0.1:${port}`;
  const accessNow = (): Access => ({
    url,
    token: TOKEN,
    authority: readFileSync(certificateOf(directory), "utf8"),
  });
  await whenReady("kube-apiserver", server, async () => {
    const api = kubernetesApi(accessNow());
    const { status } = await api.call("GET", "/readyz");
    api.close();
    return status === 200;
  });
  return accessNow();
}

/** Waits until a server is ready; the error shows what it wrote. */
async function whenReady(name: string, server: Program, isReady: () => Promise<boolean>): Promise<void> {
  const look = async (): Promise<string> => {
    if (!server.isRunning()) return "ended";
    return (await isReady().catch(() => false)) ? "ready" : "starting";
  };
  const state = await until(`${name} to be ready`, look, (seen) => seen !== "starting", {
    timeoutMs: READY_TIMEOUT_MS,
    pauseMs: 100,
  });
  if (state === "ended") throw new Error(`Cannot start ${name}: it wrote:\n${server.log().slice(-4000)}`);
}

const READY_TIMEOUT_MS = 180_000;

function certificateOf(directory: string): string {
  return join(directory, "certs", "apiserver.crt");
}

function writeKeys(directory: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(directory, "sa.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  writeFileSync(join(directory, "sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(join(directory, "tokens.csv"), `${TOKEN},admin,admin-uid,"system:masters"\n`);
}

function writeKubeconfig(directory: string, { url, authority, token }: Access): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "test",
        cluster: {
          server: url,
          "certificate-authority-data": Buffer.from(authority).toString("base64"),
        },
      },
    ],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
  const file = join(directory, "kubeconfig");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  return file;
}
