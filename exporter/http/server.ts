import type * as Http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createPasswords } from "./passwords.ts";
import { type Route, textAnswer } from "./route.ts";
import { type Access, createRouter } from "./router.ts";
import { createTlsServer } from "./tls-server.ts";
import type { WebConfig } from "../config/web/schema.ts";

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

export type ServerOptions = {
  readonly [Name in keyof Access]?: Access[Name] | undefined;
} & {
  /** Counts a connection that is refused to respect the limit of connections. */
  readonly onDrop?: (() => void) | undefined;
};

/** As in node_exporter. */
export const MAX_REQUESTS = 40;

/** Of each address. */
export const MOST_CONNECTIONS = 512;

const SETTINGS: Http.ServerOptions = {
  maxHeaderSize: 16_384,
  requestTimeout: 10_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Longer than Prometheus keeps a connection, so that Prometheus closes it.
  keepAliveTimeout: 330_000,
};

/** Longest pause of a client while it reads an answer. */
const STALL_MS = 30_000;

/** How long a stop waits for clients. */
const STOP_MS = 5000;

/**
 * An HTTP/1.1 server with a few fixed paths, on one or several addresses. If a route throws, `onError` receives the
 * error and the client a plain 500.
 */
export function createServer(
  listen: readonly ListenAddress[],
  routes: readonly Route[],
  onError: (error: unknown) => void,
  {
    web,
    maxRequests = MAX_REQUESTS,
    allowedHosts = [],
    prefix = "",
    onDrop = () => {},
    onRefusal = () => {},
  }: ServerOptions = {},
): Server {
  let stopping = false;
  const passwords = createPasswords();
  const route = createRouter(routes, {
    passwords,
    web,
    allowedHosts,
    isCurrent,
    maxRequests,
    prefix,
    onRefusal,
  });
  const handle: Http.RequestListener = (request, response) => void answer(request, response);
  const tls = web?.initial.tls;
  const tlsServers = tls ? listen.map(() => createTlsServer(tls, SETTINGS, handle, onRefusal)) : [];
  const servers: readonly Http.Server[] = tls
    ? tlsServers.map(({ server }) => server)
    : listen.map(() => http.createServer(SETTINGS, handle));
  for (const server of servers) {
    server.timeout = STALL_MS;
    server.maxConnections = MOST_CONNECTIONS;
    server.on("drop", onDrop);
    // A connection may find an old certificate; the next one finds the new one.
    if (tls) server.on("connection", () => void web?.current().then(follow, onError));
  }

  function follow(config: WebConfig | undefined): void {
    if (config?.tls) for (const each of tlsServers) each.use(config.tls);
  }

  function isCurrent({ socket }: Http.IncomingMessage, config: WebConfig): boolean {
    follow(config);
    return !tls || tlsServers.some((each) => each.isCurrent(socket));
  }

  async function answer(request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> {
    const { status, headers, body } = await route(request).catch((error: unknown) => {
      onError(error);
      return textAnswer(500, "Internal server error\n");
    });
    const length = body.reduce((sum, part) => sum + part.length, 0);
    const close = stopping ? { connection: "close" } : {};
    const all = { ...SECURITY_HEADERS, ...headers, ...close, "content-length": length };
    response.writeHead(status, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")));
    if (request.method !== "HEAD") for (const part of body) response.write(part);
    response.end();
  }

  const urls = () => servers.map((server) => urlOf(tls ? "https" : "http", server.address()));

  return {
    start: async () => {
      // The worker starts now, because its file may be missing later.
      if (web) passwords.start();
      // A later read counts as a change if it differs from this one.
      follow(await web?.current());
      for (const [index, address] of listen.entries()) await listening(servers[index], address);
    },
    stop: async () => {
      stopping = true;
      // A client that does not read its answer must not keep the process alive.
      const timer = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
      }, STOP_MS);
      await Promise.all(servers.map(closed));
      clearTimeout(timer);
      await passwords.stop();
    },
    urls,
    url: () => urls()[0] ?? "",
  };
}

function listening(server: Http.Server | undefined, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new ListenError(address, error));
    server?.once("error", fail);
    server?.listen(address.port, address.host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

function closed(server: Http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
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
