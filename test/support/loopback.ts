import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { Server } from "node:net";

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
