import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebConfig, WebSource } from "../config/web/web-config.ts";
import { refusal } from "./access.ts";
import { changeRefusal, isForHost } from "./change-request.ts";
import type { Passwords } from "./passwords.ts";
import type { TryAcquire } from "./request-semaphore.ts";
import { type Answer, pathOf, type Route, textAnswer } from "./route.ts";

/**
 * Finds the answer to a request: checks access, route, method, and the limit of concurrent requests. Rejects when a
 * route throws.
 */
export type Router = (request: IncomingMessage, response: ServerResponse) => Promise<Answer>;

export interface RouterDependencies {
  readonly passwords: Passwords;
  /** Undefined: everyone has access. */
  readonly web: WebSource | undefined;
  /** The values of `Host` that are served, without port; empty: any. */
  readonly allowedHosts: readonly string[];
  /** Whether the connection of the request may still be used with this configuration. */
  readonly isCurrent: (request: IncomingMessage, config: WebConfig) => boolean;
  /** Answers in progress at once, not counting `/-/…`; 0 is unlimited. */
  readonly maxRequests: number;
  readonly tryAcquire: TryAcquire;
  readonly onRefusal: OnRefusal;
}

/** Receives what was refused, and the address of the client if its connection is open. */
export type OnRefusal = (what: "login" | "client certificate", address: string | undefined) => void;

export function createRouter(
  routes: readonly Route[],
  { passwords, web, allowedHosts, isCurrent, maxRequests, tryAcquire, onRefusal }: RouterDependencies,
): Router {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const above = routes.filter(({ path }) => path !== "/" && path.endsWith("/"));

  async function routed(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const path = pathOf(request);
    const route = byPath.get(path) ?? above.find((each) => path.startsWith(each.path));
    if (!route) return textAnswer(404, "Not found\n");
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (!route.methods.some((allowed) => allowed === method)) {
      const allow = route.methods.flatMap((allowed) => (allowed === "GET" ? ["GET", "HEAD"] : [allowed]));
      return textAnswer(405, "Method not allowed\n", { allow: allow.join(", ") });
    }
    if (!path.startsWith("/-/") && !tryAcquire(response)) {
      return textAnswer(503, `Limit of concurrent requests reached (${maxRequests}), try again later\n`);
    }
    if (method === "GET") return route.handle(request);
    return (await whileConnected(response, changeRefusal(request))) ?? route.handle(request);
  }

  return async (request, response) => {
    if (!isServedHost(request, allowedHosts)) {
      return textAnswer(421, "This host is not served (--web.allowed-hosts)\n");
    }
    if (!web) return routed(request, response);
    const config = await whileConnected(response, web.current());
    if (!config) return textAnswer(500, "The web configuration is invalid; see the log for the reason\n");
    // A client sends the request again over a new connection, as if this one had just been idle for too long.
    if (!isCurrent(request, config)) {
      request.socket.destroy();
      return textAnswer(401, "The connection is no longer valid\n");
    }
    const refused = await whileConnected(response, refusal(config, passwords, request));
    if (refused?.status === 401) onRefusal("login", request.socket.remoteAddress);
    return withHeaders(config, refused ?? (await routed(request, response)));
  };
}

/** The client has left before its access was checked. */
export const CLIENT_LEFT = new Error("The client has left");

/**
 * Waits until the client leaves at most: a packet may hold a thousand requests, which the first ones keep in
 * memory for as long as they wait for a file or a password. @throws CLIENT_LEFT.
 */
function whileConnected<T>(response: ServerResponse, promise: Promise<T>): Promise<T> {
  if (response.closed) return Promise.reject(CLIENT_LEFT);
  return new Promise((resolve, reject) => {
    response.once("close", () => reject(CLIENT_LEFT));
    // No function of its own, which would keep the response as well.
    promise.then(resolve, reject);
  });
}

/** Orchestrators check health by an address that nobody knows beforehand, and the answer reveals nothing. */
const OF_ANY_HOST: ReadonlySet<string> = new Set(["/-/healthy", "/-/ready"]);

function isServedHost(request: IncomingMessage, hosts: readonly string[]): boolean {
  return hosts.length === 0 || OF_ANY_HOST.has(pathOf(request)) || isForHost(request, hosts);
}

/** Configured headers replace the answer's own. An empty one is not sent. */
function withHeaders({ headers }: WebConfig, answer: Answer): Answer {
  const own = [...headers].map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(own) } };
}
