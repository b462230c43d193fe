import { createServer } from "node:http";

import { type Listening, listenOnLoopback } from "./loopback.ts";

/**
 * A relay to scrape instead of the target. It passes scrapes on to `target` (`127.0.0.1:9853`) while asking
 * for the text format 0.0.4 only. Prometheus 2.42 always prefers OpenMetrics and has no setting for it.
 */
export async function startTextRelay(target: string): Promise<Listening> {
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
  return listenOnLoopback(server);
}
