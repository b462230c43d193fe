import { describe, expect, test } from "vitest";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { errorMessage, refusalSource } from "../../../exporter/gateway/response-body.ts";
import { inspect } from "node:util";
import { errors } from "undici";
import { transportError } from "../../../exporter/gateway/transport-error.ts";
import { FAILURE_REASONS, GatewayError, reasonOfStatus } from "../../../exporter/gateway/errors.ts";
import { retryDelay } from "../../../exporter/gateway/calls.ts";
import { retryAfter } from "../../../exporter/gateway/response.ts";
import { moveTo } from "../../support/fast-time.ts";

const secret = new Secret("sk-planted-0123456789");

function messageOf(message: unknown): string | undefined {
  const text = errorMessage({ error: { code: 400, message } });
  // Only a secret that is still in use is concealed.
  expect(secret.reveal()).not.toBe(text);
  return text;
}

describe("errorMessage: bodies with and without a message", () => {
  test.each<[string, unknown, string | undefined]>([
    ["the envelope of the contract", { error: { code: 401, message: "No auth", metadata: null } }, "No auth"],
    ["an error that is a string", { error: "No auth" }, "No auth"],
    ["a blank message", { error: { message: " \n\t " } }, undefined],
    ["a null error", { error: null }, undefined],
    ["a list of errors", { error: [{ message: "No auth" }] }, "No auth"],
    ["a nested envelope", { error: { error: { message: "No auth" } } }, "No auth"],
    ["a message alone", { message: "No auth" }, "No auth"],
    ["FastAPI's detail", { detail: "No auth" }, "No auth"],
    ["FastAPI's list of details", { detail: [{ loc: ["query"], msg: "No auth" }] }, "No auth"],
    ["success: false", { success: false, error: { message: "No auth" } }, "No auth"],
    ["RFC 9457", { type: "about:blank", title: "Forbidden", detail: "No auth" }, "Forbidden: No auth"],
    [
      "a body that is nested for ever",
      JSON.parse(`${'{"error":'.repeat(5000)}1${"}".repeat(5000)}`),
      undefined,
    ],
    ["no error", { data: {} }, undefined],
    ["a text", "Bad gateway", undefined],
    ["a list", [], undefined],
    ["null", null, undefined],
    ["nothing", undefined, undefined],
  ])("%s", (_, body, wanted) => {
    expect(errorMessage(body)).toBe(wanted);
  });
});

describe("errorMessage: how the text is cleaned", () => {
  test.each([
    ["line and paragraph separators are removed", "one\u2028two\u2029three", "one two three"],
    ["changes of direction are removed", "live\u202Eevil\u2066x", "live evil x"],
    ["other scripts are unchanged", "нет доступа 🔑", "нет доступа 🔑"],
    ["the credential", "Bad key sk-planted-0123456789", "Bad key [redacted]"],
    [
      "a credential beyond the longest text",
      `${"x".repeat(190)}sk-planted-0123456789`,
      `${"x".repeat(190)}[redacted]`,
    ],
    ["a longer text", "x".repeat(201), `${"x".repeat(200)}…`],
  ])("%s", (_, message, wanted) => {
    expect(messageOf(message)).toBe(wanted);
  });

  test("does not cut a credential in half, because half would not be recognised", () => {
    expect(messageOf(`${"x".repeat(195)}sk-planted-0123456789`)).toBe(`${"x".repeat(195)}[reda…`);
  });
});

describe("refusalSource", () => {
  test.each<[string, unknown, string | undefined, string | undefined]>([
    ["both", refusal({ limit_source: "in_flight", reason: "weight" }), "in_flight", "weight"],
    ["other types", refusal({ limit_source: 7, reason: ["weight"] }), undefined, undefined],
    ["empty texts", refusal({ limit_source: "", reason: " \n" }), undefined, undefined],
    ["control characters", refusal({ limit_source: "a\u0000b\u202Ec", reason: "x\ny" }), "a b c", "x y"],
    ["long texts", refusal({ limit_source: "é".repeat(65) }), `${"é".repeat(64)}…`, undefined],
    ["nothing", undefined, undefined, undefined],
  ])("%s", (_, answer, limitSource, refusalReason) => {
    expect(refusalSource(answer)).toEqual({ limitSource, refusalReason });
  });

  test("reports whose limit refuses, its amounts and reset, and what helps", () => {
    const metadata = { limit_source: "budget", scope: "workspace", limit_usd: 500, spend_usd: "500.25" };
    const others = { resets_at: "2026-12-01T00:00:00Z", remedy_hint: "Raise\nit", secret: "unknown field" };
    expect(refusalSource(refusal({ ...metadata, ...others }))).toEqual({
      limitSource: "budget",
      details: [
        "scope: workspace",
        "limit_usd: 500",
        "spend_usd: 500.25",
        "resets_at: 2026-12-01T00:00:00Z",
        "remedy_hint: Raise it",
      ],
    });
  });

  test("conceals secrets, and those that the cut would leave a part of", () => {
    const { limitSource, refusalReason } = refusalSource(
      refusal({ limit_source: secret.reveal(), reason: `${"x".repeat(60)}${secret.reveal()}` }),
    );
    expect(`${limitSource} ${refusalReason}`).not.toMatch(/sk-p|planted/);
    expect(limitSource).toBe("[redacted]");
  });
});

function refusal(metadata: unknown): object {
  return { error: { code: 402, message: "No", metadata } };
}

function coded(code: string, cause?: unknown): Error {
  return Object.assign(new Error(`the text of ${code}`, { cause }), { code });
}

const translated = (error: unknown) =>
  transportError("read it", error, { limitMs: 100, maxBodyBytes: 2000, proxy: undefined });

describe("transportError", () => {
  test.each([
    [coded("ECONNREFUSED"), "the proxy http://proxy:3128 refuses connections (ECONNREFUSED)"],
    [coded("ENOTFOUND"), "the proxy http://proxy:3128 is unknown: no such host (ENOTFOUND)"],
    [
      new Error("Proxy response (407) !== 200 when HTTP Tunneling"),
      "the proxy http://proxy:3128 asks for credentials (407)",
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

const NOW = Date.parse("2026-11-18T12:00:00Z");

function waitMs(headers: Record<string, string | string[] | undefined>, body: unknown = {}, status = 429) {
  return retryAfter({ status, headers, body, nowMs: NOW });
}

function inBody(headers: unknown): unknown {
  return { error: { code: 429, message: "Slow down", metadata: { headers } } };
}

describe("retryAfter: Retry-After", () => {
  test.each([
    ["30", 30_000],
    ["1.5", 1_500],
    ["0", undefined],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["", undefined],
    ["0x10", undefined],
    ["soon", undefined],
    ["Wed, 18 Nov 2026 12:00:45 GMT", 45_000],
    // The two obsolete forms of RFC 9110, 5.6.7; the second one names no zone.
    ["Wednesday, 18-Nov-26 12:00:45 GMT", 45_000],
    ["Wed Nov 18 12:00:45 2026", 45_000],
    ["2026-11-18T12:00:45Z", 45_000],
    ["Wed, 18 Nov 2026 11:59:59 GMT", undefined],
  ])("%j: %s ms, in any time zone of the machine", (text, wanted) => {
    moveTo("America/Los_Angeles");
    expect(waitMs({ "retry-after": text })).toBe(wanted);
  });
});

describe("retryAfter: X-RateLimit-Reset", () => {
  test.each([
    ["milliseconds", String(NOW + 20_000), 20_000],
    ["seconds", String(NOW / 1000 + 20), 20_000],
    ["the past", String(NOW - 1), undefined],
    ["not a number", "tomorrow", undefined],
  ])("%s", (_, text, wanted) => {
    expect(waitMs({ "x-ratelimit-reset": text })).toBe(wanted);
  });
});

describe("retryAfter: sources and their precedence", () => {
  const reset = String(NOW + 20_000);
  test.each([
    ["Retry-After wins", { "retry-after": "5", "x-ratelimit-reset": reset }, {}, 5_000],
    ["unless it cannot be read", { "retry-after": "?", "x-ratelimit-reset": reset }, {}, 20_000],
    ["or has passed", { "retry-after": "0", "x-ratelimit-reset": reset }, {}, 20_000],
    ["the first of several headers", { "retry-after": ["5", "9"] }, {}, 5_000],
    ["a header in capitals", { "RETRY-AFTER": "5" }, {}, 5_000],
    ["the body", {}, inBody({ "X-RateLimit-Reset": reset }), 20_000],
    ["the header before the body", { "retry-after": "5" }, inBody({ "Retry-After": "9" }), 5_000],
    ["a body with headers of a wrong type", {}, inBody("none"), undefined],
    ["no body", {}, undefined, undefined],
  ])("%s", (_, headers, body, wanted) => {
    expect(waitMs(headers, body)).toBe(wanted);
  });

  test.each([
    [429, 5_000],
    [503, 5_000],
    [200, undefined],
    [500, undefined],
  ])("status %i: %s ms", (status, wanted) => {
    expect(waitMs({ "retry-after": "5" }, {}, status)).toBe(wanted);
  });
});

const FIRST_ATTEMPT = { retryable: true, attempts: 1, remainingMs: 60_000 };

describe("retryDelay", () => {
  test.each([
    { when: "after the first attempt", change: {}, random: 0.5, wanted: 250 },
    { when: "after the third", change: { attempts: 3 }, random: 0.5, wanted: 1000 },
    { when: "after the fourth and last", change: { attempts: 4 }, random: 0.5, wanted: undefined },
    { when: "with the smallest jitter", change: {}, random: 0, wanted: 0 },
    { when: "with the largest jitter", change: { attempts: 3 }, random: 0.999, wanted: 1998 },
    { when: "a failure that is not retryable", change: { retryable: false }, random: 0, wanted: undefined },
    {
      change: { retryable: false, retryAfterMs: 1 },
      random: 0,
      wanted: undefined,
    },
    {
      when: "a wait that the server requests, without jitter",
      change: { retryAfterMs: 7_000 },
      random: 0.25,
      wanted: 7_000,
    },
    {
      change: { retryAfterMs: 1, attempts: 3 },
      random: 0.9,
      wanted: 1,
    },
    {
      change: { retryAfterMs: 1, attempts: 4 },
      random: 0,
      wanted: undefined,
    },
    { when: "a wait just before the deadline", change: { retryAfterMs: 59_999 }, random: 0, wanted: 59_999 },
    { when: "a backoff up to the deadline", change: { remainingMs: 250 }, random: 0.5, wanted: undefined },
    { when: "the deadline has passed", change: { remainingMs: -5 }, random: 0, wanted: undefined },
  ])("$when: $wanted ms", ({ change, random, wanted }) => {
    const { retryable, attempts, remainingMs, ...details } = { ...FIRST_ATTEMPT, ...change };
    expect(retryDelay({ retryable, details }, attempts, remainingMs, () => random)).toBe(wanted);
  });
});
