import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { errors } from "undici";
import { transportError } from "../../../exporter/gateway/transport-error.ts";
import { FAILURE_REASONS, GatewayError, reasonOfStatus } from "../../../exporter/gateway/errors.ts";

function coded(code: string, cause?: unknown): Error {
  return Object.assign(new Error(`the text of ${code}`, { cause }), { code });
}

const translated = (error: unknown) =>
  transportError("read it", error, { limitMs: 100, maxBodyBytes: 2000, proxy: undefined });

describe("transportError", () => {
  test.each<[string, unknown, string, string]>([
    [
      "our own deadline",
      new DOMException("Timed out", "TimeoutError"),
      "timeout",
      "no complete answer within 100 ms",
    ],
    ["no body in time", new errors.BodyTimeoutError("late"), "timeout", "no complete answer within 100 ms"],
    [
      "too large",
      new errors.ResponseExceededMaxSizeError("large"),
      "bad_response",
      "the answer is larger than 2000 bytes (gateway.max_body)",
    ],
    [
      "an unrequested 100 Continue",
      new errors.SocketError("bad response"),
      "bad_response",
      "the answer is not readable HTTP (UND_ERR_SOCKET)",
    ],
    [
      "no HTTP",
      new errors.HTTPParserError("odd"),
      "bad_response",
      "the answer is not readable HTTP (HTTPParserError)",
    ],
    ["refused", coded("ECONNREFUSED"), "network", "the connection failed (ECONNREFUSED)"],
    ["a certificate", coded("CERT_HAS_EXPIRED"), "network", "the connection failed (CERT_HAS_EXPIRED)"],
    [
      "a cause with a code",
      new Error("failed", { cause: coded("ECONNRESET") }),
      "network",
      "the connection failed (ECONNRESET)",
    ],
    ["an error without a code", new Error("odd"), "network", "the connection failed"],
  ])("%s: %s", (_, error, kind, why) => {
    expect(translated(error)).toMatchObject({ kind, message: `Cannot read it: ${why}`, status: undefined });
  });

  test.each([
    [coded("ECONNREFUSED"), "the proxy http://proxy:3128 refuses connections (ECONNREFUSED)"],
    [coded("ENOTFOUND"), "the proxy http://proxy:3128 is unknown: no such host (ENOTFOUND)"],
    [
      new Error("Proxy response (407) !== 200 when HTTP Tunneling"),
      "the proxy http://proxy:3128 asks for credentials (407); write them into the proxy's URL",
    ],
    [
      new Error("Proxy response (403) !== 200 when HTTP Tunneling"),
      "the proxy http://proxy:3128 refuses to connect to the gateway (403)",
    ],
    [
      coded("CERT_HAS_EXPIRED"),
      "the connection through the proxy http://proxy:3128 failed (CERT_HAS_EXPIRED)",
    ],
  ])("blames the hop that failed: %s", (error, why) => {
    const proxy = { url: "http://proxy:3128", login: undefined };
    const { message } = transportError("read it", error, { limitMs: 100, maxBodyBytes: 2000, proxy });
    expect(message).toBe(`Cannot read it: ${why}`);
  });

  test("keeps no fragment of the answer, which may echo the credential", () => {
    const error = translated(Object.assign(new errors.HTTPParserError("odd"), { data: "Bearer sk-planted" }));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("sk-planted");
  });
});

describe("reasonOfStatus", () => {
  test.each([
    // The statuses of the contract, section 7.
    [400, "bad_request"],
    [401, "unauthorized"],
    [402, "payment_required"],
    [403, "forbidden"],
    [408, "timeout"],
    [429, "rate_limited"],
    [500, "upstream_error"],
    [504, "timeout"],
    [529, "upstream_error"],
    [302, "bad_response"],
    [999, "upstream_error"],
  ])("%i: %s", (status, reason) => {
    expect(reasonOfStatus(status)).toBe(reason);
  });
});

describe("GatewayError", () => {
  test("is retryable only for failures that may pass by themselves", () => {
    const retryable = FAILURE_REASONS.filter((reason) => new GatewayError(reason, "Cannot ask").retryable);
    expect(retryable).toEqual(["rate_limited", "timeout", "upstream_error", "network"]);
  });
});
