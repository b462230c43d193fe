import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** `host` undefined listens on all addresses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[];
}

/** What there is at a path. HEAD is answered wherever GET is. */
export interface Route {
  readonly path: string;
  readonly methods: readonly ("GET" | "POST")[];
  handle(request: IncomingMessage): Answer | Promise<Answer>;
}

export interface Server {
  /** Rejects when the address cannot be listened on. */
  start(): Promise<void>;
  /** Finishes what is being answered, then closes. */
  stop(): Promise<void>;
  readonly url: () => string;
}

/** A client that is slow with its request is not waited for. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;
const STOP_WITHIN_MS = 5000;

/** An HTTP/1.1 server of a few fixed paths. `onError` is told when a route throws; the client gets a plain 500. */
export function createServer(
  listen: ListenAddress,
  routes: readonly Route[],
  onError: (error: unknown) => void,
): Server {
  let stopping = false;
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const server = createHttpServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => void answer(request, response),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body } = await answerTo(request).catch((error: unknown) => {
      onError(error);
      return textAnswer(500, "Internal server error\n");
    });
    const length = body.reduce((sum, part) => sum + part.length, 0);
    const close = stopping ? { connection: "close" } : {};
    response.writeHead(status, { ...SECURITY_HEADERS, ...headers, ...close, "content-length": length });
    if (request.method !== "HEAD") for (const part of body) response.write(part);
    response.end();
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const route = byPath.get(path);
    if (!route) return textAnswer(404, "Not found\n");
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (!route.methods.some((allowed) => allowed === method)) {
      const allow = route.methods.flatMap((allowed) => (allowed === "GET" ? ["GET", "HEAD"] : [allowed]));
      return textAnswer(405, "Method not allowed\n", { allow: allow.join(", ") });
    }
    return route.handle(request);
  }

  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(listen.port, listen.host, () => {
          server.off("error", reject);
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        stopping = true;
        // A client that does not take its answer must not keep the process alive.
        const timer = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
    url: () => urlOf(server.address()),
  };
}

/** A short plain answer. */
export function textAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
    body: [Buffer.from(text)],
  };
}

/** The page has no script, no foreign content and no need to be framed. */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

function urlOf(address: string | AddressInfo | null): string {
  if (address === null || typeof address === "string") return "";
  const { address: host, family, port } = address;
  if (host === "::" || host === "0.0.0.0") return `http://localhost:${port}`;
  return family === "IPv6" ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}
