import type { GatewayConfig } from "../config/config.ts";
import { GatewayError, TOO_LARGE } from "./errors.ts";

/** The limits of an exchange, and the proxy that it takes. */
export interface ExchangeLimits extends Pick<GatewayConfig, "maxBodyBytes" | "proxy"> {
  readonly limitMs: number;
}

/** Classifies an error of the HTTP client: why the answer is missing or incomplete. */
export function transportError(
  action: string,
  error: unknown,
  { limitMs, maxBodyBytes, proxy }: ExchangeLimits,
): GatewayError {
  const code = codeOf(error);
  const proxyStatus = proxyAnswer(error);
  const failed = (kind: "timeout" | "bad_response" | "network", why: string) =>
    new GatewayError(kind, `Cannot ${action}: ${why}`, {
      cause: error,
      code,
      proxy: proxy?.url,
      proxyStatus,
    });
  if (TIMEOUTS.has(code)) return failed("timeout", `no complete answer within ${limitMs} ms`);
  if (code === TOO_LARGE)
    return failed("bad_response", `the answer is larger than ${maxBodyBytes} bytes (gateway.max_body)`);
  if (isUnreadable(code, error)) {
    // The parser's error contains a fragment of the answer, which may echo the credential, so it is not kept as the
    // cause.
    return new GatewayError("bad_response", `Cannot ${action}: the answer is not readable HTTP (${code})`, {
      code,
    });
  }
  // The client's code for a refused tunnel says less than the status.
  const by = code === "" || proxyStatus !== undefined ? "" : ` (${code})`;
  if (proxy === undefined) return failed("network", `the connection failed${by}`);
  const why = proxyStatus === undefined ? PROXY_FAULTS.get(code) : proxyRefusal(proxyStatus);
  return failed(
    "network",
    why === undefined
      ? `the connection through the proxy ${proxy.url} failed${by}`
      : `the proxy ${proxy.url} ${why}${by}`,
  );
}

/** A connection through a proxy is a connection to the proxy, so these are faults of this hop. */
const PROXY_FAULTS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "refuses connections"],
  ["ENOTFOUND", "is unknown: no such host"],
  ["EAI_AGAIN", "cannot be looked up now"],
  ["EHOSTUNREACH", "cannot be reached"],
  ["ENETUNREACH", "cannot be reached"],
]);

/** The status with which a proxy refuses a tunnel; undici reports it in its message only. */
function proxyAnswer(error: unknown): number | undefined {
  const status = error instanceof Error ? /^Proxy response \((\d{3})\)/.exec(error.message)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}

function proxyRefusal(status: number): string {
  return status === 407 ? "asks for credentials (407)" : `refuses to connect to the gateway (${status})`;
}

/** undici reports an unrequested `100 Continue` or change of the protocol as an error of the connection. */
function isUnreadable(code: string, error: unknown): boolean {
  const isUnrequested = error instanceof Error && /^bad (?:response|upgrade)$/.test(error.message);
  return (
    code === "UND_ERR_HEADERS_OVERFLOW" ||
    code === "HTTPParserError" ||
    (code === "UND_ERR_SOCKET" && isUnrequested)
  );
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  "TimeoutError",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

/** Identifies an error by its distinctive name, otherwise by its code or that of its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error.name === "TimeoutError" || error.name === "HTTPParserError") return error.name;
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
}
