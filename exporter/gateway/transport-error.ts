import { GatewayError } from "./errors.ts";
import { ResponseError } from "./receive.ts";

/** Classifies an error of the HTTP client: why the answer is missing or incomplete. */
export function transportError(
  action: string,
  error: unknown,
  limitMs: number,
  proxy?: string,
): GatewayError {
  const code = codeOf(error);
  const failed = (kind: "timeout" | "bad_response" | "network", why: string) =>
    new GatewayError(kind, `Cannot ${action}: ${why}`, { cause: error });
  if (TIMEOUTS.has(code)) return failed("timeout", `no complete answer within ${limitMs} ms`);
  if (error instanceof ResponseError) return failed("bad_response", `the answer ${error.message}`);
  if (isUnreadable(code, error)) {
    // The parser's error contains a fragment of the answer, which may echo the credential, so it is not kept as the
    // cause.
    return new GatewayError("bad_response", `Cannot ${action}: the answer is not readable HTTP (${code})`);
  }
  const connection = proxy === undefined ? "the connection" : `the connection through the proxy ${proxy}`;
  const why = proxyAnswer(error) ?? (code === "" ? "" : ` (${code})`);
  return failed("network", `${connection} failed${why}`);
}

/** The status with which a proxy refuses a tunnel; undici reports it in its message only. */
function proxyAnswer(error: unknown): string | undefined {
  const status = error instanceof Error ? /^Proxy response \((\d{3})\)/.exec(error.message)?.[1] : undefined;
  return status && `: the proxy answered ${status}`;
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
