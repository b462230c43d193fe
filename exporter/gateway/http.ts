import type { GatewayConfig } from "../config/config.ts";
import type { Secret } from "../config/secret.ts";
import type { Clock } from "../time/clock.ts";
import { type Connections, connectionsTo } from "./connections.ts";
import type { GatewayError } from "./errors.ts";
import { ACCEPT_ENCODING, createInflate } from "./inflate.ts";
import type { Caller, GatewayDependencies } from "./port.ts";
import { createChunkPace, createParseQueue, LARGE_RESPONSE, receive } from "./receive.ts";
import { type HttpResponse, readResponse } from "./response.ts";
import { transportError } from "./transport-error.ts";

/** One request of the contract. */
export interface HttpRequest {
  /** The action, for messages: `read key "billing"`. */
  readonly action: string;
  readonly method: "GET" | "POST";
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  /** A form is sent as multipart/form-data, everything else as JSON. */
  readonly body?: object;
  /** The largest body of a success; `gateway.max_body` unless given. */
  readonly maxBodyBytes?: number;
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
  const constantHeaders = [
    "accept",
    "application/json",
    "user-agent",
    `aigateway-exporter/${dependencies.version}`,
    "accept-encoding",
    ACCEPT_ENCODING,
  ];
  const pool = dependencies.connect?.(origin) ?? connectionsTo(origin, config);
  const pace = createChunkPace();
  const nextParse = createParseQueue();
  const inflate = createInflate();

  async function exchange(
    request: HttpRequest,
    secret: Secret,
    signal: AbortSignal,
    limitMs: number,
  ): Promise<HttpResponse> {
    const { method } = request;
    const headers = ["authorization", `Bearer ${secret.reveal()}`, ...constantHeaders];
    const encoded = request.body && (await encodeBody(request.body));
    if (encoded) headers.push("content-type", encoded.contentType);
    const body = encoded?.content ?? null;
    // A raw handler costs half as much as a response that is a stream.
    const limits = { bodyBytes: request.maxBodyBytes ?? config.maxBodyBytes, setting: settingOf(request) };
    const response = await receive(
      (handler) => pool.dispatch({ origin, path: root + request.path, method, headers, body }, handler),
      signal,
      { ...limits, limitMs },
      pace,
    );
    return inflate(response, limits);
  }

  return {
    attempt: async (request, secret, { endpoint, signal }, limitMs) => {
      try {
        const response = await exchange(request, secret, signal, limitMs);
        const isLarge = response.body.length > LARGE_RESPONSE;
        if (isLarge) await nextParse();
        dependencies.onAnswer(endpoint, String(response.status));
        const read = readResponse(response, request.action, dependencies.clock.now());
        // The caller's work on it is another turn.
        if (isLarge) await nextParse();
        return read;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        dependencies.onAnswer(endpoint, "none");
        return transportError(request.action, error, limitMs, config.proxy?.url);
      }
    },
    close: () => pool.destroy(),
  };
}

function settingOf({ maxBodyBytes }: HttpRequest): string {
  return maxBodyBytes === undefined ? "gateway.max_body" : "";
}

interface EncodedBody {
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

async function encodeBody(body: object): Promise<EncodedBody> {
  if (!(body instanceof FormData)) return { contentType: "application/json", content: JSON.stringify(body) };
  // The platform's encoder of forms is reachable through a Response only.
  const encoder = new Response(body);
  const content = new Uint8Array(await encoder.arrayBuffer());
  return { contentType: encoder.headers.get("content-type") ?? "multipart/form-data", content };
}
