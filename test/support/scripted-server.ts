import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

import { listenOnLoopback } from "./loopback.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The server's reaction to one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => Promise<void> | void;

export interface ScriptedServer {
  /** `http://127.0.0.1:40123`, without a path. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
}

/** Starts a server that takes one step for each request and repeats the last one, until the test has finished. */
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
  const { address, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  return { url: `http://${address}`, requests };
}

/** Responds with a body: a value as JSON, or a text unchanged. */
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
