import type * as Http from "node:http";
import { createRequire } from "node:module";
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from "node:net";
import type { WebSource } from "../config/web/web-config.ts";
import { createBcrypt } from "./bcrypt.ts";
import { type Connections, createConnections, type DropReason } from "./connections.ts";
import { type Limits, LIMITS, MAX_REQUESTS } from "./limits.ts";
import { createPasswords } from "./passwords.ts";
import { createRequestSemaphore } from "./request-semaphore.ts";
import { type Route, textAnswer } from "./route.ts";
import { CLIENT_LEFT, createRouter, type OnRefusal } from "./router.ts";
import { createTlsServer, type TlsServer } from "./tls-server.ts";

// An import would read every export of node:http, and so load fetch and web sockets: 45 ms and 10 MB more at startup.
const http: typeof Http = createRequire(import.meta.url)("node:http");

export interface ListenAddress {
  /** Undefined: all addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface Server {
  /** @throws ListenError if the server cannot listen on every address; it must be stopped then. */
  start(): Promise<void>;
  /** Finishes the answers in progress, then closes. */
  stop(): Promise<void>;
  /** One for each address. */
  readonly urls: () => readonly string[];
  /** The first of them. */
  readonly url: () => string;
}

/** The server cannot listen on an address, for the reason that is the cause. */
export class ListenError extends Error {
  /** As it is written on the command line. */
  readonly address: string;

  constructor({ host = "", port }: ListenAddress, cause: unknown) {
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    super(`Cannot listen on ${address}`, { cause });
    this.address = address;
  }
}

export interface ServerOptions {
  /** Without it, the server speaks plain HTTP and requires no password. */
  readonly web?: WebSource | undefined;
  /** Answers in progress at once, not counting `/-/…`; 0 is unlimited. */
  readonly maxRequests?: number | undefined;
  /** The values of `Host` that are served, without port; empty: any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Counts a connection that is closed to respect the limit of connections or of answers in progress. */
  readonly onDrop?: ((reason: DropReason) => void) | undefined;
  /** Reports a client that is not let in. */
  readonly onRefusal?: OnRefusal | undefined;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits>;
}

/**
 * An HTTP/1.1 server with a few fixed paths, on one or several addresses that share all limits. If a route
 * throws, `onError` receives the error and the client a plain 500.
 */
export function createServer(
  listen: readonly ListenAddress[],
  routes: readonly Route[],
  onError: (error: unknown) => void,
  {
    web,
    maxRequests = MAX_REQUESTS,
    allowedHosts = [],
    onDrop = () => {},
    onRefusal = () => {},
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
    tryAcquire: createRequestSemaphore({
      most: maxRequests,
      unreadMs: limits.unreadMs,
      onUnread: () => onDrop("unread"),
    }),
    onRefusal,
  });
  const server = http.createServer(settingsOf(limits), (request, response) => void answer(request, response));
  server.timeout = limits.stallMs;
  const tlsServer = listenToConnections(
    server,
    connections,
    web?.isSecure === true ? (serve) => createTlsServer(web, limits, serve, onRefusal) : undefined,
  );

  async function answer(request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> {
    // Node makes an error with a stack for each request that the end of a connection finds open.
    if (!connections.answering(request, response)) return void request.destroy();
    const timer = setTimeout(() => response.destroy(), limits.answerMs);
    response.once("close", () => clearTimeout(timer));
    const { status, headers, body } = await route(request, response).catch((error: unknown) => {
      if (error !== CLIENT_LEFT) onError(error);
      return textAnswer(500, "Internal server error\n");
    });
    const length = body.reduce((sum, part) => sum + part.length, 0);
    // A refused client must not keep a connection that others need, nor send the rest of a body that nobody reads.
    const isLast = stopping || CLOSING.has(status) || !request.complete;
    const close = isLast ? { connection: "close" } : {};
    const all = { ...SECURITY_HEADERS, ...headers, ...close, "content-length": length };
    response.writeHead(status, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")));
    if (request.method !== "HEAD") for (const part of body) response.write(part);
    response.end();
  }

  // Node checks for late requests only on a listening HTTP server, so that one has the first address. The others pass
  // their connections to it.
  const sockets = listen.map((_, index) => (index === 0 ? server : createSocketServer(SOCKET_OPTIONS)));
  for (const each of sockets.slice(1)) each.on("connection", (socket) => server.emit("connection", socket));

  function urlOfServer(each: SocketServer): string {
    return urlOf(web?.isSecure === true ? "https" : "http", each.address());
  }

  return {
    start: async () => {
      // Later reads are compared with this first one.
      await web?.current();
      for (const [index, address] of listen.entries()) await listening(sockets[index], address);
    },
    stop: async () => {
      stopping = true;
      const closed = Promise.withResolvers<void>();
      for (const each of sockets.slice(1)) each.close();
      server.close(() => closed.resolve());
      tlsServer?.close();
      server.closeIdleConnections();
      // A client that does not read its answer must not keep the process alive.
      const timer = setTimeout(() => server.closeAllConnections(), limits.stopMs);
      await closed.promise;
      clearTimeout(timer);
      await bcrypt.stop();
    },
    urls: () => sockets.map(urlOfServer),
    url: () => urlOfServer(server),
  };
}

/** As those of Node's HTTP server. */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true };

function listening(server: SocketServer | undefined, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new ListenError(address, error));
    server?.once("error", fail);
    server?.listen(address.port, address.host, () => {
      server.off("error", fail);
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

/**
 * The page has no script and no content from elsewhere, its icon is part of it, its form asks the exporter
 * itself, and it is not meant to be framed.
 */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
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
