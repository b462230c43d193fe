import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";

export interface Listening {
  /** `127.0.0.1:40123`. */
  readonly address: string;
  readonly port: number;
  /** Closes the server and every connection that is open. */
  readonly stop: () => Promise<void>;
}

/** Lets a server listen on 127.0.0.1, on a free port by default. */
export async function listenOnLoopback(server: Server | HttpServer, port = 0): Promise<Listening> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string")
    throw new Error("Cannot find the port of a server that listens");
  return {
    address: `127.0.0.1:${bound.port}`,
    port: bound.port,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

/** Ports that were free a moment ago, for programs that cannot listen on port 0. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const listening = await Promise.all(Array.from({ length: count }, () => listenOnLoopback(createServer())));
  await Promise.all(listening.map(({ stop }) => stop()));
  return listening.map(({ port }) => port);
}
