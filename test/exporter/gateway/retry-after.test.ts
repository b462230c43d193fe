import { describe, expect, test } from "vitest";
import { retryAfter } from "../../../exporter/gateway/retry-after.ts";
import { moveTo } from "../../support/time-zone.ts";

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
    [" 30 ", 30_000],
    ["0", undefined],
    ["-5", undefined],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["soon", undefined],
    ["in 2030", undefined],
    ["Wed, 18 Nov 2026 12:00:45 GMT", 45_000],
    ["Wed, 18 Nov 2026 12:00:45 UTC", 45_000],
    // The two obsolete forms of RFC 9110, 5.6.7; the second one names no zone.
    ["Wednesday, 18-Nov-26 12:00:45 GMT", 45_000],
    ["Wed Nov 18 12:00:45 2026", 45_000],
    ["2026-11-18T12:00:45Z", 45_000],
    ["2026-11-18T12:00:45", 45_000],
    ["Wed, 18 Nov 2026 11:59:59 GMT", undefined],
    ["Wed, 99 Nov 2026 12:00:00 GMT", undefined],
  ])("%j: %s ms, in any time zone of the machine", (text, wanted) => {
    moveTo("America/Los_Angeles");
    expect(waitMs({ "retry-after": text })).toBe(wanted);
  });
});

describe("retryAfter: X-RateLimit-Reset", () => {
  test.each([
    ["milliseconds", String(NOW + 20_000), 20_000],
    ["seconds", String(NOW / 1000 + 20), 20_000],
    ["seconds with a fraction", String(NOW / 1000 + 0.5), 500],
    ["the past", String(NOW - 1), undefined],
    ["now", String(NOW), undefined],
    ["not a number", "tomorrow", undefined],
    ["a number that is not decimal", "0x1", undefined],
    ["nothing", "", undefined],
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
    ["a header without values", { "retry-after": [] }, {}, undefined],
    ["an absent header", { "retry-after": undefined }, {}, undefined],
    ["a header in capitals", { "RETRY-AFTER": "5" }, {}, 5_000],
    ["the body", {}, inBody({ "X-RateLimit-Reset": reset }), 20_000],
    ["a number in the body", {}, inBody({ "X-RateLimit-Reset": NOW + 20_000 }), 20_000],
    ["the header before the body", { "retry-after": "5" }, inBody({ "Retry-After": "9" }), 5_000],
    ["a body with further nulls", {}, inBody({ "X-RateLimit-Reset": reset, "Retry-After": null }), 20_000],
    ["a body with other things", {}, inBody({ "X-RateLimit-Reset": reset, other: [1] }), 20_000],
    ["a body with headers of a wrong type", {}, inBody("none"), undefined],
    ["a body of a wrong type", {}, "Slow down", undefined],
    ["no body", {}, undefined, undefined],
    ["nothing anywhere", {}, {}, undefined],
  ])("%s", (_, headers, body, wanted) => {
    expect(waitMs(headers, body)).toBe(wanted);
  });

  test.each([
    [429, 5_000],
    [503, 5_000],
    [200, undefined],
    [401, undefined],
    [408, undefined],
    [500, undefined],
    [502, undefined],
  ])("status %i: %s ms", (status, wanted) => {
    expect(waitMs({ "retry-after": "5" }, {}, status)).toBe(wanted);
  });
});
