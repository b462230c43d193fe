import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the server does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => Promise<void> | void;

export interface ScriptedServer {
  /** Without a path, `http://127.0.0.1:` and the port. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
}

/** A server that takes one step for each request, the last one ever after, until the test has finished. */
export async function startScriptedServer(...steps: readonly Step[]): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: string[] = [];
    incoming.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, path: url, headers, body: chunks.join("") };
      const step = steps[Math.min(requests.length, steps.length - 1)];
      requests.push(request);
      void step?.(response, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Cannot find the server's port");
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

/** Answers with a body: JSON of a value, or a text as it is. */
export function answering(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}
