import type { IncomingMessage } from "node:http";
import { type Passwords, TooManyLoginsError } from "./passwords.ts";
import { type Answer, pathOf, type Route, textAnswer } from "./route.ts";
import type { WebConfig, WebSource } from "../config/web/schema.ts";

/**
 * Finds the answer to a request: checks access, route, method, and the limit of concurrent requests. Rejects when a
 * route throws.
 */
export type Router = (request: IncomingMessage) => Promise<Answer>;

/** What a server lets in. */
export interface Access {
  /** Undefined: plain HTTP without a password. */
  readonly web: WebSource | undefined;
  /** Requests answered at once, not counting `/-/…`; 0 is unlimited. */
  readonly maxRequests: number;
  /** The values of `Host` that are served, without port; empty: any. */
  readonly allowedHosts: readonly string[];
  /** Before the path of every route, without a slash at the end; empty: none. */
  readonly prefix: string;
  readonly onRefusal: OnRefusal;
}

export interface RouterDependencies extends Access {
  readonly passwords: Pick<Passwords, "matches">;
  /** Whether the connection of the request may still be used with this configuration. */
  readonly isCurrent: (request: IncomingMessage, config: WebConfig) => boolean;
}

/** Receives what was refused, and the address of the client if its connection is open. */
export type OnRefusal = (what: "login" | "client certificate", address: string | undefined) => void;

export function createRouter(
  routes: readonly Route[],
  { passwords, web, allowedHosts, isCurrent, maxRequests, prefix, onRefusal }: RouterDependencies,
): Router {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const above = routes.filter(({ path }) => path !== "/" && path.endsWith("/"));
  let inProgress = 0;

  async function routed(request: IncomingMessage): Promise<Answer> {
    const whole = pathOf(request);
    // Relative links of the page need the slash at the end.
    if (prefix !== "" && (whole === "/" || whole === prefix))
      return textAnswer(302, "The exporter is below this path\n", { location: `${prefix}/` });
    const path = pathBelow(prefix, whole);
    if (path === undefined) return textAnswer(404, "Not found\n");
    request.url = path + (/\?.*/.exec(request.url ?? "")?.[0] ?? "");
    const route = byPath.get(path) ?? above.find((each) => path.startsWith(each.path));
    if (!route) return textAnswer(404, "Not found\n");
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (!route.methods.some((allowed) => allowed === method)) {
      const allow = route.methods.flatMap((allowed) => (allowed === "GET" ? ["GET", "HEAD"] : [allowed]));
      return textAnswer(405, "Method not allowed\n", { allow: allow.join(", ") });
    }
    if (method !== "GET" && isCrossSite(request)) return CROSS_SITE;
    return path.startsWith("/-/") ? route.handle(request) : limited(route, request);
  }

  async function limited(route: Route, request: IncomingMessage): Promise<Answer> {
    if (maxRequests > 0 && inProgress >= maxRequests)
      return textAnswer(503, `Limit of concurrent requests reached (${maxRequests}), try again later\n`);
    inProgress++;
    try {
      return await route.handle(request);
    } finally {
      inProgress--;
    }
  }

  return async (request) => {
    if (!isServedHost(request, allowedHosts, prefix)) {
      return textAnswer(421, "This host is not served (--web.allowed-hosts)\n");
    }
    if (!web) return routed(request);
    const config = await web.current();
    if (!config) return textAnswer(500, "The web configuration is invalid; see the log for the reason\n");
    // A client sends the request again over a new connection, as if this one had just been idle for too long.
    if (!isCurrent(request, config)) {
      request.socket.destroy();
      return textAnswer(401, "The connection is no longer valid\n");
    }
    const refused = await refusal(config, passwords, request.headers.authorization);
    if (refused?.status === 401) onRefusal("login", request.socket.remoteAddress);
    return withHeaders(config, refused ?? (await routed(request)));
  };
}

const CROSS_SITE = textAnswer(403, "Refused: a browser sends this request on behalf of another site\n");

/** Orchestrators check health by an address that nobody knows beforehand, and the answer reveals nothing. */
const HEALTH: ReadonlySet<string> = new Set(["/-/healthy", "/-/ready"]);

/** The path below the prefix, which probes do not know. */
function pathBelow(prefix: string, whole: string): string | undefined {
  if (HEALTH.has(whole)) return whole;
  return whole.startsWith(`${prefix}/`) ? whole.slice(prefix.length) : undefined;
}

function isServedHost(request: IncomingMessage, hosts: readonly string[], prefix: string): boolean {
  const isHealth = HEALTH.has(pathBelow(prefix, pathOf(request)) ?? "");
  return hosts.length === 0 || isHealth || isForHost(request, hosts);
}

/** Configured headers replace the answer's own. An empty one is not sent. */
function withHeaders({ headers }: WebConfig, answer: Answer): Answer {
  const own = [...headers].map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(own) } };
}

/**
 * Whether a browser sends the request on behalf of another site. Only browsers send `Origin` and `Sec-Fetch-Site`; a page
 * cannot change them. The scheme may differ, because a proxy may add TLS.
 */
function isCrossSite({ headers: { host, origin, "sec-fetch-site": site } }: IncomingMessage): boolean {
  if (site !== undefined && !OWN_SITES.has(site)) return true;
  if (origin === undefined) return false;
  const page = URL.parse(origin);
  return page?.origin !== origin || URL.parse(`${page.protocol}//${host}`)?.host !== page.host;
}

/** `none`: the user, not a page, caused the request. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Whether the request names one of the hosts, whatever its port. */
function isForHost({ headers: { host = "" } }: IncomingMessage, hosts: readonly string[]): boolean {
  return hosts.includes(host.replace(/:\d+$/, "").toLowerCase());
}

/** The answer to a client without valid credentials; undefined if the client has access. */
export async function refusal(
  { users }: WebConfig,
  passwords: Pick<Passwords, "matches">,
  authorization: string | undefined,
): Promise<Answer | undefined> {
  if (users.size === 0) return undefined;
  const login = loginOf(authorization);
  if (!login) return UNAUTHORIZED;
  try {
    return (await passwords.matches(users, login.user, login.password)) ? undefined : UNAUTHORIZED;
  } catch (error) {
    if (!(error instanceof TooManyLoginsError)) throw error;
    return textAnswer(503, "Too many logins at once, try again later\n", { "retry-after": "1" });
  }
}

const UNAUTHORIZED = textAnswer(401, "Unauthorized\n", { "www-authenticate": "Basic" });

/** RFC 7617: the name ends at the first colon. */
function loginOf(authorization: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  const text = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  if (colon < 0) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
