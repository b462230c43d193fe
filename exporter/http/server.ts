import type * as Http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo, Socket } from "node:net";
import type { WebSource } from "../config/web/web-config.ts";
import { createBcrypt } from "./bcrypt.ts";
import { type Connections, createConnections, type DropReason } from "./connections.ts";
import { type Limits, LIMITS, MAX_REQUESTS } from "./limits.ts";
import { createPasswords } from "./passwords.ts";
import { type Route, textAnswer } from "./route.ts";
import { createRouter } from "./router.ts";
import { createTlsServer, type TlsServer } from "./tls-server.ts";

// An import would read every export of node:http, and so load fetch and web sockets: 45 ms and 10 MB more at startup.
const http: typeof Http = createRequire(import.meta.url)("node:http");

export interface ListenAddress {
  /** Undefined: all addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface Server {
  /** Rejects if the server cannot listen on the address. */
  start(): Promise<void>;
  /** Finishes the answers in progress, then closes. */
  stop(): Promise<void>;
  readonly url: () => string;
}

export interface ServerOptions {
  /** Without it, the server speaks plain HTTP and requires no password. */
  readonly web?: WebSource | undefined;
  /** Answers in progress at once, not counting `/-/…`; 0 is unlimited. */
  readonly maxRequests?: number | undefined;
  /** The values of `Host` that are served, without port; empty: any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Counts a connection that is closed to respect the limit of connections. */
  readonly onDrop?: ((reason: DropReason) => void) | undefined;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits>;
}

/**
 * An HTTP/1.1 server with a few fixed paths. If a route throws, `onError` receives the error and the client a plain
 * 500.
 */
export function createServer(
  listen: ListenAddress,
  routes: readonly Route[],
  onError: (error: unknown) => void,
  {
    web,
    maxRequests = MAX_REQUESTS,
    allowedHosts = [],
    onDrop = () => {},
    limits: changed = {},
  }: ServerOptions = {},
): Server {
  const limits = { ...LIMITS, ...changed };
  let stopping = false;
  const bcrypt = createBcrypt();
  const connections = createConnections(limits.connections, onDrop);
  const route = createRouter(routes, {
    passwords: createPasswords(bcrypt),
    web,
    allowedHosts,
    isCurrent: ({ socket }, { tls }) => tlsServer?.isCurrent(socket, tls) ?? true,
    maxRequests,
  });
  const server = http.createServer(settingsOf(limits), (request, response) => void answer(request, response));
  server.timeout = limits.stallMs;
  const tlsServer = listenToConnections(
    server,
    connections,
    web?.isSecure === true ? (serve) => createTlsServer(web, limits, serve) : undefined,
  );

  async function answer(request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> {
    connections.answering(request, response);
    const timer = setTimeout(() => response.destroy(), limits.answerMs);
    response.once("close", () => clearTimeout(timer));
    const { status, headers, body } = await route(request, response).catch((error: unknown) => {
      onError(error);
      return textAnswer(500, "Internal server error\n");
    });
    const length = body.reduce((sum, part) => sum + part.length, 0);
    // A refused client must not keep a connection that others need.
    const close = stopping || CLOSING.has(status) ? { connection: "close" } : {};
    const all = { ...SECURITY_HEADERS, ...headers, ...close, "content-length": length };
    response.writeHead(status, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")));
    if (request.method !== "HEAD") for (const part of body) response.write(part);
    response.end();
  }

  return {
    start: async () => {
      // Later reads are compared with this first one.
      await web?.current();
      await listening(server, listen);
    },
    stop: async () => {
      stopping = true;
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      tlsServer?.close();
      server.closeIdleConnections();
      // A client that does not read its answer must not keep the process alive.
      const timer = setTimeout(() => server.closeAllConnections(), limits.stopMs);
      await closed.promise;
      clearTimeout(timer);
      await bcrypt.stop();
    },
    url: () => urlOf(web?.isSecure === true ? "https" : "http", server.address()),
  };
}

function listening(server: Http.Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function settingsOf({ requestMs, checkMs, headerBytes, keepAliveMs }: Limits) {
  return {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: headerBytes,
    keepAliveTimeout: keepAliveMs,
  };
}

/** Not logged in, not allowed, not received completely, or not now. */
const CLOSING: ReadonlySet<number> = new Set([400, 401, 403, 413, 421, 503]);

/**
 * Bounds the connections, and puts a TLS server between them and the HTTP server if there is a configuration for TLS.
 * The HTTP server keeps listening itself, because Node checks for late requests only on a listening server; its own
 * connection listener then receives the decrypted connections.
 */
function listenToConnections(
  server: Http.Server,
  connections: Connections,
  createTls: ((onConnection: (socket: Socket) => void) => TlsServer) | undefined,
): TlsServer | undefined {
  const listeners = server.listeners("connection");
  const serve = (connection: Socket) => {
    for (const listener of listeners) listener.call(server, connection);
  };
  const tlsServer = createTls?.(serve);
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (!connections.admit(socket)) return;
    if (tlsServer) tlsServer.accept(socket);
    else serve(socket);
  });
  return tlsServer;
}

/** The page has no script and no content from elsewhere, and is not meant to be framed. */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

function urlOf(scheme: string, address: string | AddressInfo | null): string {
  if (address === null || typeof address === "string") return "";
  const { address: host, family, port } = address;
  if (host === "::" || host === "0.0.0.0") return `${scheme}://localhost:${port}`;
  return family === "IPv6" ? `${scheme}://[${host}]:${port}` : `${scheme}://${host}:${port}`;
}
