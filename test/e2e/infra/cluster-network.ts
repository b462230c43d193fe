import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { join } from "node:path";

/**
 * The way from the API server to nodes and pods, which is a proxy (konnectivity) in many clusters. Here it
 * leads from addresses of the cluster to this machine.
 */
export interface ClusterNetwork {
  /** Path of the API server's configuration of it. */
  readonly configFile: string;
  /** `127.0.0.1:40123` by address in the cluster, `192.0.2.7:9853`. */
  readonly routes: Map<string, string>;
  /** Addresses in the cluster that cannot be reached, as behind a network policy. */
  readonly blocked: Set<string>;
  stop(): Promise<void>;
}

/** Listens on a socket in the folder. */
export async function startClusterNetwork(directory: string): Promise<ClusterNetwork> {
  const routes = new Map<string, string>();
  const blocked = new Set<string>();
  const open = new Set<Duplex>();
  const server = createServer();
  server.on("connect", ({ url = "" }, client: Duplex) => {
    const [host, port] = (blocked.has(url) ? "" : (routes.get(url) ?? "")).split(":");
    if (host === undefined || port === undefined) return client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    const target = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
    return undefined;
  });
  const udsName = join(directory, "network.sock");
  server.listen(udsName);
  await once(server, "listening");
  const configFile = join(directory, "network.json");
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName } } };
  const egressSelections = [{ name: "cluster", connection }];
  const config = {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections,
  };
  writeFileSync(configFile, JSON.stringify(config));
  return {
    configFile,
    routes,
    blocked,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
