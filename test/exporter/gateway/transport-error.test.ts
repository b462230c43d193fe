import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { errors } from "undici";
import { ResponseError } from "../../../exporter/gateway/receive.ts";
import { transportError } from "../../../exporter/gateway/transport-error.ts";

function coded(code: string, cause?: unknown): Error {
  return Object.assign(new Error(`the text of ${code}`, { cause }), { code });
}

const translated = (error: unknown) => transportError("read it", error, 100);

describe("transportError", () => {
  test.each<[string, unknown, string, string]>([
    [
      "our own deadline",
      new DOMException("Timed out", "TimeoutError"),
      "timeout",
      "no complete answer within 100 ms",
    ],
    [
      "no connection in time",
      new errors.ConnectTimeoutError("late"),
      "timeout",
      "no complete answer within 100 ms",
    ],
    [
      "no headers in time",
      new errors.HeadersTimeoutError("late"),
      "timeout",
      "no complete answer within 100 ms",
    ],
    ["no body in time", new errors.BodyTimeoutError("late"), "timeout", "no complete answer within 100 ms"],
    ["the system's time-out", coded("ETIMEDOUT"), "timeout", "no complete answer within 100 ms"],
    [
      "too large",
      new ResponseError("is larger than 2000 bytes"),
      "bad_response",
      "the answer is larger than 2000 bytes",
    ],
    [
      "an unrequested 100 Continue",
      new errors.SocketError("bad response"),
      "bad_response",
      "the answer is not readable HTTP (UND_ERR_SOCKET)",
    ],
    [
      "an unrequested change of the protocol",
      new errors.SocketError("bad upgrade"),
      "bad_response",
      "the answer is not readable HTTP (UND_ERR_SOCKET)",
    ],
    [
      "headers too large",
      new errors.HeadersOverflowError("large"),
      "bad_response",
      "the answer is not readable HTTP (UND_ERR_HEADERS_OVERFLOW)",
    ],
    [
      "no HTTP",
      new errors.HTTPParserError("odd"),
      "bad_response",
      "the answer is not readable HTTP (HTTPParserError)",
    ],
    ["refused", coded("ECONNREFUSED"), "network", "the connection failed (ECONNREFUSED)"],
    ["reset", coded("ECONNRESET"), "network", "the connection failed (ECONNRESET)"],
    ["unknown host", coded("ENOTFOUND"), "network", "the connection failed (ENOTFOUND)"],
    ["a certificate", coded("CERT_HAS_EXPIRED"), "network", "the connection failed (CERT_HAS_EXPIRED)"],
    ["cut", new errors.SocketError("other side closed"), "network", "the connection failed (UND_ERR_SOCKET)"],
    [
      "a cause with a code",
      new Error("failed", { cause: coded("ECONNRESET") }),
      "network",
      "the connection failed (ECONNRESET)",
    ],
    [
      "a cause of a cause that is a timeout",
      new Error("failed", { cause: new Error("again", { cause: new errors.BodyTimeoutError("late") }) }),
      "timeout",
      "no complete answer within 100 ms",
    ],
    ["a number as code", Object.assign(new Error("odd"), { code: 20 }), "network", "the connection failed"],
    ["an error without a code", new Error("odd"), "network", "the connection failed"],
    ["no error at all", "odd", "network", "the connection failed"],
    ["nothing", undefined, "network", "the connection failed"],
  ])("%s: %s", (_, error, kind, why) => {
    expect(translated(error)).toMatchObject({ kind, message: `Cannot read it: ${why}`, status: undefined });
  });

  test("keeps the cause", () => {
    const cause = coded("ECONNRESET");
    expect(translated(cause).cause).toBe(cause);
  });

  test("keeps no fragment of the answer, which may echo the credential", () => {
    const error = translated(Object.assign(new errors.HTTPParserError("odd"), { data: "Bearer sk-planted" }));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("sk-planted");
  });
});
