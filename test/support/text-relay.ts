import { createServer } from "node:http";
import { once } from "node:events";

export interface TextRelay {
  /** `127.0.0.1:40123`, to be scraped instead of the target. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Passes scrapes on to `target` (`127.0.0.1:9853`) while asking for the text format 0.0.4 only. Prometheus 2.42 always prefers
 * OpenMetrics and has no setting for it.
 */
export async function startTextRelay(target: string): Promise<TextRelay> {
  const server = createServer((incoming, outgoing) => {
    fetch(`http://${target}${incoming.url ?? "/"}`, { headers: { accept: "text/plain;version=0.0.4" } })
      .then(async (response) => {
        const body = await response.text();
        const type = response.headers.get("content-type") ?? "";
        if (!type.startsWith("text/plain")) throw new Error(`want text/plain, target sent "${type}"`);
        outgoing.writeHead(response.status, { "content-type": type }).end(body);
      })
      .catch((error: unknown) => outgoing.writeHead(502).end(`Cannot relay "${target}": ${String(error)}`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Cannot tell the port of the relay");
  return {
    address: `127.0.0.1:${address.port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
