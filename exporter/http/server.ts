import type * as Http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo, Socket } from "node:net";
import type { WebConfig, WebSource } from "../config/web/web-config.ts";
import { refusal } from "./access.ts";
import { type Answer, textAnswer } from "./answer.ts";
import { createBcrypt } from "./bcrypt.ts";
import { type Limits, LIMITS, MAX_REQUESTS } from "./limits.ts";
import { createPasswords } from "./passwords.ts";
import { createSecureDoor } from "./secure-door.ts";

/** An import would look at all that it exports, and so load fetch and web sockets: a tenth of the start's processor time. */
const http: typeof Http = createRequire(import.meta.url)("node:http");

/** `host` undefined listens on all addresses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** What there is at a path. HEAD is answered wherever GET is. */
export interface Route {
  readonly path: string;
  readonly methods: readonly ("GET" | "POST" | "PUT")[];
  handle(request: Http.IncomingMessage): Answer | Promise<Answer>;
}

export interface Server {
  /** Rejects when the address cannot be listened on. */
  start(): Promise<void>;
  /** Finishes what is being answered, then closes. */
  stop(): Promise<void>;
  readonly url: () => string;
}

export interface ServerOptions {
  /** Without it everybody is served over plain HTTP. */
  readonly web?: WebSource | undefined;
  /** Answers under way at once, those to `/-/…` left out; 0 is unlimited. */
  readonly maxRequests?: number;
  /** What differs from the usual limits. */
  readonly limits?: Partial<Limits>;
}

/** An HTTP/1.1 server of a few fixed paths. `onError` is told when a route throws; the client gets a plain 500. */
export function createServer(
  listen: ListenAddress,
  routes: readonly Route[],
  onError: (error: unknown) => void,
  { web, maxRequests = MAX_REQUESTS, limits: changed = {} }: ServerOptions = {},
): Server {
  const limits = { ...LIMITS, ...changed };
  let stopping = false;
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const bcrypt = createBcrypt();
  const passwords = createPasswords(bcrypt);
  const admit = createPlaces(maxRequests);
  const server = http.createServer(settingsOf(limits), (request, response) => void answer(request, response));
  server.maxConnections = limits.connections;
  server.timeout = limits.stallMs;
  const [serve] = server.listeners("connection");
  const door =
    web?.isSecure === true
      ? createSecureDoor(web, limits, (socket) => serve?.call(server, socket))
      : undefined;
  if (door) {
    // It listens itself, since it looks after late requests only then; connections come to it by way of the door.
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => door.open(socket));
  }

  async function answer(request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> {
    const timer = setTimeout(() => response.destroy(), limits.answerMs);
    response.once("close", () => clearTimeout(timer));
    const { status, headers, body } = await answerTo(request, response).catch((error: unknown) => {
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

  async function answerTo(request: Http.IncomingMessage, response: Http.ServerResponse): Promise<Answer> {
    if (!web) return answerOf(request, response);
    const config = await web.current();
    if (!config) return textAnswer(500, "The web configuration cannot be used; the log says why\n");
    const refused = await refusal(config, passwords, request.headers);
    return withHeaders(config, refused ?? (await answerOf(request, response)));
  }

  async function answerOf(request: Http.IncomingMessage, response: Http.ServerResponse): Promise<Answer> {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const route = byPath.get(path);
    if (!route) return textAnswer(404, "Not found\n");
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (!route.methods.some((allowed) => allowed === method)) {
      const allow = route.methods.flatMap((allowed) => (allowed === "GET" ? ["GET", "HEAD"] : [allowed]));
      return textAnswer(405, "Method not allowed\n", { allow: allow.join(", ") });
    }
    if (!path.startsWith("/-/") && !admit(response)) {
      return textAnswer(503, `Limit of concurrent requests reached (${maxRequests}), try again later\n`);
    }
    return route.handle(request);
  }

  return {
    start: async () => {
      // The first look is what a later one is compared with.
      await web?.current();
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(listen.port, listen.host, () => {
          server.off("error", reject);
          resolve();
        });
      });
    },
    stop: async () => {
      stopping = true;
      await new Promise<void>((resolve) => {
        // A client that does not take its answer must not keep the process alive.
        const timer = setTimeout(() => server.closeAllConnections(), limits.stopMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        door?.close();
        server.closeIdleConnections();
      });
      await bcrypt.stop();
    },
    url: () => urlOf(web?.isSecure === true ? "https" : "http", server.address()),
  };
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

/** A place is taken until the last byte of the answer has left: who reads slowly keeps it. */
function createPlaces(most: number): (response: Http.ServerResponse) => boolean {
  let taken = 0;
  return (response) => {
    if (most > 0 && taken >= most) return false;
    taken++;
    response.once("close", () => taken--);
    return true;
  };
}

/** The configured ones go before; one that is empty is not sent. */
function withHeaders({ headers }: WebConfig, answer: Answer): Answer {
  const own = [...headers].map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(own) } };
}

/** The page has no script, no foreign content and no need to be framed. */
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
