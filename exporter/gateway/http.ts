import type { GatewayConfig } from "../config/config.ts";
import type { Secret, SecretSource } from "../secrets/secret.ts";
import type { Clock } from "../time/clock.ts";
import { GatewayError } from "./errors.ts";
import type { Caller, GatewayDependencies } from "./port.ts";
import { type Connections, exchange } from "./exchange.ts";
import { readResponse } from "./response.ts";
import { transportError } from "./transport-error.ts";
import { type Dispatcher, Pool, ProxyAgent } from "undici";

/** One request of the contract. */
export interface HttpRequest {
  /** The action, for messages: `read key "billing"`. */
  readonly action: string;
  readonly method: "GET" | "POST";
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  /** A form is sent as multipart/form-data, everything else as JSON. */
  readonly body?: object;
}

export interface HttpDependencies extends Pick<GatewayDependencies, "version" | "onAnswer"> {
  readonly clock: Pick<Clock, "now">;
  /** For tests without sockets; undici's pool unless given. */
  readonly connect?: Connect | undefined;
}

/** Makes the connections to an origin. */
export type Connect = (origin: string) => Connections;

export interface Http {
  /**
   * Sends one request once, within `limitMs`. The result is the parsed JSON body, or why the request failed.
   * @throws the signal's reason when it is aborted.
   */
  attempt(
    request: HttpRequest,
    secret: Secret,
    caller: Pick<Caller, "endpoint" | "signal">,
    limitMs: number,
  ): Promise<{ readonly body: unknown } | GatewayError>;
  close(): Promise<void>;
}

/** The HTTP transport: connections, authentication, time-outs, limits of sizes (contract 5 and 7). */
export function createHttp(config: GatewayConfig, dependencies: HttpDependencies): Http {
  const { origin, pathname } = new URL(config.baseUrl);
  const root = pathname === "/" ? "" : pathname;
  const constantHeaders = {
    accept: "application/json",
    "user-agent": `aigateway-exporter/${dependencies.version}`,
    "accept-encoding": "identity",
  };
  const { headers: extra = [] } = config;

  async function extraHeaders(action: string): Promise<Readonly<Record<string, string>>> {
    const read = extra.map(async ({ name, value }) => {
      return [name.toLowerCase(), (await readSecret({ secret: value, action })).reveal()] as const;
    });
    return Object.fromEntries(await Promise.all(read));
  }

  const pool = dependencies.connect?.(origin) ?? connectionsTo(origin, config);

  async function optionsOf(request: HttpRequest, secret: Secret): Promise<Dispatcher.DispatchOptions> {
    const { contentType, content = null } = request.body ? await encodeBody(request.body) : {};
    return {
      origin,
      path: root + request.path,
      method: request.method,
      headers: {
        authorization: `Bearer ${secret.reveal()}`,
        ...constantHeaders,
        ...(extra.length > 0 && (await extraHeaders(request.action))),
        ...(contentType && { "content-type": contentType }),
      },
      body: content,
    };
  }

  return {
    attempt: async (request, secret, { endpoint, signal }, limitMs) => {
      try {
        const options = await optionsOf(request, secret);
        signal.throwIfAborted();
        const response = await exchange(pool, options, { limitMs, signal });
        signal.throwIfAborted();
        const date = String(response.headers["date"] ?? "");
        dependencies.onAnswer(endpoint, String(response.status), Date.parse(date));
        return readResponse(response, request.action, dependencies.clock.now());
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof GatewayError) return error;
        dependencies.onAnswer(endpoint, "none");
        return transportError(request.action, error, { ...config, limitMs });
      }
    },
    close: () => pool.destroy(),
  };
}

interface EncodedBody {
  readonly contentType?: string;
  readonly content?: string | Uint8Array;
}

async function encodeBody(body: object): Promise<EncodedBody> {
  if (!(body instanceof FormData)) return { contentType: "application/json", content: JSON.stringify(body) };
  // The platform's encoder of forms is reachable through a Response only.
  const encoder = new Response(body);
  const content = new Uint8Array(await encoder.arrayBuffer());
  return { contentType: encoder.headers.get("content-type") ?? "multipart/form-data", content };
}

/** Connections to an origin, through the proxy of the configuration if it has one. */
function connectionsTo(origin: string, config: GatewayConfig): Connections {
  const { proxy, timeoutMs, tls } = config;
  const options: Pool.Options = {
    connections: RESERVE * config.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: timeoutMs, ...tls },
    // Each attempt has its own limit for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Independent of the limit of the Node process.
    maxHeaderSize: 16_384,
    maxResponseSize: config.maxBodyBytes,
  };
  if (!proxy) return new Pool(origin, options);
  return new ProxyAgent({
    ...options,
    ...(proxy.login && { token: `Basic ${proxy.login.reveal()}` }),
    uri: proxy.url,
    ...(tls && { requestTls: tls }),
    connectTimeout: timeoutMs,
    // A proxy that accepts connections and does not answer must not occupy them for longer.
    clientFactory: (url, connecting) => new Pool(url, { ...connecting, headersTimeout: timeoutMs }),
  });
}

/**
 * Requests in progress are limited by the callers' permits. undici rests a connection for an iteration of the event loop,
 * in case the gateway closes it; meanwhile the next request needs another one.
 */
const RESERVE = 2;

/** Idle connections are kept between the requests of a schedule. */
const KEEP_ALIVE_MS = 30_000;

interface SecretUse {
  readonly secret: SecretSource;
  /** For messages: `read key "billing"`. */
  readonly action: string;
}

/** @throws GatewayError `secret_unreadable`; reading has a deadline of its own. */
export async function readSecret({ secret, action }: SecretUse): Promise<Secret> {
  try {
    return await secret.read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GatewayError("secret_unreadable", `Cannot ${action}: ${why}`, { cause: error });
  }
}
