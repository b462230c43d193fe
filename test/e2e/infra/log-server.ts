import { once } from "node:events";
import { createServer } from "node:https";

/** Serves the logs of containers to the API server, as a kubelet does: `/containerLogs/NAMESPACE/POD/CONTAINER`. */
export async function startLogServer(
  /** PEM; the API server does not check the name. */
  certificate: { readonly cert: string; readonly key: string },
  logOf: (pod: string, container: "present" | "previous") => string | undefined,
): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const server = createServer(certificate, ({ url = "" }, response) => {
    const pod = /^\/containerLogs\/[^/]+\/([^/]+)\//.exec(url)?.[1];
    const container = url.includes("previous=true") ? "previous" : "present";
    const text = pod === undefined ? undefined : logOf(pod, container);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    address: typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : "",
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
